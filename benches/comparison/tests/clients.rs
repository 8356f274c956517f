//! The clients of both SDKs act alike with the agents.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const CLIENTS: [&str; 2] = [env!("CARGO_BIN_EXE_one_shot_ours"), env!("CARGO_BIN_EXE_one_shot_official")];
const ECHO: &str = env!("CARGO_BIN_EXE_echo_ours");
const EDITOR: &str = env!("CARGO_BIN_EXE_edit_ours");

/// Returns the output of a client, if it succeeds.
fn run(client: &str, folder: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new(client).args(args).current_dir(folder).stdin(Stdio::null()).output();
    let output = output.expect("it starts");
    output.status.success().then(|| String::from_utf8(output.stdout).expect("text"))
}

#[test]
fn the_answer_is_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    for client in CLIENTS {
        let said = run(client, folder.path(), &["hello", "--", ECHO]);
        assert_eq!(said.as_deref(), Some("hello\n[end_turn]\n"), "{client}");
        for args in [&["hello"][..], &[], &["hello", "--", "/no/such/agent"]] {
            assert_eq!(run(client, folder.path(), args), None, "{client} {args:?}");
        }
    }
}

#[test]
fn files_are_served_and_permission_is_given() {
    for client in CLIENTS {
        let folder = tempfile::tempdir().expect("a folder");
        let notes = folder.path().join("notes.txt");
        fs::write(&notes, "milk\n").expect("it can be written");
        let said = run(client, folder.path(), &["bread", "--", EDITOR]);
        assert_eq!(said.as_deref(), Some("Done.\n[end_turn]\n"), "{client}");
        assert_eq!(fs::read_to_string(&notes).expect("it is there"), "milk\nbread\n", "{client}");
    }
}

#[cfg(unix)]
#[test]
fn no_file_outside_of_the_folder_is_served() {
    for client in CLIENTS {
        let (folder, outside) =
            (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("one more"));
        let secret = outside.path().join("secret.txt");
        fs::write(&secret, "secret\n").expect("it can be written");
        std::os::unix::fs::symlink(&secret, folder.path().join("notes.txt")).expect("a link");
        assert_eq!(run(client, folder.path(), &["bread", "--", EDITOR]), None, "{client}");
        assert_eq!(fs::read_to_string(&secret).expect("it is there"), "secret\n", "{client}");
    }
}
