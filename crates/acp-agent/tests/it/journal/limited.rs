//! A disk on which nothing can be written.

use std::process::Command;

use acp_agent::store::{Journal, SessionStore as _, StoreError};

use super::{ID, info};

const FOLDER: &str = "ACP_JOURNAL_TEST_FULL";

/// Runs in the child process, which may not write a single byte to any file.
#[tokio::test]
async fn creator() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    for _ in 0..2 {
        let failed = Journal::at(&folder).create(info(ID)).await.err();
        assert!(matches!(failed, Some(StoreError::Io { action: "write", .. })), "{failed:?}");
    }
}

#[test]
fn a_session_that_could_not_be_written_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let limited = r#"ulimit -f 0; trap "" XFSZ; exec "$0" --exact journal::limited::creator --nocapture"#;
    let child = Command::new("sh")
        .args(["-c", limited])
        .arg(std::env::current_exe().unwrap())
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
