//! Sessions that cannot be used for now: the reason, and the wait.

mod waiting;

use std::time::{Duration, UNIX_EPOCH};

use acp_client::types::SessionId;
use acp_client::{Error, StoreProblem};
use serde_json::{Value, json};

use crate::common::{connected, with_session};

const MESSAGE: &str = "session `s1` is open elsewhere";

fn busy(until: Option<u64>) -> StoreProblem {
    let until = until.map(|millis| UNIX_EPOCH + Duration::from_millis(millis));
    StoreProblem::Busy { session: SessionId::from("s1"), until }
}

/// The `data` of errors, and the problems that they state.
fn table() -> Vec<(Value, Option<StoreProblem>)> {
    let of = |problem: Value| json!({"acp-rs/store": problem});
    let changed = StoreProblem::Changed { session: SessionId::from("s1") };
    vec![
        (
            of(json!({"kind": "busy", "sessionId": "s1", "until": "2026-01-31T12:00:00.250Z"})),
            Some(busy(Some(1_769_860_800_250))),
        ),
        (of(json!({"kind": "busy", "sessionId": "s1"})), Some(busy(None))),
        (of(json!({"kind": "busy", "sessionId": "s1", "until": null, "holder": "x"})), Some(busy(None))),
        (of(json!({"kind": "busy", "sessionId": "s1", "until": 5})), Some(busy(None))),
        (of(json!({"kind": "changed", "sessionId": "s1"})), Some(changed)),
        (of(json!({"kind": "unavailable"})), Some(StoreProblem::Unavailable)),
        (of(json!({"kind": "frozen", "sessionId": "s1"})), None),
        (of(json!({"kind": "busy", "sessionId": 1})), None),
        (of(json!({"kind": "busy"})), None),
        (of(json!({"kind": {}})), None),
        (of(json!("busy")), None),
        (of(Value::Null), None),
        (json!({"kind": "busy", "sessionId": "s1"}), None),
        (json!({"sessionId": "s1"}), None),
        (json!("busy"), None),
        (json!(["acp-rs/store"]), None),
        (json!(7), None),
        (Value::Null, None),
    ]
}

fn refused(data: &Value) -> Value {
    json!({"code": -32600, "message": MESSAGE, "data": data})
}

#[tokio::test]
async fn a_session_that_is_open_elsewhere_can_be_told_from_other_errors() {
    let offered = json!({"loadSession": true, "sessionCapabilities": {"resume": {}}});
    let (agent, mut wire) = connected(|connect| connect, offered).await;
    for (data, problem) in table() {
        let (loaded, ()) = tokio::join!(agent.load_session("s1", "/work").into_future(), async {
            let request = wire.expect("session/load").await;
            wire.fail(&request, refused(&data)).await;
        });
        let (resumed, ()) = tokio::join!(agent.resume_session("s1", "/work").into_future(), async {
            let request = wire.expect("session/resume").await;
            wire.fail(&request, refused(&data)).await;
        });
        for error in [loaded.expect_err("refused"), resumed.expect_err("refused")] {
            assert_eq!(error.store_problem(), problem, "{data}");
        }
    }
    // The code does not matter, and neither does an error without `data`.
    for (error, problem) in [
        (json!({"code": -32600, "message": MESSAGE}), None),
        (
            json!({"code": -32603, "message": "", "data": {"acp-rs/store": {"kind": "unavailable"}}}),
            Some(StoreProblem::Unavailable),
        ),
    ] {
        let (loaded, ()) = tokio::join!(agent.load_session("s1", "/work").into_future(), async {
            let request = wire.expect("session/load").await;
            wire.fail(&request, error).await;
        });
        assert_eq!(loaded.expect_err("refused").store_problem(), problem);
    }
}

#[tokio::test]
async fn a_turn_can_end_with_the_problem() {
    let (session, mut wire) = with_session(|connect| connect).await;
    for (data, problem) in table() {
        let turn = session.prompt("go").await.expect("sent");
        let prompt = wire.expect("session/prompt").await;
        wire.fail(&prompt, refused(&data)).await;
        assert_eq!(turn.finish().await.expect_err("refused").store_problem(), problem, "{data}");
    }
}

#[cfg(feature = "v2")]
#[tokio::test]
async fn version_2_tells_the_problem_too() {
    use crate::v2;

    let (agent, mut wire) = v2::connected(|connect| connect, json!({"session": {}})).await;
    for (data, problem) in table() {
        let (resumed, ()) = tokio::join!(agent.resume_session("s1", "/work").into_future(), async {
            let request = wire.expect("session/resume").await;
            wire.fail(&request, refused(&data)).await;
        });
        assert_eq!(resumed.expect_err("refused").store_problem(), problem, "{data}");
    }
    for (data, problem) in table() {
        let (session, mut wire) = v2::with_session().await;
        let turn = session.prompt("go").await.expect("sent");
        let prompt = wire.expect("session/prompt").await;
        wire.answer(&prompt, json!({"messageId": "m1"})).await;
        wire.update("s1", v2::state("running")).await;
        let mut idle = v2::idle("error");
        idle["error"] = refused(&data);
        wire.update("s1", idle).await;
        assert_eq!(turn.finish().await.expect_err("it failed").store_problem(), problem, "{data}");
    }
}

#[tokio::test]
async fn the_text_does_not_repeat_the_data() {
    let (session, mut wire) = with_session(|connect| connect).await;
    let told = |problem: Value| json!({"acp-rs/store": problem});
    for (data, is_shown) in [
        (told(json!({"kind": "busy", "sessionId": "s1", "until": "2026-01-31T12:00:00.250Z"})), false),
        (told(json!({"kind": "unavailable"})), false),
        (told(json!({"kind": "frozen"})), true),
    ] {
        let turn = session.prompt("go").await.expect("sent");
        let prompt = wire.expect("session/prompt").await;
        wire.fail(&prompt, refused(&data)).await;
        let text = turn.finish().await.expect_err("refused").to_string();
        assert!(text.contains(MESSAGE), "{text}");
        assert_eq!(text.contains("acp-rs/store"), is_shown, "{text}");
    }
}

#[test]
fn errors_of_the_client_itself_have_no_problem() {
    let data = json!({"acp-rs/store": {"kind": "unavailable"}}).to_string();
    let own = acp_client::RpcError::internal("").with_data(data.parse::<acp_client::Value>().expect("JSON"));
    assert_eq!(Error::Rpc(own).store_problem(), None);
    assert_eq!(Error::Busy { session: SessionId::from("s1") }.store_problem(), None);
}
