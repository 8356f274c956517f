//! A folder that is served, and things around it that must stay out of reach.

use std::fs;
use std::path::PathBuf;

use acp_client::LocalFs;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{Wire, with_session};

/// The content of files that must stay out of reach.
pub(crate) const SECRET: &str = "TOP-SECRET";

/// A root with a file in it, and things around it that must stay out of reach.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
    pub(crate) wire: Wire,
    pub(crate) session: acp_client::Session,
}

impl Place {
    pub(crate) async fn new() -> Self {
        Self::with(|files| files).await
    }

    pub(crate) async fn with(set_up: impl FnOnce(LocalFs) -> LocalFs) -> Self {
        let folder = folder();
        let files = set_up(LocalFs::rooted(folder.path().join("root")).expect("it is a directory"));
        let (session, wire) = with_session(|connect| connect.fs(files)).await;
        Self { folder, wire, session }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub(crate) fn path(&self, relative: &str) -> String {
        self.root().join(relative).to_str().expect("UTF-8").to_owned()
    }

    pub(crate) async fn read(&mut self, path: &str) -> Value {
        self.read_with(json!({"path": path})).await
    }

    pub(crate) async fn read_with(&mut self, mut params: Value) -> Value {
        params["sessionId"] = json!("s1");
        self.wire.call(json!("r"), "fs/read_text_file", params).await
    }

    pub(crate) async fn write(&mut self, path: &str, content: &str) -> Value {
        let params = json!({"sessionId": "s1", "path": path, "content": content});
        self.wire.call(json!("w"), "fs/write_text_file", params).await
    }
}

/// Makes a folder with a root, a twin of it by name, and a secret.
pub(crate) fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in [
        ("root/notes.txt", "one\ntwo\nthree\n"),
        ("root/sub/deep.txt", "deep"),
        ("root-twin/secret.txt", SECRET),
        ("secret.txt", SECRET),
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("has one")).expect("created");
        fs::write(path, text).expect("written");
    }
    folder
}

/// Returns the code of an error, after checking that it names the member, the file and the session
/// and repeats nothing of a file's content.
pub(crate) fn code(answer: &Value) -> i64 {
    let error = &answer["error"];
    let message = error["message"].as_str().unwrap_or_else(|| panic!("an error, not {answer}"));
    assert!(message.contains("`path`") && message.contains("`s1`"), "{message}");
    assert_eq!((&error["data"]["field"], &error["data"]["sessionId"]), (&json!("path"), &json!("s1")));
    assert!(error["data"]["path"].is_string() || message.contains('…'), "{answer}");
    assert!(!answer.to_string().contains(SECRET), "{answer}");
    error["code"].as_i64().expect("a number")
}
