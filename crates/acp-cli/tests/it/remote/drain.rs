//! The end of `acp serve`.

use std::fs;

use acp_client::{CloseReason, ProtocolVersion};

use super::{HERE, Served, pipe, said, until_gone};

#[tokio::test]
async fn a_turn_in_flight_comes_to_its_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = pipe(&folder);
    for way in [0, 1] {
        let mut served = Served::with_file(&["--drain", "1000"], &file);
        let idle = acp_client::connect(served.ways()[way].clone()).await.expect("it connects");
        let busy = acp_client::connect(served.ways()[way].clone()).await.expect("it connects");
        let idle_session = idle.new_session(HERE).await.expect("a session");
        let idle_pid = said(&idle_session, "pid").await.expect("a turn");
        let session = busy.new_session(HERE).await.expect("a session");
        let pid = said(&session, "pid").await.expect("a turn");
        let mut turn = session.prompt("wait").await.expect("it is sent");
        assert_eq!(turn.next().await.expect("an update").text(), Some("waiting"));
        served.signal("-TERM");
        served.until("2 connections have 1000s to finish");
        // The one without a turn is told at once.
        let reason = idle.wait().await;
        assert!(reason.to_string().contains("1001"), "{reason}");
        until_gone(&idle_pid);
        // No new ones come, and load balancers can see that.
        assert_eq!(served.get("/healthz", "").0, 503);
        let refused = acp_client::connect(served.ways()[way].clone()).await.expect_err("it ends");
        assert!(refused.to_string().contains("503"), "{refused}");
        // The agent reads to the end of the pipe.
        fs::write(&file, "go").expect("written");
        let mut rest = String::new();
        while let Some(event) = turn.next().await {
            rest.extend(event.text());
        }
        assert_eq!(rest, "done");
        turn.finish().await.expect("it ends as it would have");
        assert!(!matches!(busy.wait().await, CloseReason::Local));
        assert_eq!(served.code(), Some(0));
        until_gone(&pid);
    }
}

/// In version 2 the answer of a prompt comes first, and then its turn.
#[tokio::test]
async fn a_turn_of_version_2_comes_to_its_end_after_its_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = pipe(&folder);
    for way in [0, 1] {
        let mut served = Served::of_version_2(&["--drain", "1000"], &file);
        let connect = acp_client::connect(served.ways()[way].clone()).versions([ProtocolVersion::V2]);
        let agent = connect.await.expect("it connects");
        let session = agent.new_session(HERE).await.expect("a session");
        // The agent has answered.
        let mut turn = session.prompt("wait").await.expect("it is answered");
        let pid = loop {
            let event = turn.next().await.expect("an update");
            if let Some(pid) = event.text() {
                break pid.to_owned();
            }
        };
        served.signal("-TERM");
        served.until("1 connections have 1000s to finish");
        assert_eq!(served.get("/healthz", "").0, 503);
        fs::write(&file, "go").expect("written");
        let mut rest = String::new();
        while let Some(event) = turn.next().await {
            rest.extend(event.text());
        }
        assert_eq!(rest, "done");
        turn.finish().await.expect("it ends as it would have");
        let reason = agent.wait().await;
        assert!(reason.to_string().contains("1001"), "{reason}");
        assert_eq!(served.code(), Some(0));
        until_gone(&pid);
    }
}

#[tokio::test]
async fn a_turn_of_version_2_that_does_not_end_is_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = pipe(&folder);
    for way in [0, 1] {
        let mut served = Served::of_version_2(&["--drain", "0", "--grace", "0"], &file);
        let connect = acp_client::connect(served.ways()[way].clone()).versions([ProtocolVersion::V2]);
        let agent = connect.await.expect("it connects");
        let session = agent.new_session(HERE).await.expect("a session");
        let mut turn = session.prompt("wait").await.expect("it is answered");
        assert!(turn.next().await.is_some());
        served.signal("-TERM");
        assert_eq!(served.code(), Some(0));
        while turn.next().await.is_some() {}
        turn.finish().await.expect_err("it is lost");
    }
}

#[tokio::test]
async fn a_turn_that_does_not_end_is_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = pipe(&folder);
    for (way, signal) in [(0, "-TERM"), (1, "-INT"), (0, "-HUP")] {
        let mut served = Served::with_file(&["--drain", "0", "--grace", "0"], &file);
        let agent = acp_client::connect(served.ways()[way].clone()).await.expect("it connects");
        let session = agent.new_session(HERE).await.expect("a session");
        let pid = said(&session, "pid").await.expect("a turn");
        let mut turn = session.prompt("wait").await.expect("it is sent");
        assert!(turn.next().await.is_some());
        served.signal(signal);
        assert_eq!(served.code(), Some(0), "{signal}");
        until_gone(&pid);
        while turn.next().await.is_some() {}
        turn.finish().await.expect_err("it is lost");
    }
}

#[tokio::test]
async fn a_second_signal_ends_everything_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = pipe(&folder);
    let mut served = Served::with_file(&["--drain", "1000", "--prestart", "1"], &file);
    served.until_metric("acp_agents_waiting", 1);
    let agent = served.agent().await;
    let session = agent.new_session(HERE).await.expect("a session");
    let pid = said(&session, "pid").await.expect("a turn");
    let mut turn = session.prompt("wait").await.expect("it is sent");
    assert!(turn.next().await.is_some());
    served.signal("-TERM");
    served.until("1 connections have 1000s");
    served.signal("-TERM");
    assert_eq!(served.code(), Some(130));
    until_gone(&pid);
}

/// A server that is killed has no chance to end anything itself.
#[tokio::test]
async fn agents_end_with_a_server_that_is_killed() {
    let mut served = Served::start(&["--prestart", "2"]);
    let agent = served.agent().await;
    let session = agent.new_session(HERE).await.expect("a session");
    let pid = said(&session, "pid").await.expect("a turn");
    served.signal("-KILL");
    assert_eq!(served.code(), None);
    until_gone(&pid);
    agent.wait().await;
}

#[test]
fn a_server_without_connections_ends_at_once() {
    let mut served = Served::start(&["--drain", "1000", "--prestart", "3"]);
    served.until_metric("acp_agents_waiting", 3);
    served.signal("-TERM");
    assert_eq!(served.code(), Some(0));
}
