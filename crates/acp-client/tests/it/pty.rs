//! `LocalTerminals::on_terminal`: commands that see a terminal.

#![cfg(all(feature = "pty", unix))]

use std::time::Duration;

use acp_client::{LocalTerminals, Session};
use serde_json::{Value, json};

use crate::common::{Wire, with_session};

struct Place {
    wire: Wire,
    terminals: LocalTerminals,
    _session: Session,
}

impl Place {
    async fn new() -> Self {
        let terminals = LocalTerminals::new().on_terminal(100, 30).grace(Duration::from_millis(100));
        let served = terminals.clone();
        let (session, wire) = with_session(|connect| connect.terminals(served)).await;
        Self { wire, terminals, _session: session }
    }

    async fn of(&mut self, method: &str, mut params: Value) -> Value {
        params["sessionId"] = json!("s1");
        let answer = self.wire.call(json!(method), method, params).await;
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    async fn start(&mut self, line: &str) -> Value {
        let params = json!({"command": "sh", "args": ["-c", line], "cwd": "/"});
        self.of("terminal/create", params).await["terminalId"].clone()
    }

    async fn run(&mut self, line: &str) -> Value {
        let id = self.start(line).await;
        self.of("terminal/wait_for_exit", json!({"terminalId": id})).await;
        let output = self.of("terminal/output", json!({"terminalId": id})).await;
        self.of("terminal/release", json!({"terminalId": id})).await;
        output
    }
}

#[tokio::test]
async fn a_command_sees_a_terminal() {
    let mut place = Place::new().await;
    let output = place.run("tty && test -t 0 && test -t 1 && test -t 2 && echo yes").await;
    let text = output["output"].as_str().expect("text");
    assert!(text.starts_with("/dev/") && text.ends_with("\r\nyes\r\n"), "{output}");
    for (line, expected, status) in [
        ("stty size", "30 100\r\n", json!({"exitCode": 0})),
        ("echo $TERM; exit 7", "xterm-256color\r\n", json!({"exitCode": 7})),
        // It is the controlling terminal of the process.
        ("echo mine > /dev/tty", "mine\r\n", json!({"exitCode": 0})),
        ("echo out; echo err >&2; printf 文", "out\r\nerr\r\n文", json!({"exitCode": 0})),
        ("kill -9 $$", "", json!({"signal": "SIGKILL"})),
        // Nothing is typed.
        ("cat; echo $?", "0\r\n", json!({"exitCode": 0})),
    ] {
        let output = place.run(line).await;
        assert_eq!((&output["output"], &output["exitStatus"]), (&json!(expected), &status), "{line}");
    }
}

#[tokio::test]
async fn what_a_command_prints_last_is_there_when_it_has_ended() {
    let mut place = Place::new().await;
    for _ in 0..50 {
        assert_eq!(place.run("seq 1000 | tail -n 1").await["output"], "1000\r\n");
    }
    let output = place.run("seq 100000; echo end").await;
    let text = output["output"].as_str().expect("text");
    assert!(text.starts_with("1\r\n2\r\n") && text.ends_with("100000\r\nend\r\n"), "{} bytes", text.len());
    assert_eq!(output["truncated"], false);
}

#[tokio::test]
async fn a_command_is_killed_and_released_with_what_it_started() {
    let mut place = Place::new().await;
    for method in ["terminal/kill", "terminal/release"] {
        let id = place.start("sleep 1000 & echo up; wait").await;
        let mut terminal = place.terminals.get(&id.as_str().expect("an id").into()).expect("it is there");
        while terminal.output().output != "up\r\n" {
            assert!(terminal.changed().await, "{:?}", terminal.output());
        }
        assert_eq!(place.of(method, json!({"terminalId": id})).await, json!({}));
        assert_eq!(terminal.wait().await.signal.as_deref(), Some("SIGTERM"), "{method}");
        while terminal.changed().await {}
    }
}
