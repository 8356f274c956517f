//! Processes that are started before their connection comes.

use std::collections::HashSet;

use super::{HERE, Served, kill, said, until_gone};

#[tokio::test]
async fn a_started_process_serves_one_connection_and_no_other() {
    let served = Served::start(&["--prestart", "2"]);
    served.until_metric("acp_agents_waiting", 2);
    assert_eq!(served.metric("acp_agents_started_total"), 2);
    let mut pids = HashSet::new();
    let mut agents = Vec::new();
    for number in 0..6 {
        let agent = acp_client::connect(served.ways()[number % 2].clone()).await.expect("it connects");
        let session = agent.new_session(HERE).await.expect("a session");
        let pid = said(&session, "pid").await.expect("a turn");
        assert!(pids.insert(pid.clone()), "{pid} was there before");
        // Some go before the next one comes, and some stay.
        if number < 3 {
            agent.close().await;
            until_gone(&pid);
        } else {
            agents.push(agent);
        }
    }
    served.until_metric("acp_agents_waiting", 2);
    assert_eq!(served.metric("acp_agents_started_total"), 8);
    assert_eq!(served.metric("acp_agents_running"), 3);
}

#[tokio::test]
async fn a_process_that_died_while_it_waited_is_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = folder.path().join("pids").display().to_string();
    let script = format!("echo $$ >> \"$1\"\n{}{}", crate::prompt::AGENT, super::OBEDIENT);
    let mut served = Served::of(&["--prestart", "1"], &["sh", "-c", &script, "sh", &list]);
    let pids = || std::fs::read_to_string(&list).unwrap_or_default();
    // The shell has started when its line is there.
    while !pids().ends_with('\n') {
        std::thread::yield_now();
    }
    let first = pids().trim().to_owned();
    kill("-KILL", first.parse().expect("a number"));
    served.until("an agent ended before it had a client: the process was ended by signal 9");
    let agent = served.agent().await;
    let session = agent.new_session(HERE).await.expect("a session");
    assert_ne!(said(&session, "pid").await.expect("a turn"), first);
    served.until_metric("acp_agents_waiting", 1);
}

#[test]
fn a_program_that_is_not_there_is_told() {
    let mut served = Served::of(&["--prestart", "1"], &["there-is-no-such-program"]);
    served.until("cannot start `there-is-no-such-program`");
    served.signal("-TERM");
    assert_eq!(served.code(), Some(0));
}
