//! Tests that measure their process: each runs in a process of its own.

use std::process::Command;

const ALONE: &str = "ACP_TEST_ALONE";

/// Returns true in a process that runs only the test of this name. Otherwise starts one, and fails
/// if that fails.
pub(crate) fn is_alone(test: &str) -> bool {
    if std::env::var(ALONE).is_ok_and(|alone| alone == test) {
        return true;
    }
    let program = std::env::current_exe().expect("it runs");
    let output =
        Command::new(program).args([test, "--exact"]).env(ALONE, test).output().expect("it runs again");
    let said = String::from_utf8_lossy(&output.stdout);
    // A run without any test would be a success as well.
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    false
}
