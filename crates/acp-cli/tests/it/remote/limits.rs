//! The limits of `acp serve`, each at its extremes.

use std::io::Write as _;
use std::net::TcpStream;

use super::{HERE, Served, said, until_gone};

#[tokio::test]
async fn connections_have_limits() {
    // No connection at all.
    for option in ["--connections", "--connections-per-principal", "--connections-per-address"] {
        let served = Served::start(&[option, "0"]);
        for remote in served.ways() {
            let refused = acp_client::connect(remote).await.expect_err("it is full").to_string();
            assert!(refused.contains("503") || refused.contains("429"), "{option}: {refused}");
        }
        assert_eq!(served.metric("acp_agents_started_total"), 0, "{option}");
    }
    // One, and the next one when it has gone.
    let served = Served::start(&["--connections-per-principal", "1"]);
    for _ in 0..2 {
        let agent = served.agent().await;
        let refused = acp_client::connect(acp_http::ws(served.ws())).await.expect_err("there is one");
        assert!(refused.to_string().contains("429"), "{refused}");
        agent.close().await;
        served.until_metric("acp_connections", 0);
    }
}

#[tokio::test]
async fn messages_of_clients_have_a_limit() {
    let served = Served::start(&["--message", "2000"]);
    for (way, remote) in served.ways().into_iter().enumerate() {
        let agent = acp_client::connect(remote).await.expect("it connects");
        let session = agent.new_session(HERE).await.expect("a session");
        said(&session, &"x".repeat(1000)).await.expect("a turn");
        let error = said(&session, &"x".repeat(2000)).await.expect_err("it is too long").to_string();
        // Over HTTP only the request fails.
        assert!(error.contains(if way == 0 { "1009" } else { "413" }), "{error}");
        if way == 1 {
            said(&session, "pid").await.expect("it goes on");
        }
        agent.close().await;
    }
    // Nothing fits.
    let served = Served::start(&["--message", "0"]);
    for remote in served.ways() {
        acp_client::connect(remote).await.expect_err("it is too long");
    }
}

#[tokio::test]
async fn lines_of_agents_have_a_limit() {
    let mut served = Served::start(&["--message", "50000", "--buffer", "0"]);
    let agent = served.agent().await;
    let session = agent.new_session(HERE).await.expect("a session");
    let pid = said(&session, "pid").await.expect("a turn");
    let error = said(&session, "long").await.expect_err("nobody takes it").to_string();
    assert!(error.contains("1011"), "{error}");
    served.until("a line is longer than the limit of 50000 bytes");
    until_gone(&pid);
}

#[tokio::test]
async fn an_agent_that_does_not_answer_initialize_is_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = folder.path().join("pids").display().to_string();
    let script = "echo $$ >> \"$1\"; while read -r line; do :; done";
    let served = Served::of(&["--initialize-time", "0.1"], &["sh", "-c", script, "sh", &list]);
    for remote in served.ways() {
        acp_client::connect(remote).await.expect_err("it does not answer");
    }
    served.until_metric("acp_connections", 0);
    for pid in std::fs::read_to_string(&list).expect("is there").lines() {
        until_gone(pid);
    }
}

/// An agent that writes on and on to a client that does not read waits for it.
#[test]
fn a_client_that_does_not_read_slows_its_agent_down() {
    let script = format!(
        "{}\ntake; give '{{\"protocolVersion\":1}}'; while :; do say 0123456789; done",
        crate::prompt::AGENT
    );
    let served = Served::of(&["--buffer", "10000"], &["sh", "-c", &script]);
    // Nobody opens a stream, but the connection is there.
    let body = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#;
    let head = format!(
        "host: {}\r\ncontent-type: application/json\r\ncontent-length: {}",
        served.address,
        body.len()
    );
    let mut socket = TcpStream::connect(served.address).expect("it listens");
    write!(socket, "POST /acp HTTP/1.1\r\n{head}\r\n\r\n{body}").expect("is written");
    let to_client = "acp_passed_bytes_total{to=\"client\"}";
    let (mut before, mut same) = (0, 0);
    // It stops growing.
    while same < 200 {
        let now = served.metric(to_client);
        same = if now == before && now > 0 { same + 1 } else { 0 };
        before = now;
    }
    assert!((4_000..20_000).contains(&before), "{before}");
    assert_eq!(served.metric("acp_connections"), 1);
}
