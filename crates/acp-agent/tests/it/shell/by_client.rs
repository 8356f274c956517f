//! Commands in the client's terminals.

use serde_json::{Value, json};

use super::Place;

/// Answers the requests of one command in a terminal, until it is released.
async fn serve_terminal(place: &mut Place, output: &Value, exit: &Value) -> (Vec<Value>, Value) {
    let (mut updates, mut created) = (Vec::new(), Value::Null);
    loop {
        let mut message = place.wire.recv().await;
        match message["method"].as_str().unwrap_or_default() {
            "terminal/create" => {
                place.wire.answer(&message, json!({"terminalId": "term-1"})).await;
                created = message["params"].take();
            }
            "terminal/wait_for_exit" => place.wire.answer(&message, exit.clone()).await,
            "terminal/output" => place.wire.answer(&message, output.clone()).await,
            "terminal/release" => {
                place.wire.answer(&message, json!({})).await;
                return (updates, created);
            }
            _ => updates.push(message["params"]["update"].take()),
        }
    }
}

#[tokio::test]
async fn a_clients_terminal_gives_the_same_as_a_child() {
    let mut place = Place::new(true).await;
    for how in ["run", "quiet", "in"] {
        let session = place.session.clone();
        place.wire.prompt(&session, &format!("{how} echo x")).await;
        let output = json!({"output": "x\n", "truncated": false});
        let (updates, created) = serve_terminal(&mut place, &output, &json!({"exitCode": 0})).await;
        let params = json!({"sessionId": session, "command": "sh", "args": ["-c", "echo x"],
            "cwd": place.folder.path(), "outputByteLimit": 1024 * 1024});
        assert_eq!(created, params);
        let has_terminal = updates.iter().any(|update| update["content"][0]["terminalId"] == "term-1");
        assert_eq!((has_terminal, updates.is_empty()), (how != "quiet", how == "quiet"), "{how}");
        let said = loop {
            let message = place.wire.recv().await;
            if message["params"]["update"]["sessionUpdate"] == "agent_message_chunk" {
                break message["params"]["update"]["content"]["text"].clone();
            }
        };
        assert_eq!(said, "\"x\\n\" false Some(0) None");
        place.wire.recv().await;
    }
}

#[tokio::test]
async fn a_client_that_keeps_to_nothing_is_held_to_the_limits() {
    let mut place = Place::new(true).await;
    place.wire.prompt(&place.session, "set anything").await;
    let output = json!({"output": "ä".repeat(100), "truncated": false});
    let (_, created) = serve_terminal(&mut place, &output, &json!({"signal": "SIGTERM"})).await;
    assert_eq!(created["cwd"], json!(place.folder.path().join("sub")));
    assert_eq!(created["env"], json!([{"name": "FRUIT", "value": "plum"}]));
    assert_eq!(created["outputByteLimit"], 20);
    assert_eq!(place.wire.said().await, format!("{:?} true None Some(\"SIGTERM\")", "ä".repeat(10)));
    place.wire.recv().await;
    place.wire.prompt(&place.session, "run anything").await;
    place.wire.update().await;
    let request = place.wire.asked("terminal/create").await;
    let error = json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32602, "message": "no"}});
    place.wire.send(error).await;
    assert_eq!(place.wire.update().await["status"], "failed");
    assert_eq!(place.wire.said().await, "terminal/create -32602");
}

/// Only a client that refuses to start a command says that it was not run.
#[tokio::test]
async fn a_command_whose_end_is_lost_is_not_said_to_be_not_run() {
    let mut place = Place::new(true).await;
    let error = json!({"error": {"code": -32603, "message": "no"}});
    for (failing, answer, said) in [
        ("terminal/create", &error, "terminal/create -32603"),
        ("terminal/create", &json!({"result": {}}), "lost terminal/create 0"),
        ("terminal/wait_for_exit", &error, "lost terminal/wait_for_exit -32603"),
        ("terminal/output", &error, "lost terminal/output -32603"),
        ("terminal/output", &json!({"result": {}}), "lost terminal/output 0"),
    ] {
        place.wire.prompt(&place.session, "run anything").await;
        let (mut last, mut is_released) = (Value::Null, false);
        let heard = loop {
            let mut message = place.wire.recv().await;
            match message["method"].as_str().unwrap_or_default() {
                "session/update" => match message["params"]["update"].take() {
                    update if update["sessionUpdate"] == "agent_message_chunk" => break update,
                    update => last = update,
                },
                method if method == failing => {
                    let mut answer = answer.clone();
                    answer["jsonrpc"] = json!("2.0");
                    answer["id"] = message["id"].clone();
                    place.wire.send(answer).await;
                }
                "terminal/create" => place.wire.answer(&message, json!({"terminalId": "term-1"})).await,
                "terminal/wait_for_exit" => place.wire.answer(&message, json!({"exitCode": 0})).await,
                "terminal/release" => {
                    is_released = true;
                    place.wire.answer(&message, json!({})).await;
                }
                method => panic!("{method}"),
            }
        };
        assert_eq!(heard["content"]["text"], said);
        assert_eq!(last["status"], "failed", "{failing}");
        assert_eq!(is_released, failing != "terminal/create");
        place.wire.recv().await;
    }
}

#[tokio::test]
async fn directories_of_every_system_reach_the_client_as_they_are() {
    let mut place = Place::new(true).await;
    let sub = place.folder.path().join("sub").display().to_string();
    for (cwd, sent) in [(r"C:\work", r"C:\work"), (r"\\server\share", r"\\server\share"), ("sub", &*sub)] {
        place.wire.prompt(&place.session, &format!("at {cwd}")).await;
        let output = json!({"output": "", "truncated": false});
        let (_, created) = serve_terminal(&mut place, &output, &json!({"exitCode": 0})).await;
        assert_eq!(created["cwd"], sent);
        place.wire.said().await;
        place.wire.recv().await;
    }
}
