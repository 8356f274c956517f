//! The work of a connection, as the messages that pass show it.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use acp_http::Unfinished;
use serde_json::{Value, json};

/// A message, and true if work is left after it.
enum Passed {
    Sent(Value, bool),
    Received(Value, bool),
}

use Passed::{Received, Sent};

fn is_left(unfinished: &Unfinished) -> bool {
    pin!(unfinished.none()).poll(&mut Context::from_waker(Waker::noop())) == Poll::Pending
}

fn pass(messages: &[Passed]) {
    let unfinished = Unfinished::new();
    for (number, passed) in messages.iter().enumerate() {
        let (message, expected) = match passed {
            Sent(message, left) => {
                unfinished.sent(message.to_string().as_bytes());
                (message, left)
            }
            Received(message, left) => {
                unfinished.received(message.to_string().as_bytes());
                (message, left)
            }
        };
        assert_eq!(is_left(&unfinished), *expected, "after {number}: {message}");
    }
}

fn ask(id: impl Into<Value>, method: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": {"sessionId": "s"}})
}

fn answer(id: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "result": {}})
}

fn refuse(id: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "error": {"code": 1, "message": "no"}})
}

fn state(session: &str, state: &str) -> Value {
    let update = json!({"sessionUpdate": "state_update", "state": state});
    json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}})
}

fn agreed(version: i32) -> [Passed; 2] {
    let answer = json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": version}});
    [Sent(ask(0, "initialize"), true), Received(answer, false)]
}

#[test]
fn requests_are_work_until_they_are_answered() {
    pass(&[
        Sent(ask(1, "session/list"), true),
        Sent(ask("result", "session/list"), true),
        // It is the agent's, and has the same id.
        Received(ask(1, "fs/read_text_file"), true),
        Sent(answer(1), true),
        Sent(json!({"jsonrpc": "2.0", "method": "session/cancel"}), true),
        Received(refuse("result"), true),
        Received(answer(2), true),
        Received(answer(1), false),
        Received(answer(1), false),
    ]);
}

#[test]
fn a_turn_of_version_1_ends_with_its_answer() {
    let rest = [
        Sent(ask(1, "session/prompt"), true),
        Received(state("s", "running"), true),
        Received(answer(1), false),
        Received(state("s", "running"), false),
    ];
    pass(&agreed(1).into_iter().chain(rest).collect::<Vec<_>>());
}

#[test]
fn a_turn_of_version_2_ends_when_its_session_is_idle() {
    let rest = [
        Sent(ask(1, "session/prompt"), true),
        // Nothing has told its state yet.
        Received(answer(1), true),
        Received(state("s", "running"), true),
        Received(state("s", "requires_action"), true),
        Received(state("s", "_resting"), true),
        Received(state("other", "idle"), true),
        Received(state("s", "idle"), false),
        // One that the agent begins by itself.
        Received(state("other", "running"), true),
        Received(state("s", "running"), true),
        Received(state("other", "idle"), true),
        // It is not a state.
        Received(
            json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s",
            "update": {"sessionUpdate": "agent_message_chunk", "state": "idle", "x": "state_update"}}}),
            true,
        ),
        // The session goes.
        Sent(ask(2, "session/close"), true),
        Received(refuse(2), true),
        Sent(ask(3, "session/delete"), true),
        Received(answer(3), false),
        // A prompt that is refused has no turn.
        Sent(ask(4, "session/prompt"), true),
        Received(refuse(4), false),
    ];
    pass(&agreed(2).into_iter().chain(rest).collect::<Vec<_>>());
}

fn idle(reason: Option<&str>) -> Value {
    let mut idle = state("s", "idle");
    idle["params"]["update"]["stopReason"] = reason.into();
    if reason.is_none() {
        idle["params"]["update"].as_object_mut().unwrap().remove("stopReason");
    }
    idle
}

#[test]
fn agents_differ_in_the_order_of_states_and_answers() {
    let second = || Sent(ask(2, "session/prompt"), true);
    let rest = [
        // The state before the prompt, and then that of its turn.
        Sent(ask(1, "session/prompt"), true),
        Received(answer(1), true),
        Received(idle(None), true),
        Received(state("s", "running"), true),
        Received(idle(None), false),
        // It answers in the middle.
        second(),
        Received(state("s", "running"), true),
        Received(answer(2), true),
        Received(idle(Some("end_turn")), false),
        // It answers at the end.
        second(),
        Received(state("s", "running"), true),
        Received(idle(Some("end_turn")), true),
        Received(answer(2), false),
        // It never tells that it works.
        second(),
        Received(answer(2), true),
        Received(idle(Some("end_turn")), false),
        // A prompt while it works.
        Sent(ask(1, "session/prompt"), true),
        Received(answer(1), true),
        Received(state("s", "running"), true),
        second(),
        Received(answer(2), true),
        Received(idle(Some("end_turn")), false),
    ];
    pass(&agreed(2).into_iter().chain(rest).collect::<Vec<_>>());
}

/// Somebody could send ids without an end.
#[test]
fn what_is_kept_has_a_limit() {
    let unfinished = Unfinished::new();
    unfinished.sent(ask("x".repeat(2000), "session/list").to_string().as_bytes());
    assert!(!is_left(&unfinished));
    for number in 0..2000 {
        unfinished.sent(ask(number, "session/list").to_string().as_bytes());
    }
    for number in 0..1024 {
        assert!(is_left(&unfinished));
        unfinished.received(answer(number).to_string().as_bytes());
    }
    assert!(!is_left(&unfinished));
}

#[tokio::test]
async fn all_who_wait_learn_of_the_end() {
    let unfinished = std::sync::Arc::new(Unfinished::new());
    unfinished.sent(ask(1, "session/list").to_string().as_bytes());
    let waiting: Vec<_> = (0..3)
        .map(|_| {
            let unfinished = std::sync::Arc::clone(&unfinished);
            tokio::spawn(async move { unfinished.none().await })
        })
        .collect();
    tokio::task::yield_now().await;
    unfinished.received(answer(1).to_string().as_bytes());
    for waiting in waiting {
        waiting.await.unwrap();
    }
}
