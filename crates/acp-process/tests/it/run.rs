//! Commands that are run for their output.

use std::time::Duration;

use acp_process::Command;
use tokio::io::AsyncReadExt;

use crate::support::{shell, soon};

/// Leaves a zombie in its group, whose parent is outside the group and never takes note of the
/// exit.
///
/// The script prints the process id of that parent, which the test must kill.
const LEAVES_A_ZOMBIE: &str = r#"
    (true & exec setsid sleep 1000 </dev/null >/dev/null 2>&1) &
    echo $!
    exit 3
"#;

#[tokio::test]
#[cfg(target_os = "linux")]
async fn processes_that_have_exited_hold_nobody_up() {
    for ends in [true, false] {
        let (mut running, mut output) =
            shell(LEAVES_A_ZOMBIE).grace(Duration::from_secs(3600)).run().unwrap();
        let mut parent = String::new();
        // The end of the output: no process is left that could write.
        soon("a number", output.read_to_string(&mut parent)).await.unwrap();
        let group = running.pid();
        assert_eq!(soon("the exit", running.exited()).await.status, Some(3));
        let parent: i32 = parent.trim().parse().unwrap();
        crate::family::until("the other process to leave the group", || group_of(parent) != group).await;
        if ends {
            assert_eq!(soon("the end", running.end()).await.status, Some(3));
        } else {
            soon("the rest", running.gone()).await;
        }
        let parent = rustix::process::Pid::from_raw(parent).unwrap();
        rustix::process::kill_process(parent, rustix::process::Signal::KILL).unwrap();
    }
}

#[cfg(target_os = "linux")]
fn group_of(pid: i32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit(") ").next()?.split(' ').nth(2)?.parse().ok()
}

#[tokio::test]
async fn a_command_is_run_for_what_it_prints() {
    let script = "echo one; echo two >&2; echo three; read line || exit 4";
    let (mut running, mut output) = shell(script).run().unwrap();
    assert!(running.pid().is_some());
    let exit = soon("the exit", running.exited()).await;
    assert_eq!((exit.status, exit.signal), (Some(4), None));
    // After the exit all of the output is there, in order.
    let mut printed = [0; 100];
    let length = output.read_now(&mut printed);
    assert_eq!(&printed[..length], b"one\ntwo\nthree\n");
    assert_eq!(soon("the end", output.read(&mut printed)).await.unwrap(), 0);
    soon("the tree", running.gone()).await;

    let (mut running, mut output) = shell("trap : TERM; sleep 1000 & wait; exec sleep 1000").run().unwrap();
    let exit = soon("the end", running.end()).await;
    assert_eq!(soon("the exit", running.exited()).await, exit);
    assert!(matches!(exit.signal, Some(9 | 15)), "{exit:?}");
    assert_eq!(
        soon("the end", output.read(&mut printed)).await.unwrap(),
        0,
        "nothing is left that could write"
    );
    assert!(Command::new("/nonexistent/program").run().is_err());
}

#[tokio::test]
async fn what_outlives_its_leader_is_looked_at_less_and_less_often() {
    let (mut running, _output) = shell("sleep 1000 &").run().unwrap();
    soon("the exit", running.exited()).await;
    tokio::time::pause();
    let mut looks = 0;
    {
        let mut gone = std::pin::pin!(running.gone());
        let counted = std::future::poll_fn(|cx| {
            looks += 1;
            gone.as_mut().poll(cx)
        });
        // Ten minutes of the paused clock.
        tokio::time::timeout(Duration::from_secs(600), counted).await.expect_err("it sleeps");
    }
    assert!(looks < 3_000, "{looks} looks in ten minutes");
    tokio::time::resume();
    running.end().await;
}
