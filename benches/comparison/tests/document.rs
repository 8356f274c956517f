//! The document shows these agents.

use std::process::Command;

#[test]
fn the_document_is_current() {
    let output = Command::new(env!("CARGO_BIN_EXE_compare")).arg("--check").output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
