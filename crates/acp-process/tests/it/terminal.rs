//! Children and the terminal of the process that starts them.

use acp_process::{Command, Spawned};
use tokio::io::AsyncReadExt;

use crate::support::{shell, soon};

const ROLE: &str = "ACP_PROCESS_TEST_ON_A_TERMINAL";

/// Prints whether the terminal can be written and read, past all pipes.
const SCRIPT: &str = "
    (echo stray >/dev/tty) 2>/dev/null && echo written
    (read line </dev/tty) 2>/dev/null && echo read
    echo done
";

#[tokio::test]
async fn the_terminal_of_a_client_is_not_its_childrens() {
    if std::env::var_os(ROLE).is_some() {
        return on_a_terminal().await;
    }
    let name = "terminal::the_terminal_of_a_client_is_not_its_childrens";
    let client = Command::new(std::env::current_exe().unwrap()).args([name, "--exact", "--nocapture"]);
    let (mut running, mut output) = client.env(ROLE, "yes").run_on_terminal(80, 24).unwrap();
    let mut printed = String::new();
    soon("the end", output.read_to_string(&mut printed)).await.unwrap();
    assert_eq!(soon("the exit", running.exited()).await.status, Some(0), "{printed}");
    assert_eq!(printed.matches("stray").count(), 1, "{printed}");
}

async fn on_a_terminal() {
    let (mut running, mut output) = shell(SCRIPT).run().unwrap();
    let mut printed = String::new();
    soon("the end", output.read_to_string(&mut printed)).await.unwrap();
    assert_eq!(printed, "done\n");
    soon("the exit", running.exited()).await;

    let Spawned { child, guard: _guard, .. } = shell(&format!("({SCRIPT}) >&2")).spawn().unwrap();
    assert_eq!(soon("the exit", child.wait()).await.stderr_tail, "done\n");

    // A login, for example, is for the user to see.
    let status = shell("echo stray >/dev/tty").to_std().status().unwrap();
    assert!(status.success());
}
