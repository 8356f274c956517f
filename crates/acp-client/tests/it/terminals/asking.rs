//! Questions to the user before a command is started.

use std::sync::{Arc, Mutex};

use acp_client::LocalTerminals;
use serde_json::json;
use tokio::sync::oneshot;

use super::{Place, code};

#[tokio::test]
async fn who_is_asked_decides() {
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let terminals = LocalTerminals::new().ask({
        let asked = Arc::clone(&asked);
        move |request| {
            let line = format!("{} {:?} in {:?}", request.command, request.args, request.cwd);
            asked.lock().expect("nobody panics").push(line);
            async move { request.command == "true" }
        }
    });
    let mut place = Place::with(terminals).await;
    let params = json!({"command": "false", "args": ["x"]});
    assert_eq!(code(&place.create(params).await, "command"), -32602);
    let id = place.call("terminal/create", json!({"command": "true", "cwd": "/"})).await;
    assert!(id["result"]["terminalId"].is_string(), "{id}");
    // The user is not asked about a command that cannot be started.
    place.create(json!({"command": "true", "cwd": "relative"})).await;
    let asked = asked.lock().expect("nobody panics").clone();
    assert_eq!(asked, ["false [\"x\"] in Some(\"/\")", "true [] in Some(\"/\")"]);
}

#[tokio::test]
async fn a_question_is_withdrawn_with_its_turn_or_its_request() {
    for by_turn in [true, false] {
        let (tell, withdrawn) = oneshot::channel::<()>();
        let (told, asked) = oneshot::channel::<()>();
        let once = Mutex::new(Some((tell, told)));
        let terminals = LocalTerminals::new().ask(move |_| {
            let once = once.lock().expect("nobody panics").take();
            async move {
                let (held, told) = once.expect("it is asked once");
                told.send(()).expect("the test listens");
                std::future::pending::<()>().await;
                drop(held);
                true
            }
        });
        let mut place = Place::with(terminals).await;
        let turn = place.session.prompt("go").await.expect("sent");
        place.wire.expect("session/prompt").await;
        let params = json!({"sessionId": "s1", "command": "true", "cwd": "/"});
        let create = json!({"jsonrpc": "2.0", "id": 5, "method": "terminal/create", "params": params});
        place.wire.send(create).await;
        asked.await.expect("it is asked");
        if by_turn {
            turn.cancel().expect("sent");
            place.wire.expect("session/cancel").await;
        } else {
            let cancel = json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 5}});
            place.wire.send(cancel).await;
        }
        let answer = place.wire.receive().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(5), &json!(-32800)), "{answer}");
        assert!(withdrawn.await.is_err(), "the question is gone");
    }
}
