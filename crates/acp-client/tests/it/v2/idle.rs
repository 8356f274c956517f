//! The end of a turn: the session becomes idle after the prompt got its place.

use acp_client::v1::StopReason;
use acp_client::{Error, Event, Session, Turn};
use serde_json::{Value, json};

use super::{idle, state, text, with_session};
use crate::common::Wire;

/// The messages of the agent before and after the prompt, and the reason that the turn ends with.
/// `None` means that it goes on.
type Row<'r> = (&'r str, &'r str, Option<&'r str>);

/// The state of a turn after a row.
const TABLE: &[Row<'static>] = &[
    // As it should be.
    ("", "reply echo running idle:end_turn", Some("end_turn")),
    ("", "echo reply running idle:end_turn", Some("end_turn")),
    ("", "echo running reply idle:end_turn", Some("end_turn")),
    ("", "running reply echo idle:end_turn", Some("end_turn")),
    ("", "reply echo running asks running idle:cancelled", Some("cancelled")),
    ("", "reply echo asks idle:refusal", Some("refusal")),
    ("idle:end_turn", "reply echo running idle:end_turn", Some("end_turn")),
    // Idle before the reply.
    ("", "echo running idle:end_turn reply", Some("end_turn")),
    ("idle:end_turn", "echo running idle:end_turn idle:end_turn reply", Some("end_turn")),
    // Without a reason, and with one that is not known.
    ("", "reply running idle", Some("")),
    ("", "reply running idle:_bored", Some("_bored")),
    // An unknown state is work.
    ("", "reply dreaming idle:end_turn", Some("end_turn")),
    // A prompt while the agent works by itself.
    ("running", "reply echo idle:end_turn", Some("end_turn")),
    ("running", "idle:end_turn reply echo running idle:max_tokens", Some("max_tokens")),
    // It goes on: repeats, and the end of earlier work.
    ("", "reply echo", None),
    ("", "reply echo running", None),
    ("", "reply echo running asks", None),
    ("", "reply echo idle", None),
    ("", "idle reply echo", None),
    ("idle:end_turn", "reply echo idle:end_turn", None),
    ("idle:end_turn", "reply echo with-background:end_turn", None),
    ("idle:end_turn", "echo with-background:end_turn reply", None),
    ("running", "idle:end_turn reply echo", None),
    ("running", "idle:end_turn echo reply running", None),
    ("", "running idle:end_turn reply echo", None),
    ("", "other running idle:end_turn reply echo", None),
    // Agents that never report that they work.
    ("", "reply echo idle:end_turn", Some("end_turn?")),
    ("", "echo idle:end_turn reply", Some("end_turn?")),
    ("idle:end_turn", "reply echo idle:max_tokens", Some("max_tokens?")),
];

async fn play(wire: &mut Wire, prompt: Option<&Value>, steps: &str) {
    let message = |id: &str| json!({"sessionUpdate": "user_message_chunk", "messageId": id, "content": {"type": "text", "text": "hi"}});
    for step in steps.split_whitespace() {
        let update = match step.split_once(':').unwrap_or((step, "")) {
            ("reply", _) => {
                wire.answer(prompt.expect("there is one"), json!({"messageId": "m1"})).await;
                continue;
            }
            ("echo", _) => message("m1"),
            ("other", _) => message("m0"),
            ("asks", _) => state("requires_action"),
            ("idle", "") => state("idle"),
            ("idle", reason) => idle(reason),
            ("with-background", reason) => {
                let mut idle = idle(reason);
                idle["background"] = json!([{"type": "terminal", "terminalId": "t1"}]);
                idle
            }
            (other, _) => state(other),
        };
        wire.update("s1", update).await;
    }
    wire.update("s1", text("m9", "mark")).await;
}

/// Reads the events of the session up to the mark.
async fn settled(session: &Session) {
    let mut updates = session.updates();
    while updates.next().await.expect("an event").text() != Some("mark") {}
}

/// Reads the events of the turn. Returns true if the mark is among them, so that it goes on.
async fn goes_on(turn: &mut Turn) -> bool {
    while let Some(event) = turn.next().await {
        assert!(!matches!(event, Event::UserMessage(_)), "the echo is not shown");
        if event.text() == Some("mark") {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn a_turn_ends_at_the_change_to_idle() {
    for (before, after, end) in TABLE {
        let name = format!("[{before}] prompt [{after}]");
        let (session, mut wire) = with_session().await;
        play(&mut wire, None, before).await;
        settled(&session).await;
        let mut turn = session.prompt("hi").await.expect("sent");
        let prompt = wire.expect("session/prompt").await;
        play(&mut wire, Some(&prompt), after).await;
        assert_eq!(goes_on(&mut turn).await, end.is_none(), "{name}");
        if end.is_none() {
            // The end is still seen.
            play(&mut wire, None, "running idle:end_turn").await;
        }
        let response = turn.finish().await.unwrap_or_else(|error| panic!("{name}: {error}"));
        let (wanted, is_doubtful) = match end.unwrap_or("end_turn").strip_suffix('?') {
            Some(reason) => (reason, true),
            None => (end.unwrap_or("end_turn"), false),
        };
        assert_eq!(response.stop_reason().map_or("", StopReason::as_str), wanted, "{name}");
        let faults = session.agent().faults();
        let noted = faults.iter().any(|fault| fault.contains("without ever reporting that it works"));
        assert_eq!((noted, faults.is_empty()), (is_doubtful, !is_doubtful), "{name}: {faults:?}");
    }
}

#[tokio::test]
async fn work_that_fails_is_an_error_of_the_prompt() {
    let error = json!({"code": -32603, "message": "no model", "data": {"sessionId": "s1"}});
    let table = [
        (json!({"stopReason": "error", "error": error}), (-32603, "no model")),
        (json!({"stopReason": "error"}), (-32603, "the agent does not give a reason")),
        (json!({"stopReason": "error", "error": {"code": -32000, "message": "log in"}}), (-32000, "log in")),
    ];
    for (members, (code, message)) in table {
        let (session, mut wire) = with_session().await;
        let turn = session.prompt("hi").await.expect("sent");
        let prompt = wire.expect("session/prompt").await;
        play(&mut wire, Some(&prompt), "reply echo running").await;
        let mut update = state("idle");
        for (name, value) in members.as_object().expect("an object") {
            update[name] = value.clone();
        }
        wire.update("s1", update).await;
        let failed = turn.finish().await.expect_err("it failed");
        let Error::Agent { method, session: Some(id), error } = &failed else { panic!("{failed:?}") };
        assert_eq!((method.as_str(), id.as_str()), ("session/prompt", "s1"));
        assert_eq!((error.code, &*error.message), (code, message));
        assert_eq!(failed.is_auth_required(), code == -32000);
    }
}

#[tokio::test]
async fn a_prompt_that_is_refused_has_no_turn() {
    let table: [fn(&Value) -> Value; 3] = [
        |id| json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32600, "message": "busy"}}),
        |id| json!({"jsonrpc": "2.0", "id": id, "result": {}}),
        |id| json!({"jsonrpc": "2.0", "id": id, "result": {"messageId": null}}),
    ];
    for answer in table {
        let (session, mut wire) = with_session().await;
        let mut turn = session.prompt("hi").await.expect("sent");
        let prompt = wire.expect("session/prompt").await;
        wire.send(answer(&prompt["id"])).await;
        assert!(turn.next().await.is_none());
        let failed = turn.finish().await.expect_err("refused");
        assert!(matches!(failed, Error::Agent { .. } | Error::Call { .. }), "{failed:?}");
        // The session takes the next prompt.
        let turn = session.prompt("again").await.expect("sent");
        let prompt = wire.expect("session/prompt").await;
        play(&mut wire, Some(&prompt), "reply running idle:end_turn").await;
        turn.finish().await.expect("it ended");
    }
}

#[tokio::test]
async fn background_work_is_in_the_response() {
    let (session, mut wire) = with_session().await;
    for (step, wanted) in [("with-background:end_turn", Some(1)), ("idle:end_turn", None)] {
        let turn = session.prompt("hi").await.expect("sent");
        let prompt = wire.expect("session/prompt").await;
        play(&mut wire, Some(&prompt), &format!("reply running {step}")).await;
        let response = turn.finish().await.expect("it ended");
        assert_eq!(response.background().map(<[_]>::len), wanted, "{step}");
        settled(&session).await;
    }
}

#[tokio::test]
async fn a_connection_that_ends_ends_the_turn() {
    let (session, mut wire) = with_session().await;
    let turn = session.prompt("hi").await.expect("sent");
    let prompt = wire.expect("session/prompt").await;
    play(&mut wire, Some(&prompt), "reply echo running").await;
    drop(wire);
    let failed = turn.finish().await.expect_err("the agent is gone");
    assert!(matches!(&failed, Error::Closed { method, .. } if method == "session/prompt"), "{failed:?}");
}

#[tokio::test]
async fn a_session_that_is_closed_ends_the_turn() {
    for last in ["idle:cancelled", ""] {
        let (session, mut wire) = with_session().await;
        let turn = session.prompt("hi").await.expect("sent");
        let prompt = wire.expect("session/prompt").await;
        play(&mut wire, Some(&prompt), "reply echo running").await;
        let (closed, ()) = tokio::join!(session.close(), async {
            let close = wire.expect("session/close").await;
            play(&mut wire, None, last).await;
            wire.answer(&close, json!({})).await;
        });
        closed.expect("closed");
        let response = turn.finish().await.expect("it ended");
        assert_eq!(response.stop_reason(), Some(&StopReason::Cancelled), "{last}");
    }
}

#[tokio::test]
async fn a_cancelled_turn_is_read_to_its_end() {
    let (session, mut wire) = with_session().await;
    let turn = session.prompt("hi").await.expect("sent");
    let prompt = wire.expect("session/prompt").await;
    play(&mut wire, Some(&prompt), "reply echo running").await;
    turn.cancel().expect("sent");
    let cancel = wire.expect("session/cancel").await;
    assert_eq!(cancel["params"], json!({"sessionId": "s1"}));
    play(&mut wire, None, "running idle:cancelled").await;
    assert_eq!(turn.finish().await.expect("it ended").stop_reason(), Some(&StopReason::Cancelled));
}
