//! Extension methods, in both directions.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use acp_agent::{Client, Result, Session, StopReason, Turn, Value as Json, agent};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use crate::support::{Wire, check_error};

#[derive(Default)]
struct Extended {
    events: Mutex<Vec<u64>>,
}

#[derive(Deserialize)]
struct Sum {
    left: u64,
    right: u64,
}

#[derive(Serialize)]
struct Total {
    total: u64,
}

#[agent]
impl Extended {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let client = turn.client();
        client.ext_notify("_client/event", &[1, 2]).await?;
        let answer: Json = client.ext_request("_client/ask", &"what?").await?;
        turn.say(answer.to_string()).await?;
        client.ext_request::<Json>("not/ours", &()).await?;
        Ok(StopReason::EndTurn)
    }

    #[ext("_test/echo")]
    async fn echo(&self, params: Json) -> Result<Json> {
        Ok(params)
    }

    #[ext("_test/sum")]
    async fn sum(&self, Sum { left, right }: Sum, _client: Client) -> Result<Total> {
        Ok(Total { total: left + right })
    }

    #[ext("_test/session")]
    async fn session(&self, session: Session<()>) -> Result<String> {
        Ok(session.id().to_string())
    }

    #[ext("_test/event")]
    async fn event(&self, number: u64) {
        self.events.lock().unwrap().push(number);
    }

    #[ext("_test/events")]
    async fn events(&self) -> Result<Vec<u64>> {
        Ok(self.events.lock().unwrap().clone())
    }
}

/// Rule `v1-ext-09`. Some of the numbers do not fit into a double.
#[tokio::test]
async fn numbers_of_any_length_survive_in_both_directions() {
    const NUMBERS: &str =
        r#"[18446744073709551616,-9223372036854775809,1e-400,{"a":0.12345678901234567890123}]"#;
    let (mut wire, session) = Wire::open(Extended::default(), json!({})).await;
    for params in [NUMBERS, "18446744073709551616", "1e-400"] {
        wire.send_line(&format!(
            r#"{{"params":{params},"jsonrpc":"2.0","id":1,"x":1e-500,"method":"_test/echo"}}"#
        ))
        .await;
        let line = wire.try_recv_line().await.unwrap();
        assert!(line.contains(&format!(r#""result":{params}"#)), "{line}");
    }
    wire.prompt(&session, "go").await;
    wire.recv().await;
    let id = wire.asked("_client/ask").await["id"].take();
    wire.send_line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{NUMBERS}}}"#)).await;
    assert_eq!(wire.said().await, NUMBERS);
}

#[tokio::test]
async fn params_and_results_of_any_type_survive() {
    let mut wire = Wire::connect(Extended::default(), json!({})).await;
    for value in
        [json!(null), json!(5), json!("x"), json!([1, {"b": 2.5, "a": -1}]), json!({"z": [], "_meta": 1})]
    {
        assert_eq!(wire.call("_test/echo", value.clone()).await["result"], value);
    }
}

#[tokio::test]
async fn params_are_read_as_what_the_handler_takes() {
    let mut wire = Wire::connect(Extended::default(), json!({})).await;
    let sum = json!({"left": 1, "right": 2, "more": true});
    assert_eq!(wire.call("_test/sum", sum).await["result"], json!({"total": 3}));
    let error = wire.refused("_test/sum", json!({"left": "secret"}), -32602, &[]).await;
    assert!(!error.to_string().contains("secret"), "{error}");
}

#[tokio::test]
async fn a_session_is_found_by_its_id_in_the_params() {
    let (mut wire, session) = Wire::open(Extended::default(), json!({})).await;
    assert_eq!(wire.call("_test/session", json!({"sessionId": session})).await["result"], json!(session));
    let error = wire.refused("_test/session", json!({"sessionId": "nope"}), -32002, &[]).await;
    assert_eq!(error["data"], json!({"sessionId": "nope"}));
    wire.refused("_test/session", json!({}), -32602, &["sessionId"]).await;
}

#[tokio::test]
async fn unknown_methods_are_refused_and_unknown_notifications_ignored() {
    let mut wire = Wire::connect(Extended::default(), json!({})).await;
    for method in ["_test/none", "_test/event", "initialized", "session/update"] {
        wire.notify(if method == "_test/event" { "_test/echo" } else { method }, json!({})).await;
        wire.refused(method, json!({}), -32601, &[method]).await;
    }
}

#[tokio::test]
async fn notifications_are_handled_in_order_and_bad_ones_ignored() {
    let mut wire = Wire::connect(Extended::default(), json!({})).await;
    for number in 0..100 {
        wire.notify("_test/event", json!(number)).await;
    }
    wire.notify("_test/event", json!("none")).await;
    // Requests do not wait for notifications, so ask until all have been handled.
    let expected: Vec<u64> = (0..100).collect();
    while wire.call("_test/events", Value::Null).await["result"] != json!(expected) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_agent_calls_extension_methods_of_the_client() {
    let (mut wire, session) = Wire::open(Extended::default(), json!({})).await;
    let prompt = wire.prompt(&session, "").await;
    let event = wire.recv().await;
    assert_eq!((&event["method"], &event["params"]), (&json!("_client/event"), &json!([1, 2])));
    let ask = wire.recv().await;
    assert_eq!((&ask["method"], &ask["params"]), (&json!("_client/ask"), &json!("what?")));
    wire.answer(&ask, json!({"a": [2.5], "b": 1})).await;
    assert_eq!(wire.said().await, r#"{"a":[2.5],"b":1}"#);
    // Names without `_` belong to the protocol.
    crate::support::check_error(&wire.answer_to(prompt).await, -32603, &["not/ours", "_"]);
}

/// Counts how often it was serialized.
#[derive(Default)]
struct Counted(AtomicUsize);

impl Serialize for Counted {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.0.fetch_add(1, Ordering::Relaxed);
        serializer.serialize_str("counted")
    }
}

/// Calls extension methods of the client during its turn.
#[derive(Default)]
struct Raced {
    counted: Arc<Counted>,
}

#[agent]
impl Raced {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say("first").await?;
        turn.ext_notify("_client/event", &*self.counted).await?;
        match turn.ext_request::<String>("_client/ask", &*self.counted).await {
            Ok(answer) => turn.say(answer).await?,
            Err(error) => {
                turn.uncancelled().say(error.to_string()).await?;
                return Err(error);
            }
        }
        turn.ext_request::<Json>("not/ours", &()).await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn a_turn_calls_the_client_in_the_order_of_its_verbs() {
    let agent = Raced::default();
    let counted = Arc::clone(&agent.counted);
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let prompt = wire.prompt(&session, "").await;
    assert_eq!(wire.said().await, "first");
    let event = wire.recv().await;
    assert_eq!((&event["method"], &event["params"]), (&json!("_client/event"), &json!("counted")));
    let ask = wire.asked("_client/ask").await;
    // Each message was serialized once, straight into the output buffer.
    assert_eq!(counted.0.load(Ordering::Relaxed), 2);
    wire.answer(&ask, json!("yes")).await;
    assert_eq!(wire.said().await, "yes");
    check_error(&wire.answer_to(prompt).await, -32603, &["not/ours", "`_`"]);
}

#[tokio::test]
async fn a_cancelled_turn_takes_its_call_back() {
    let (mut wire, session) = Wire::open(Raced::default(), json!({})).await;
    let prompt = wire.prompt(&session, "").await;
    wire.said().await;
    wire.recv().await;
    let ask = wire.asked("_client/ask").await;
    wire.cancel(&session).await;
    let cancel = wire.recv().await;
    assert_eq!((&cancel["method"], &cancel["params"]["requestId"]), (&json!("$/cancel_request"), &ask["id"]));
    // The handler has noticed the cancellation, and ends by itself.
    assert_eq!(wire.said().await, "cancelled by the client");
    assert_eq!(wire.stopped(prompt).await, "cancelled");
}
