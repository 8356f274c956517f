//! Child processes as peers: they start, talk, die, and are ended with everything they started.

use std::time::Duration;

use acp_json::Value;
use acp_rpc::{CallError, Child, CloseReason, Command, Driver, Exit, Options, Peer, Transport, connect};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::common::{GUARD, Lab, soon};

/// Has almost no time to end by itself.
fn shell(script: &str) -> Command {
    Command::new("/bin/sh").arg("-c").arg(script).grace(Duration::from_millis(100))
}

fn start(command: Command) -> (Lab, Peer, Driver, Child) {
    let (lab, _events) = Lab::new();
    let (transport, child) = Transport::process(command).unwrap();
    // The exit of a process comes some time after the end of its output.
    let (peer, driver) = connect(transport, lab.clone(), Options::default().drain(GUARD));
    (lab, peer, driver, child)
}

#[tokio::test]
async fn a_child_is_a_peer() {
    // `cat` returns the request of this side, which this side answers, and `cat` returns the answer
    // too.
    let (_lab, peer, driver, child) = start(Command::new("/bin/cat").grace(GUARD));
    let driver = tokio::spawn(driver);
    let text = "\u{1F980}".repeat(100_000);
    let answer: Value = soon("the answer", peer.request("echo", &[&text])).await.unwrap();
    assert_eq!(answer, Value::new(&[text]).unwrap());
    peer.close();
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Local));
    assert_eq!(soon("the exit", child.wait()).await.status, Some(0), "closing stdin was enough");
}

#[tokio::test]
async fn the_exit_of_a_child_is_the_reason() {
    let (_lab, peer, driver, child) =
        start(shell("read line; echo 'first' >&2; echo 'last words' >&2; exit 3"));
    let call = tokio::spawn(async move { peer.request::<_, Value>("ask", &()).await });
    let exit = Exit { status: Some(3), signal: None, stderr_tail: "first\nlast words\n".into() };
    let CloseReason::Exited(reason) = soon("the end", driver).await else { panic!("an exit") };
    assert_eq!(reason, exit);
    let Err(CallError::Closed(CloseReason::Exited(reason))) = call.await.unwrap() else { panic!("an exit") };
    assert_eq!(reason, exit);
    assert_eq!(child.wait().await, exit);
    assert_eq!(child.stderr_tail(), exit.stderr_tail);
    assert_eq!(
        reason.to_string(),
        "the process exited with status 3; its last words on stderr:\nfirst\nlast words"
    );
}

#[tokio::test]
async fn a_signal_is_told_apart_from_a_status() {
    let (_lab, _peer, driver, _child) = start(shell("kill -9 $$"));
    let CloseReason::Exited(exit) = soon("the end", driver).await else { panic!("an exit") };
    assert_eq!((exit.status, exit.signal), (None, Some(9)));
}

#[tokio::test]
async fn what_a_child_says_before_it_exits_is_heard() {
    let script = r#"read line; echo '{"jsonrpc":"2.0","id":0,"result":"done"}'; exit 0"#;
    let (_lab, peer, driver, _child) = start(shell(script));
    let driver = tokio::spawn(driver);
    let answer: String = soon("the answer", peer.request("ask", &())).await.unwrap();
    assert_eq!(answer, "done");
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Exited(_)));
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let error = Transport::process(Command::new("/no/such/program")).unwrap_err();
    assert!(error.to_string().starts_with("cannot start `/no/such/program`: "), "{error}");
}

/// A shell that starts a shell that starts a program. All ignore the end of stdin, and some ignore
/// TERM. Each prints its process id on stderr.
fn three_levels(on_term: &str) -> (Command, mpsc::UnboundedReceiver<u32>) {
    let script = r#"
        trap "$ON_TERM" TERM
        echo $$ >&2
        if [ "$LEVEL" -eq 1 ]; then exec sleep 1000; fi
        LEVEL=$((LEVEL - 1)) /bin/sh -c "$SCRIPT" &
        wait
    "#;
    let command = shell(script).env("SCRIPT", script).env("LEVEL", "3").env("ON_TERM", on_term);
    let (pids, receiver) = mpsc::unbounded_channel();
    (command.on_stderr(move |line| pids.send(line.parse().unwrap()).unwrap_or_default()), receiver)
}

/// Returns true if a process still runs. A zombie does not run.
fn is_running(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    !matches!(state, Some('Z' | 'X'))
}

async fn until(what: &str, condition: impl Fn() -> bool) {
    let come = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    soon(what, come).await;
}

/// Waits until none of them runs. A process with another parent may stay a zombie for ever.
async fn until_ended(pids: &[u32]) {
    until("the end of every process", || !pids.iter().any(|pid| is_running(*pid))).await;
}

/// Waits until none of them runs, and the first, a child of this process, is not even a zombie.
async fn until_gone(pids: &[u32]) {
    until_ended(pids).await;
    let leader = std::path::PathBuf::from(format!("/proc/{}", pids[0]));
    until("somebody to take note of the exit", || !leader.exists()).await;
}

async fn three(pids: &mut mpsc::UnboundedReceiver<u32>) -> [u32; 3] {
    let mut taken = [0; 3];
    for pid in &mut taken {
        *pid = soon("a process id", pids.recv()).await.unwrap();
    }
    assert!(taken.iter().all(|pid| is_running(*pid)));
    taken
}

/// The number of runs. It is high because failures here depend on which process is faster.
const RUNS: usize = 100;

/// Handlers of TERM: one ends the process, and one does nothing.
const ON_TERM: [&str; 2] = ["exit 0", ""];

/// Runs a case many times, some at once.
async fn often<F: Future<Output = ()> + Send + 'static>(case: impl Fn(&'static str) -> F) {
    let mut running = JoinSet::new();
    for on_term in ON_TERM.into_iter().cycle().take(RUNS) {
        if running.len() == 10 {
            running.join_next().await.unwrap().unwrap();
        }
        running.spawn(case(on_term));
    }
    while let Some(done) = running.join_next().await {
        done.unwrap();
    }
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn closing_ends_every_process_of_a_wrapper() {
    often(async |on_term| {
        let (command, mut pids) = three_levels(on_term);
        let (_lab, peer, driver, child) = start(command);
        let driver = tokio::spawn(driver);
        let pids = three(&mut pids).await;
        assert_eq!(pids[0], child.pid());
        peer.close();
        soon("the end", driver).await.unwrap();
        until_gone(&pids).await;
        let exit = soon("the exit", child.wait()).await;
        // On a busy machine it may not reach its handler in time.
        assert!(exit.signal == Some(9) || !on_term.is_empty() && exit.status == Some(0), "{exit:?}");
    })
    .await;
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn who_listens_to_term_is_not_killed() {
    let (command, mut pids) = three_levels("exit 7");
    let (_lab, peer, driver, child) = start(command.grace(Duration::from_secs(5)));
    let driver = tokio::spawn(driver);
    let pids = three(&mut pids).await;
    peer.close();
    soon("the end", driver).await.unwrap();
    assert_eq!(soon("the exit", child.wait()).await.status, Some(7));
    until_gone(&pids).await;
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn dropping_the_driver_ends_every_process() {
    often(async |on_term| {
        let (command, mut pids) = three_levels(on_term);
        let (_lab, _peer, driver, child) = start(command);
        let driver = tokio::spawn(driver);
        let pids = three(&mut pids).await;
        driver.abort();
        until_gone(&pids).await;
        let exit = soon("the exit", child.wait()).await;
        assert!(exit.signal == Some(9) || !on_term.is_empty() && exit.status == Some(0), "{exit:?}");
    })
    .await;
}

#[test]
#[cfg(target_os = "linux")]
fn a_driver_dropped_outside_of_the_runtime_ends_every_process() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (pids, driver) = runtime.block_on(async {
        let (command, mut pids) = three_levels("exit 0");
        let (_lab, _peer, driver, _child) = start(command);
        (three(&mut pids).await, driver)
    });
    drop(driver);
    runtime.block_on(until_gone(&pids));
}

#[test]
#[cfg(target_os = "linux")]
fn the_end_of_the_runtime_ends_every_process() {
    use tokio::runtime::Builder;
    let gone = std::thread::spawn(|| {
        (0..RUNS)
            .map(|run| {
                let mut kind =
                    if run % 2 == 0 { Builder::new_current_thread() } else { Builder::new_multi_thread() };
                let runtime = kind.worker_threads(2).enable_all().build().unwrap();
                runtime.block_on(async {
                    let (command, mut pids) = three_levels(ON_TERM[run % 2]);
                    let (_lab, _peer, driver, _child) = start(command);
                    tokio::spawn(driver);
                    three(&mut pids).await
                })
            })
            .collect::<Vec<[u32; 3]>>()
    })
    .join()
    .unwrap();
    let start = std::time::Instant::now();
    let is_there = |pid: &u32| std::path::Path::new(&format!("/proc/{pid}")).exists();
    while gone.iter().any(|pids| is_there(&pids[0]) || pids.iter().any(|pid| is_running(*pid))) {
        assert!(start.elapsed() < GUARD, "waited in vain for the end of every process");
        std::thread::yield_now();
    }
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn what_a_dead_wrapper_leaves_behind_is_ended() {
    // The wrapper exits. Its child lives on and keeps stdout open.
    let (pids, mut receiver) = mpsc::unbounded_channel();
    let command = shell(r"/bin/sh -c 'echo $$ >&2; while :; do sleep 0.05; done' & read line; exit 5")
        .on_stderr(move |line| pids.send(line.parse().unwrap()).unwrap_or_default());
    let (lab, _events) = Lab::new();
    let (transport, _child) = Transport::process(command).unwrap();
    let (peer, driver) = connect(transport, lab, Options::default().drain(Duration::from_millis(50)));
    let driver = tokio::spawn(driver);
    let pid: u32 = soon("a process id", receiver.recv()).await.unwrap();
    let Err(CallError::Closed(CloseReason::Exited(exit))) = peer.request::<_, Value>("ask", &()).await else {
        panic!("an exit")
    };
    assert_eq!(exit.status, Some(5));
    soon("the end", driver).await.unwrap();
    until_ended(&[pid]).await;
}
