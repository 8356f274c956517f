//! The end of children whose parent process is killed, and of children whose parent thread ends.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{self, Stdio};

use acp_process::{Command, Spawned};
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::{Builder, Handle};
use tokio::sync::mpsc;

use crate::family::{is_running, three, three_levels, until, until_ended};
use crate::support::{GUARD, shell, soon};

const ROLE: &str = "ACP_PROCESS_TEST_CLIENT";
const GUARDIAN: &str = include_str!("../../src/tree/guardian.sh");

/// Starts two processes that ignore TERM and never read. One is in a session of its own, outside
/// the group.
const LEAVES_THE_GROUP: &str =
    "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ >&2; exec sleep 1000' & echo $$ >&2; wait";

#[test]
fn nothing_is_left_of_a_client_that_is_killed() {
    if std::env::var_os(ROLE).is_some() {
        return Builder::new_current_thread().enable_all().build().unwrap().block_on(client());
    }
    let name = "killed::nothing_is_left_of_a_client_that_is_killed";
    let mut client = process::Command::new(std::env::current_exe().unwrap());
    client.args([name, "--exact", "--nocapture"]).env(ROLE, "yes").stdout(Stdio::piped());
    let mut client = client.spawn().unwrap();
    let lines = BufReader::new(client.stdout.take().unwrap()).lines().map(Result::unwrap);
    let lines = lines.take_while(|line| line != "ready");
    let mut pids: Vec<u32> = lines.filter_map(|line| line.strip_prefix("pid ")?.parse().ok()).collect();
    assert_eq!(pids.len(), 6, "{pids:?}");
    pids.extend(guardian_of(client.id()));
    assert_eq!(pids.len(), 7, "a guardian");
    assert!(pids.iter().all(|pid| is_running(*pid)));
    client.kill().unwrap();
    client.wait().unwrap();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(until_ended(&pids));
}

/// Starts processes, prints their ids, and waits to be killed.
async fn client() {
    let (command, mut pids) = three_levels("");
    let _first = command.spawn().unwrap();
    let mut started = three(&mut pids).await.to_vec();
    // A guardian that was lost is replaced by one that knows all groups.
    let guardian = guardian_of(process::id()).unwrap();
    kill_process(Pid::from_raw(guardian.cast_signed()).unwrap(), Signal::KILL).unwrap();
    until("the end of the guardian", || !is_running(guardian)).await;
    let (sender, mut pids) = mpsc::unbounded_channel();
    let command = shell(LEAVES_THE_GROUP)
        .on_stderr(move |line| sender.send(line.parse::<u32>().unwrap()).unwrap_or_default());
    let _second = command.spawn().unwrap();
    for _ in 0..2 {
        started.push(soon("a process id", pids.recv()).await.unwrap());
    }
    let (running, _output) = shell("trap '' TERM; sleep 1000; sleep 1000").run().unwrap();
    started.push(running.pid().unwrap());
    let mut stdout = std::io::stdout();
    for pid in started {
        writeln!(stdout, "pid {pid}").unwrap();
    }
    writeln!(stdout, "ready").unwrap();
    std::future::pending().await
}

/// Finds the guardian among the children of a process.
fn guardian_of(client: u32) -> Option<u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let mut pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.find(|pid| {
        let read = |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let stat = read("stat");
        let parent = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1));
        parent == Some(&client.to_string()) && read("cmdline").contains("acp-guardian") && is_running(*pid)
    })
}

#[tokio::test]
async fn a_child_outlives_the_thread_that_started_it() {
    let runtime = Handle::current();
    let thread = std::thread::spawn(move || {
        let _entered = runtime.enter();
        Command::new("/bin/cat").grace(GUARD).spawn().unwrap()
    });
    let Spawned { mut stdin, mut stdout, child, guard, .. } = thread.join().unwrap();
    stdin.write_all(b"it lives").await.unwrap();
    let mut printed = [0; 8];
    soon("the output", stdout.read_exact(&mut printed)).await.unwrap();
    assert_eq!(&printed, b"it lives");
    drop(stdin);
    soon("the end", guard.end()).await;
    assert_eq!(soon("the exit", child.wait()).await.status, Some(0));
}

#[test]
fn a_guardian_ends_those_it_was_told_of_and_no_strangers() {
    let birth = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        stat.rsplit(") ").next().unwrap().split(' ').nth(19).unwrap().to_owned()
    };
    for (lines, ends) in [
        ("+ PID BIRTH\n", true),
        ("+ PID 0\n", true),
        // The number belongs to another process by now.
        ("+ PID 1\n", false),
        ("+ PID BIRTH\n- PID\n", false),
        ("+ 1234567 0\n+ PID BIRTH\n+ 1234568 5\n- 1234567\n- PID\n- 1234568\n", false),
        ("+ 1234567 0\n+ PID BIRTH\n- 1234567\n", true),
    ] {
        let mut child = process::Command::new("sleep").arg("1000").process_group(0).spawn().unwrap();
        let mut guardian = process::Command::new("/bin/sh");
        let mut guardian = guardian.args(["-c", GUARDIAN]).stdin(Stdio::piped()).spawn().unwrap();
        let pid = child.id();
        let sent = lines.replace("PID", &pid.to_string()).replace("BIRTH", &birth(pid));
        guardian.stdin.take().unwrap().write_all(sent.as_bytes()).unwrap();
        guardian.wait().unwrap();
        assert_eq!(!is_running(pid), ends, "{lines}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
