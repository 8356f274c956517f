//! `LocalFs` reads and writes files below a root, and leaves nothing beside them.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use acp_client::LocalFs;
use serde_json::json;

use crate::common::place::{Place, SECRET, code};
use crate::common::{pipe, with_session};

#[tokio::test]
async fn lines_are_counted_from_one_and_keep_their_ends() {
    let mut place = Place::new().await;
    let path = place.path("notes.txt");
    fs::write(place.path("dos.txt"), "a\r\nb\r\nlast").expect("written");
    let dos = place.path("dos.txt");
    for (params, expected) in [
        (json!({"path": path}), "one\ntwo\nthree\n"),
        (json!({"path": path, "line": null, "limit": null}), "one\ntwo\nthree\n"),
        (json!({"path": path, "line": 1}), "one\ntwo\nthree\n"),
        (json!({"path": path, "line": 0}), "one\ntwo\nthree\n"),
        (json!({"path": path, "line": 2}), "two\nthree\n"),
        (json!({"path": path, "line": 2, "limit": 1}), "two\n"),
        (json!({"path": path, "limit": 2}), "one\ntwo\n"),
        (json!({"path": path, "limit": 0}), ""),
        (json!({"path": path, "line": 3, "limit": 99}), "three\n"),
        (json!({"path": path, "line": 4}), ""),
        (json!({"path": path, "line": u32::MAX, "limit": u32::MAX}), ""),
        (json!({"path": dos, "line": 2}), "b\r\nlast"),
    ] {
        assert_eq!(place.read_with(params.clone()).await["result"]["content"], expected, "{params}");
    }
}

#[tokio::test]
async fn writing_creates_replaces_and_keeps_the_mode() {
    let mut place = Place::new().await;
    let script = place.path("run.sh");
    fs::write(&script, "old").expect("written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o750)).expect("set");
    assert_eq!(place.write(&script, "new").await["result"], json!({}));
    assert_eq!(fs::read_to_string(&script).expect("there"), "new");
    assert_eq!(fs::metadata(&script).expect("there").permissions().mode() & 0o7777, 0o750);

    let created = place.path("größe 文.txt");
    assert_eq!(place.write(&created, "text").await["result"], json!({}));
    assert_eq!(fs::read_to_string(&created).expect("there"), "text");
    assert_eq!(place.read(&created).await["result"]["content"], "text");
    // Nothing may remain of a file that could not be replaced, either.
    let sub = place.path("sub");
    assert_eq!(code(&place.write(&sub, "x").await), -32602);
    let left: Vec<_> =
        fs::read_dir(place.root()).expect("a directory").map(|e| e.expect("e").file_name()).collect();
    assert!(
        !left.iter().any(|name| name.to_string_lossy().starts_with(".acp")),
        "nothing is left over: {left:?}"
    );
}

#[tokio::test]
async fn rights_that_a_file_lends_are_taken_off() {
    let mut place = Place::new().await;
    for (before, after) in
        [(0o4755, 0o755), (0o2750, 0o750), (0o6711, 0o711), (0o1700, 0o1700), (0o600, 0o600)]
    {
        let path = place.path("program");
        fs::write(&path, "old").expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(before)).expect("set");
        assert_eq!(place.write(&path, "new").await["result"], json!({}));
        let mode = fs::metadata(&path).expect("there").permissions().mode() & 0o7777;
        assert_eq!(mode, after, "{before:o}: {mode:o}");
    }
}

#[tokio::test]
async fn directories_are_made_only_where_that_is_wanted() {
    let mut place = Place::new().await;
    let path = place.path("new/folder/file.txt");
    let answer = place.write(&path, "text").await;
    assert_eq!(code(&answer), -32002);
    assert!(answer["error"]["message"].as_str().expect("text").contains("directory"), "{answer}");
    assert!(!place.root().join("new").exists());

    let mut place = Place::with(LocalFs::create_directories).await;
    let path = place.path("new/folder/file.txt");
    assert_eq!(place.write(&path, "text").await["result"], json!({}));
    assert_eq!(fs::read_to_string(&path).expect("there"), "text");
    // A path below a file.
    let path = place.path("notes.txt/folder/file.txt");
    assert_eq!(code(&place.write(&path, "text").await), -32002);
}

#[tokio::test]
async fn a_missing_file_is_empty_where_that_is_wanted() {
    let mut place = Place::with(LocalFs::missing_as_empty).await;
    for missing in ["new.txt", "no folder/new.txt"] {
        let path = place.path(missing);
        assert_eq!(place.read(&path).await["result"]["content"], "", "{missing}");
    }
    // Other failures stay errors.
    for (path, expected) in [("sub", -32602), ("../none.txt", -32602)] {
        let path = place.path(path);
        assert_eq!(code(&place.read(&path).await), expected, "{path}");
    }
    assert_eq!(
        place.read_with(json!({"path": place.path("notes.txt"), "line": 3})).await["result"]["content"],
        "three\n"
    );
}

#[tokio::test]
async fn any_number_of_requests_at_once_is_answered() {
    const MANY: u64 = 500;
    let mut place = Place::new().await;
    for id in 0..MANY {
        let params =
            json!({"sessionId": "s1", "path": place.path(&format!("file {}", id / 2)), "content": "text"});
        let method = if id % 2 == 0 { "fs/write_text_file" } else { "fs/read_text_file" };
        place.wire.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    }
    let mut answered = std::collections::BTreeSet::new();
    while answered.len() < usize::try_from(MANY).expect("few") {
        let answer = place.wire.receive().await;
        // A read during the write finds the old text or the new one, but never a part.
        let is_whole = ["", "text"].contains(&answer["result"]["content"].as_str().unwrap_or_default());
        assert!(is_whole && (answer["result"].is_object() || answer["error"]["code"] == -32002), "{answer}");
        assert!(answered.insert(answer["id"].as_u64().expect("ours")), "{answer}");
    }
    assert_eq!(fs::read_dir(place.root()).expect("a directory").count(), 2 + 250, "no drafts are left");
}

#[tokio::test]
async fn a_byte_order_mark_is_text() {
    let mut place = Place::new().await;
    let path = place.path("marked.txt");
    fs::write(&path, "\u{FEFF}one\ntwo").expect("written");
    let read = place.read(&path).await["result"]["content"].clone();
    assert_eq!(read, "\u{FEFF}one\ntwo");
    place.write(&path, read.as_str().expect("text")).await;
    assert_eq!(fs::read(&path).expect("there"), "\u{FEFF}one\ntwo".as_bytes());
}

#[tokio::test]
async fn who_only_reads_does_not_offer_to_write() {
    for (read_only, writes) in [(false, true), (true, false)] {
        let (transport, mut wire) = pipe();
        let files = LocalFs::rooted("/").expect("a directory");
        let files = if read_only { files.read_only() } else { files };
        let connect = acp_client::connect(transport).fs(files);
        let (agent, request) = tokio::join!(connect.into_future(), wire.initialize(json!({})));
        let _agent = agent.expect("connected");
        let offered = &request["params"]["clientCapabilities"]["fs"];
        assert_eq!(offered["readTextFile"], true);
        assert_eq!(offered["writeTextFile"].as_bool().unwrap_or(false), writes);
        // Some agents write without asking whether it is offered.
        let params = json!({"sessionId": "s1", "path": "/none/x", "content": ""});
        let answer = wire.call(json!(1), "fs/write_text_file", params).await;
        assert_eq!(answer["error"]["code"] == -32601, read_only, "{answer}");
    }
}

#[tokio::test]
async fn a_missing_file_is_not_found_and_named_by_uri() {
    let mut place = Place::new().await;
    let missing = place.path("no such.txt");
    let answer = place.read(&missing).await;
    assert_eq!(code(&answer), -32002);
    let uri = answer["error"]["data"]["uri"].as_str().expect("a URI");
    assert!(uri.starts_with("file:///") && uri.ends_with("/root/no%20such.txt"), "{uri}");
    let below_file = place.path("notes.txt/x");
    assert_eq!(code(&place.read(&below_file).await), -32002);
}

#[tokio::test]
async fn size_and_encoding_have_limits() {
    let mut place = Place::with(|files| files.max_bytes(100)).await;
    let large = place.path("large.txt");
    fs::write(&large, format!("{}\n{}\nend", "a".repeat(80), "b".repeat(90))).expect("written");
    assert_eq!(code(&place.read(&large).await), -32602);
    let part = place.read_with(json!({"path": large, "line": 3, "limit": 5})).await;
    assert_eq!(part["result"]["content"], "end", "a large file can be read in parts");
    let exact = place.path("exact.txt");
    assert_eq!(place.write(&exact, &"c".repeat(100)).await["result"], json!({}));
    assert_eq!(place.read(&exact).await["result"]["content"], "c".repeat(100));
    let refused = place.write(&exact, &"d".repeat(101)).await;
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"]["field"]),
        (&json!(-32602), &json!("content"))
    );
    assert_eq!(fs::read_to_string(&exact).expect("there"), "c".repeat(100));

    let mut place = Place::with(|files| files.max_bytes(usize::MAX)).await;
    let notes = place.path("notes.txt");
    assert_eq!(place.read(&notes).await["result"]["content"], "one\ntwo\nthree\n");
    let mut place = Place::with(|files| files.max_bytes(0)).await;
    let notes = place.path("notes.txt");
    assert_eq!(code(&place.read(&notes).await), -32602);
    assert_eq!(place.read_with(json!({"path": notes, "line": 4})).await["result"]["content"], "");

    let mut place = Place::new().await;
    let binary = place.path("binary");
    fs::write(&binary, b"ab\xff\xfe").expect("written");
    let answer = place.read(&binary).await;
    assert_eq!(code(&answer), -32602);
    let message = answer["error"]["message"].as_str().expect("text");
    assert!(message.contains("UTF-8") && message.contains("/root/binary\""), "{message}");
    // The lines before it are text.
    fs::write(&binary, b"text\nab\xff\xfe").expect("written");
    assert_eq!(place.read_with(json!({"path": binary, "limit": 1})).await["result"]["content"], "text\n");
}

#[tokio::test]
async fn a_read_only_file_stays_as_it_is() {
    let mut place = Place::new().await;
    let path = place.path("locked.txt");
    fs::write(&path, "old").expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("set");
    assert_eq!(code(&place.write(&path, "new").await), -32603);
    assert_eq!(fs::read_to_string(&path).expect("there"), "old");
}

#[test]
fn a_root_must_be_a_directory() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("file"), "").expect("written");
    for path in ["file", "missing"] {
        assert!(LocalFs::rooted(folder.path().join(path)).is_err(), "{path}");
    }
    assert!(LocalFs::rooted(Path::new(".")).is_ok());
}

#[tokio::test]
async fn several_roots_are_served() {
    let mut place = Place::new().await;
    let twin = place.folder.path().join("root-twin");
    let files = LocalFs::rooted(place.root()).and_then(|files| files.with_root(&twin)).expect("directories");
    let (session, wire) = with_session(|connect| connect.fs(files)).await;
    (place.wire, place.session) = (wire, session);
    let (first, second) = (place.path("notes.txt"), twin.join("secret.txt"));
    assert_eq!(place.read(&first).await["result"]["content"], "one\ntwo\nthree\n");
    assert_eq!(place.read(second.to_str().expect("UTF-8")).await["result"]["content"], SECRET);
}

#[tokio::test]
async fn a_path_that_ends_as_a_directory_makes_no_file() {
    let mut place = Place::with(LocalFs::create_directories).await;
    for path in ["new/", "new//", "new/.", "a/b/", "notes.txt/", "notes.txt/.", "sub/", ""] {
        let path = format!("{}/{path}", place.root().display());
        assert_eq!(code(&place.write(&path, "text").await), -32602, "{path}");
    }
    assert_eq!(names(&place.root()), ["notes.txt", "sub"]);
    assert_eq!(fs::read_to_string(place.path("notes.txt")).expect("there"), "one\ntwo\nthree\n");
    // Other dots in a name are allowed.
    for name in ["dot.", ".hidden", "..."] {
        let path = place.path(name);
        assert_eq!(place.write(&path, "text").await["result"], json!({}), "{name}");
    }
}

#[tokio::test]
async fn a_write_that_is_refused_leaves_no_directories() {
    let mut place = Place::with(LocalFs::create_directories).await;
    let long = "x".repeat(300);
    // The name of the file or of a directory is too long for any file.
    for path in [format!("a/b/{long}"), format!("a/{long}/c.txt"), format!("sub/a/{long}")] {
        let path = place.path(&path);
        assert!(code(&place.write(&path, "text").await) < 0, "{path}");
    }
    assert_eq!(names(&place.root()), ["notes.txt", "sub"]);
    assert_eq!(names(&place.root().join("sub")), ["deep.txt"]);
}

fn names(folder: &Path) -> Vec<String> {
    let entries =
        fs::read_dir(folder).expect("a directory").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = entries.map(|name| name.into_string().expect("UTF-8")).collect();
    names.sort();
    names
}
