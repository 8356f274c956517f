//! Connections to `acp serve`, and the processes behind them.

use acp_client::{CloseReason, Error};

use super::{HERE, Served, acp, pipe, said, until_gone};

#[tokio::test]
async fn each_connection_has_a_process_that_ends_with_it() {
    let mut served = Served::start(&[]);
    served.until("every program of this machine can use the agent");
    let mut agents = Vec::new();
    // The second connection of each way, too.
    for remote in served.ways().into_iter().chain(served.ways()) {
        let agent = acp_client::connect(remote).await.expect("it connects");
        let session = agent.new_session(HERE).await.expect("a session");
        let pid = said(&session, "pid").await.expect("a turn");
        assert_eq!(said(&session, "pid").await.expect("a turn"), pid, "the process stays");
        assert!(agents.iter().all(|(_, other)| *other != pid), "{pid} serves two connections");
        agents.push((agent, pid));
    }
    served.until_metric("acp_agents_running", 4);
    for (agent, pid) in agents {
        agent.close().await;
        until_gone(&pid);
    }
    served.until_metric("acp_connections", 0);
    assert_eq!(served.metric("acp_agents_failed_total"), 0);
}

#[tokio::test]
async fn a_killed_agent_costs_its_connection_only() {
    let mut served = Served::start(&[]);
    let (one, other) = (served.agent().await, served.agent().await);
    let session = one.new_session(HERE).await.expect("a session");
    let error = said(&session, "die").await.expect_err("it dies");
    assert!(matches!(error, Error::Closed { .. }), "{error}");
    // A WebSocket tells a failure apart from an end.
    let reason = one.wait().await;
    let CloseReason::Io(error) = &reason else { panic!("{reason}") };
    assert!(error.to_string().contains("1011"), "{error}");
    served.until("the process was ended by signal 9");
    served.until_metric("acp_agents_failed_total", 1);
    let session = other.new_session(HERE).await.expect("a session");
    said(&session, "pid").await.expect("the other one lives");
    // An agent that leaves by itself has not failed.
    said(&session, "leave").await.expect_err("it leaves");
    assert!(matches!(other.wait().await, CloseReason::Ended));
    served.until_metric("acp_connections", 0);
    assert_eq!(served.metric("acp_agents_failed_total"), 1);
}

#[test]
fn a_killed_client_costs_its_agent() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = pipe(&folder);
    for way in ["ws", "http"] {
        let served = Served::with_file(&["--idle-time", "0"], &file);
        let url = if way == "ws" { served.ws() } else { served.http() };
        let mut client = std::process::Command::new(env!("CARGO_BIN_EXE_acp"));
        let client = client.args(["prompt", "report", "--url", &url]).stdin(std::process::Stdio::null());
        let mut client = client.spawn().expect("acp runs");
        // The agent opens the other end.
        let pid = std::fs::read_to_string(&file).expect("the agent runs");
        client.kill().expect("killed");
        client.wait().expect("it ends");
        until_gone(&pid);
        served.until_metric("acp_connections", 0);
    }
}

#[tokio::test]
async fn lines_pass_as_they_are_and_others_are_left_out() {
    let served = Served::start(&[]);
    for remote in served.ways() {
        let agent = acp_client::connect(remote).await.expect("it connects");
        let session = agent.new_session(HERE).await.expect("a session");
        assert_eq!(said(&session, "noise").await.expect("a turn"), "fine");
        assert!(agent.faults().iter().any(|fault| fault.contains("is not JSON")), "{:?}", agent.faults());
        // Long ones, in both directions.
        assert_eq!(said(&session, "long").await.expect("a turn").len(), 100_000);
        let long = "ü".repeat(2_000_000);
        let got: usize = said(&session, &long).await.expect("a turn").trim().parse().expect("a number");
        assert!((4_000_000..4_001_000).contains(&got), "{got}");
        agent.close().await;
    }
    served.until_metric("acp_lines_skipped_total", 2);
}

#[tokio::test]
async fn an_agent_that_cannot_be_started_fails_its_connections() {
    let mut served = Served::of(&[], &["there-is-no-such-program"]);
    for way in served.ways() {
        let error = acp_client::connect(way).await.expect_err("there is no agent");
        let text = error.to_string();
        assert!(text.contains("1011") || text.contains("500"), "{text}");
    }
    served.until("cannot start `there-is-no-such-program`");
    assert_eq!(served.metric("acp_agents_not_started_total"), 2);
    assert_eq!(served.metric("acp_connections"), 0);
}

#[test]
fn an_address_in_use_is_an_error() {
    let served = Served::start(&[]);
    let address = served.address.to_string();
    let (code, _, err) = acp(&["serve", "--listen", &address, "--", "sh"]);
    assert_eq!(code, 1);
    assert!(err.contains(&format!("`--listen {address}`")), "{err}");
}

/// A process that holds the stdout of an agent that is gone.
#[tokio::test]
async fn a_helper_that_an_agent_leaves_behind_is_ended() {
    let script = format!(
        "{}\ntake; sleep 1000 & give '{{\"protocolVersion\":1,\"_meta\":{{\"x\":'$!'}}}}'; take",
        crate::prompt::AGENT
    );
    let served = Served::of(&[], &["sh", "-c", &script]);
    let agent = served.agent().await;
    let answer = serde_json::to_value(agent.initialize_response()).expect("JSON");
    let pid = answer["_meta"]["x"].to_string();
    // It ends at the next message, and its helper does not.
    let _ = agent.new_session(HERE).await;
    agent.wait().await;
    until_gone(&pid);
}
