//! A prompt turn: events in order, the response after them, and cancelling.

use acp_client::v1::{ContentBlock, ImageContent, StopReason};
use acp_client::{Connect, Error, Event, Session, Turn};
use futures_core::Stream;
use serde_json::{Value, json};

use crate::common::{Wire, connected, open, with_session};

fn plain(connect: Connect) -> Connect {
    connect
}

async fn prompt(session: &Session, wire: &mut Wire, text: &str) -> (Turn, Value) {
    let turn = session.prompt(text).await.expect("the prompt is sent");
    (turn, wire.expect("session/prompt").await)
}

async fn texts(turn: &mut Turn) -> Vec<String> {
    let mut texts = Vec::new();
    while let Some(event) = turn.next().await {
        texts.push(event.text().map_or_else(|| format!("{event:?}"), str::to_owned));
    }
    texts
}

#[tokio::test]
async fn events_come_in_order_and_the_response_after_them() {
    let (session, mut wire) = with_session(plain).await;
    let (mut turn, request) = prompt(&session, &mut wire, "hi").await;
    assert_eq!(request["params"], json!({"sessionId": "s1", "prompt": [{"type": "text", "text": "hi"}]}));
    for n in 0..500 {
        wire.text("s1", &n.to_string()).await;
    }
    wire.answer(&request, json!({"stopReason": "end_turn", "_meta": {"cost": 3}})).await;
    let expected: Vec<String> = (0..500).map(|n| n.to_string()).collect();
    assert_eq!(texts(&mut turn).await, expected);
    let done = turn.finish().await.expect("the turn ends well");
    assert_eq!(done.stop_reason, StopReason::EndTurn);
    assert!(done.meta.is_some(), "the full response is kept");
}

#[tokio::test]
async fn the_text_of_the_answer_comes_with_the_response() {
    let (session, mut wire) = with_session(plain).await;
    let (turn, request) = prompt(&session, &mut wire, "hi").await;
    let of = |kind: &str, content: Value| json!({"sessionUpdate": kind, "content": content});
    let text = |text: &str| json!({"type": "text", "text": text});
    for update in [
        of("agent_thought_chunk", text("Hm.")),
        of("agent_message_chunk", text("I look ")),
        json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Read"}),
        of("user_message_chunk", text("hi")),
        of("agent_message_chunk", json!({"type": "image", "data": "", "mimeType": "image/png"})),
        of("agent_message_chunk", text("at it.")),
    ] {
        wire.update("s1", update).await;
    }
    wire.answer(&request, json!({"stopReason": "max_tokens"})).await;
    let (text, done) = turn.finish_with_text().await.expect("the turn ends well");
    assert_eq!((text.as_str(), &done.stop_reason), ("I look at it.", &StopReason::MaxTokens));

    // What was read before is left out, and a failure is that of `finish`.
    let (mut turn, request) = prompt(&session, &mut wire, "again").await;
    wire.text("s1", "one").await;
    turn.next().await.expect("a piece");
    wire.text("s1", "two").await;
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    assert_eq!(turn.finish_with_text().await.expect("the turn ends well").0, "two");
    let (turn, request) = prompt(&session, &mut wire, "fail").await;
    wire.text("s1", "half").await;
    wire.fail(&request, json!({"code": -32603, "message": "no"})).await;
    assert!(matches!(turn.finish_with_text().await, Err(Error::Agent { .. })));
}

#[tokio::test]
async fn every_kind_of_update_has_its_event() {
    let (session, mut wire) = with_session(plain).await;
    let (mut turn, request) = prompt(&session, &mut wire, "hi").await;
    let text = json!({"type": "text", "text": "x"});
    let updates = [
        ("Message", json!({"sessionUpdate": "agent_message_chunk", "content": text})),
        ("Thought", json!({"sessionUpdate": "agent_thought_chunk", "content": text})),
        ("UserMessage", json!({"sessionUpdate": "user_message_chunk", "content": text})),
        ("ToolCall", json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Read"})),
        // Some agents update a call that they have not announced.
        (
            "ToolCallUpdate",
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "z", "status": "completed"}),
        ),
        ("Plan", json!({"sessionUpdate": "plan", "entries": []})),
        ("Commands", json!({"sessionUpdate": "available_commands_update", "availableCommands": []})),
        ("Mode", json!({"sessionUpdate": "current_mode_update", "currentModeId": "https://modes/plan"})),
        ("Config", json!({"sessionUpdate": "config_option_update", "configOptions": []})),
        ("Info", json!({"sessionUpdate": "session_info_update", "title": null})),
        ("Usage", json!({"sessionUpdate": "usage_update", "used": 1, "size": 2})),
        ("Notice", json!({"sessionUpdate": "notice", "severity": "info", "title": "n"})),
        (
            "Compaction",
            json!({"sessionUpdate": "compaction_update", "compactionId": "k", "status": "in_progress"}),
        ),
        (
            "CompactionSummary",
            json!({"sessionUpdate": "compaction_summary_chunk", "compactionId": "k", "content": text}),
        ),
        ("Unknown", json!({"sessionUpdate": "hologram", "beam": [1, 2]})),
    ];
    for (_, update) in &updates {
        wire.update("s1", update.clone()).await;
    }
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    for (kind, update) in updates {
        let event = turn.next().await.expect("an event for every update");
        assert!(format!("{event:?}").starts_with(&format!("{kind}(")), "{update} became {event:?}");
        if let Event::Unknown(unknown) = event {
            assert_eq!(unknown.tag(), "hologram");
            assert_eq!(unknown.members().get("beam").map(ToString::to_string).as_deref(), Some("[1,2]"));
        }
    }
    assert!(turn.next().await.is_none());
}

#[tokio::test]
async fn what_comes_after_the_response_is_not_the_turns_however_late_it_is_read() {
    let (session, mut wire) = with_session(plain).await;
    let (mut turn, request) = prompt(&session, &mut wire, "hi").await;
    wire.text("s1", "before").await;
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    wire.text("s1", "after").await;
    // When it has answered, the client has taken in everything before.
    wire.call(json!(1), "_unknown", json!(null)).await;
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert_eq!(texts(&mut turn).await, ["before"]);
    assert_eq!(session.updates().next().await.expect("kept").text(), Some("after"));
}

#[tokio::test]
async fn a_turn_is_a_stream() {
    let (session, mut wire) = with_session(plain).await;
    let (mut turn, request) = prompt(&session, &mut wire, "hi").await;
    wire.text("s1", "a").await;
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    let mut count = 0;
    while std::future::poll_fn(|cx| std::pin::Pin::new(&mut turn).poll_next(cx)).await.is_some() {
        count += 1;
    }
    assert_eq!(count, 1);
}

#[tokio::test]
async fn finish_alone_waits_for_the_response() {
    let (session, mut wire) = with_session(plain).await;
    let (turn, request) = prompt(&session, &mut wire, "hi").await;
    wire.text("s1", "unread").await;
    wire.answer(&request, json!({"stopReason": "max_tokens"})).await;
    assert_eq!(turn.finish().await.expect("ends").stop_reason, StopReason::MaxTokens);
}

#[tokio::test]
async fn an_error_of_the_agent_keeps_its_code_and_data() {
    let (session, mut wire) = with_session(plain).await;
    let (turn, request) = prompt(&session, &mut wire, "hi").await;
    wire.fail(&request, json!({"code": 429, "message": "slow down", "data": ["any", "thing"]})).await;
    let error = turn.finish().await.expect_err("the agent failed");
    let told = error.agent_error().expect("the agent said so");
    assert_eq!((told.code, &*told.message), (429, "slow down"));
    assert_eq!(told.data.as_ref().map(ToString::to_string).as_deref(), Some(r#"["any","thing"]"#));
    assert_eq!(
        error.to_string(),
        "the agent answered `session/prompt` (session `s1`) with an error: slow down (code 429): [\"any\",\"thing\"]"
    );
}

#[tokio::test]
async fn a_cancelled_turn_goes_on_until_its_response() {
    let (session, mut wire) = with_session(plain).await;
    let (mut turn, request) = prompt(&session, &mut wire, "hi").await;
    turn.cancel().expect("connected");
    turn.cancel().expect("connected");
    let cancel = wire.expect("session/cancel").await;
    assert_eq!(cancel["params"], json!({"sessionId": "s1"}));
    wire.text("s1", "late").await;
    wire.answer(&request, json!({"stopReason": "cancelled"})).await;
    assert_eq!(texts(&mut turn).await, ["late"]);
    // A second cancel would be the next message.
    let (turn, request) = tokio::join!(session.prompt("again"), wire.expect("session/prompt"));
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    let turn = turn.expect("the first turn is over");
    assert_eq!(turn.finish().await.expect("ends").stop_reason, StopReason::EndTurn);
}

#[tokio::test]
async fn a_dropped_turn_is_cancelled_and_the_next_one_waits_for_its_end() {
    let (session, mut wire) = with_session(plain).await;
    let (turn, first) = prompt(&session, &mut wire, "one").await;
    drop(turn);
    wire.expect("session/cancel").await;
    let mut second = Box::pin(session.prompt("two"));
    tokio::select! {
        biased;
        _ = &mut second => panic!("the first turn is still running"),
        () = tokio::task::yield_now() => {}
    }
    wire.answer(&first, json!({"stopReason": "cancelled"})).await;
    let (second, request) = tokio::join!(second, wire.expect("session/prompt"));
    assert_eq!(request["params"]["prompt"][0]["text"], "two");
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    assert_eq!(second.expect("sent").finish().await.expect("ends").stop_reason, StopReason::EndTurn);
}

#[tokio::test]
async fn a_late_cancel_does_not_touch_the_next_turn() {
    let (session, mut wire) = with_session(plain).await;
    let (mut first, request) = prompt(&session, &mut wire, "one").await;
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    assert!(first.next().await.is_none());
    let (second, request) = prompt(&session, &mut wire, "two").await;
    first.cancel().expect("connected");
    drop(first);
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    assert_eq!(second.finish().await.expect("ends").stop_reason, StopReason::EndTurn);
    session.agent().close().await;
    assert!(wire.next().await.is_none(), "no cancel was sent");
}

#[tokio::test]
async fn two_turns_of_one_session_do_not_overlap_and_two_sessions_do() {
    let (agent, mut wire) = connected(plain, json!({})).await;
    let one = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let two = open(&agent, &mut wire, json!({"sessionId": "s2"})).await;
    let (mut first, request_1) = prompt(&one, &mut wire, "a").await;
    let busy = one.prompt("b").await.expect_err("a turn is running");
    assert!(matches!(&busy, Error::Busy { session } if session.as_str() == "s1"), "{busy}");
    let (mut second, request_2) = prompt(&two, &mut wire, "c").await;
    wire.text("s2", "of two").await;
    wire.text("s1", "of one").await;
    wire.answer(&request_1, json!({"stopReason": "end_turn"})).await;
    wire.answer(&request_2, json!({"stopReason": "end_turn"})).await;
    assert_eq!(texts(&mut first).await, ["of one"]);
    assert_eq!(texts(&mut second).await, ["of two"]);
}

#[tokio::test]
async fn content_that_the_agent_does_not_take_is_not_sent() {
    let (agent, mut wire) = connected(plain, json!({"promptCapabilities": {"embeddedContext": true}})).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let image = ContentBlock::from(ImageContent::new("aGk=", "image/png"));
    let refused = session.prompt(vec![ContentBlock::text("see"), image]).await.expect_err("no images");
    assert_eq!(
        refused.to_string(),
        "`session/prompt` was not sent: `prompt[1]` is of kind `image`, which needs `promptCapabilities.image` \
         of the agent (session `s1`)"
    );
    // The session is free, and baseline content is always allowed.
    let (turn, request) = tokio::join!(
        session.prompt([ContentBlock::text("see"), ContentBlock::link("notes", "file:///notes")]),
        wire.expect("session/prompt")
    );
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    turn.expect("sent").finish().await.expect("ends");
}

#[tokio::test]
async fn a_reader_that_is_behind_makes_the_agent_wait_and_loses_nothing() {
    let (session, mut wire) = with_session(plain).await;
    let (mut turn, request) = prompt(&session, &mut wire, "hi").await;
    // Far more than the size of all buffers: 64 MiB.
    let (count, size) = (256_usize, 256 * 1024);
    let block = "x".repeat(size);
    let agent = tokio::spawn(async move {
        for n in 0..count {
            wire.text("s1", &format!("{n} {block}")).await;
        }
        wire.answer(&request, json!({"stopReason": "end_turn"})).await;
        wire
    });
    let mut seen = 0;
    while let Some(event) = turn.next().await {
        assert!(event.text().expect("is text").starts_with(&format!("{seen} ")), "in order, without a gap");
        seen += 1;
        // The buffers are bounded, so a flood this long cannot have been taken in as a whole.
        if seen == 1 {
            for _ in 0..1000 {
                tokio::task::yield_now().await;
            }
            assert!(!agent.is_finished(), "the agent has to wait for the reader");
        }
    }
    assert_eq!(seen, count);
    agent.await.expect("the agent was not disturbed");
}

#[tokio::test]
async fn the_reason_in_the_data_of_an_error_is_shown_and_not_logged() {
    let long = "y".repeat(5000);
    let cut = format!("{}…", "y".repeat(1000));
    // The `data` of the error, and the part of it that the user sees.
    let table = [
        (json!("the model is overloaded"), Some("the model is overloaded")),
        (json!("  in the middle\n"), Some("in the middle")),
        (json!({"message": "no credit", "code": 7}), Some("no credit")),
        (json!({"details": "no network"}), Some("no network")),
        (json!({"message": "no credit", "details": "no network"}), Some("no credit")),
        (json!({"message": "Internal error", "details": "no network"}), Some("no network")),
        (json!({"message": 7, "reason": "quota"}), Some(r#"{"message":7,"reason":"quota"}"#)),
        (json!([1, "two", null]), Some(r#"[1,"two",null]"#)),
        (json!(429), Some("429")),
        (json!(long), Some(cut.as_str())),
        // The `data` has nothing new beside the message.
        (Value::Null, None),
        (json!(""), None),
        (json!({}), None),
        (json!("Internal error"), None),
        (json!({"message": "Internal error", "details": ""}), None),
    ];
    let (session, mut wire) = with_session(|connect| connect).await;
    for (data, wanted) in table {
        let turn = session.prompt("go").await.expect("sent");
        let request = wire.expect("session/prompt").await;
        wire.fail(&request, json!({"code": -32603, "message": "Internal error", "data": data})).await;
        let error = turn.finish().await.expect_err("the agent failed");
        let text =
            "the agent answered `session/prompt` (session `s1`) with an error: Internal error (code -32603)";
        let shown = wanted.map_or_else(|| text.to_owned(), |reason| format!("{text}: {reason}"));
        assert_eq!(error.to_string(), shown, "{data}");
        assert_eq!(error.agent_error().and_then(|error| error.reason()).as_deref(), wanted, "{data}");
        // Programs log `Debug`, and this client answers another agent without this agent's payload.
        let logged = format!("{error:?}");
        assert!(!wanted.is_some_and(|reason| logged.contains(reason)), "{logged}");
        assert_eq!(error.into_rpc().message, text);
    }
    assert_eq!(session.agent().faults(), Vec::<String>::new());
}
