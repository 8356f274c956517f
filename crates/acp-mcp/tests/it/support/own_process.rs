//! A process for one test, for state that can be set only once in a process.

use std::process::Command;

/// Set in the process that has one test to run.
const VARIABLE: &str = "ACP_MCP_TEST_IN_OWN_PROCESS";

/// Returns true in a process that was started for this test alone. Otherwise runs the test, by its
/// name with the modules, in such a process, panics if it fails there, and returns false.
pub fn is_own(test: &str) -> bool {
    if std::env::var_os(VARIABLE).is_some_and(|started| started == *test) {
        return true;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    let ran = command.args([test, "--exact"]).env(VARIABLE, test).output().unwrap();
    let printed = [ran.stdout, ran.stderr].concat();
    let printed = String::from_utf8_lossy(&printed);
    assert!(ran.status.success() && printed.contains("1 passed"), "{test} by itself: {printed}");
    false
}
