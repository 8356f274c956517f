//! Sessions: updates before and after the opening, and missing capabilities.

use std::sync::{Arc, Mutex};

use acp_client::v1::{McpServer, McpServerHttp, McpServerStdio};
use acp_client::{Connect, Error, Event, Session};
use serde_json::{Value, json};

use crate::common::{Wire, chunk, connected, open, with_session};

fn plain(connect: Connect) -> Connect {
    connect
}

async fn turn_texts(session: &Session, wire: &mut Wire, during: &[&str]) -> Vec<String> {
    let mut turn = session.prompt("go").await.expect("sent");
    let request = wire.expect("session/prompt").await;
    for text in during {
        wire.text(session.id().as_str(), text).await;
    }
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    let mut texts = Vec::new();
    while let Some(event) = turn.next().await {
        texts.extend(event.text().map(str::to_owned));
    }
    turn.finish().await.expect("ends");
    texts
}

#[tokio::test]
async fn updates_before_the_answer_that_names_the_session_come_first() {
    let (agent, mut wire) = connected(plain, json!({})).await;
    let (session, ()) = tokio::join!(agent.new_session("/work").into_future(), async {
        let request = wire.expect("session/new").await;
        assert_eq!(request["params"], json!({"cwd": "/work", "mcpServers": []}));
        wire.text("s1", "early 1").await;
        wire.text("s1", "early 2").await;
        wire.answer(&request, json!({"sessionId": "s1", "models": {"old": "surface"}})).await;
    });
    let session = session.expect("opened");
    assert_eq!(
        turn_texts(&session, &mut wire, &["in the turn"]).await,
        ["early 1", "early 2", "in the turn"]
    );
}

#[tokio::test]
async fn updates_after_the_turn_are_the_sessions() {
    let (session, mut wire) = with_session(plain).await;
    turn_texts(&session, &mut wire, &[]).await;
    wire.text("s1", "after").await;
    let mut updates = session.updates();
    assert_eq!(updates.next().await.expect("kept").text(), Some("after"));
    // Without a listener they wait for the next turn.
    drop(updates);
    wire.text("s1", "later").await;
    assert_eq!(turn_texts(&session, &mut wire, &["now"]).await, ["later", "now"]);
}

#[tokio::test]
async fn the_stream_of_updates_waits_while_a_turn_runs_and_ends_with_the_connection() {
    let (session, mut wire) = with_session(plain).await;
    let mut updates = session.updates();
    assert_eq!(turn_texts(&session, &mut wire, &["a", "b"]).await, ["a", "b"]);
    wire.text("s1", "after").await;
    assert_eq!(updates.next().await.expect("comes").text(), Some("after"));
    drop(wire);
    assert!(updates.next().await.is_none());
}

#[tokio::test]
async fn what_nobody_reads_is_bounded_and_what_went_is_counted() {
    let (session, mut wire) = with_session(plain).await;
    let block = "x".repeat(1024 * 1024);
    for n in 0..16 {
        wire.text("s1", &format!("{n} {block}")).await;
    }
    // An answer in between shows that everything before it has been taken in.
    let mut turn = session.prompt("go").await.expect("sent");
    let request = wire.expect("session/prompt").await;
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    let Some(Event::Missed(missed)) = turn.next().await else { panic!("the reader is told first") };
    let mut next = missed;
    while let Some(event) = turn.next().await {
        assert!(
            event.text().expect("text").starts_with(&format!("{next} ")),
            "the newest are kept, in order"
        );
        next += 1;
    }
    assert_eq!(next, 16);
    assert!((12..16).contains(&missed), "about 4 MiB are kept, {missed} of 16 were not");
}

#[tokio::test]
async fn a_loaded_session_brings_its_conversation() {
    let (agent, mut wire) = connected(plain, json!({"loadSession": true})).await;
    let (session, ()) = tokio::join!(agent.load_session("old", "/work").into_future(), async {
        let request = wire.expect("session/load").await;
        assert_eq!(request["params"], json!({"mcpServers": [], "cwd": "/work", "sessionId": "old"}));
        for n in 0..300 {
            wire.text("old", &n.to_string()).await;
        }
        // Some agents send a null for an empty result.
        wire.answer(&request, Value::Null).await;
    });
    let session = session.expect("loaded");
    let mut updates = session.updates();
    for n in 0..300 {
        assert_eq!(updates.next().await.expect("replayed").text(), Some(n.to_string().as_str()));
    }
}

#[tokio::test]
async fn what_was_not_offered_is_not_sent() {
    let (agent, mut wire) = connected(plain, json!({})).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let http = McpServer::from(McpServerHttp::new("web", "https://mcp", []));
    let refused = [
        (agent.load_session("s", "/work").await.err(), "`loadSession`"),
        (
            agent.new_session("/work").directory("/more").await.err(),
            "`sessionCapabilities.additionalDirectories`",
        ),
        (agent.new_session("/work").mcp_server(http).await.err(), "`mcpCapabilities.http`"),
        (session.set_mode("plan").await.err(), "`modes`"),
    ];
    for (error, capability) in refused {
        let error = error.expect("refused");
        assert!(matches!(error, Error::NotOffered { .. }), "{error}");
        assert!(error.to_string().contains(capability), "{error}");
    }
    let arguments = [
        (agent.new_session("relative").await.err(), "`cwd` must be an absolute path"),
        (agent.authenticate("key").await.err(), "`methodId` does not name a method that the agent lists"),
        (agent.ext_notify("session/steal", &()).await.err(), "`method` must start with `_`"),
    ];
    for (error, problem) in arguments {
        let error = error.expect("refused");
        assert!(matches!(error, Error::Argument { .. }), "{error}");
        assert!(error.to_string().contains(problem), "{error}");
    }
    agent.close().await;
    assert!(wire.next().await.is_none(), "nothing was sent");
}

#[tokio::test]
async fn what_was_offered_is_sent() {
    let offers = json!({
        "sessionCapabilities": {"additionalDirectories": {}},
        "mcpCapabilities": {"http": true},
    });
    let (agent, mut wire) = connected(plain, offers).await;
    let opening = agent
        .new_session("/work")
        .directory("/more")
        .mcp_server(McpServerHttp::new("web", "https://mcp", []))
        .mcp_server(McpServerStdio::new("local", "/bin/mcp", [], []));
    let modes = json!({"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "u://x|y", "name": "X"}]});
    let (session, ()) = tokio::join!(opening.into_future(), async {
        let request = wire.expect("session/new").await;
        assert_eq!(request["params"]["additionalDirectories"], json!(["/more"]));
        assert_eq!(request["params"]["mcpServers"][0]["type"], "http");
        assert_eq!(request["params"]["mcpServers"][1]["command"], "/bin/mcp");
        wire.answer(&request, json!({"sessionId": "s1", "modes": modes})).await;
    });
    let session = session.expect("opened");
    let error = session.set_mode("code").await.expect_err("no such mode");
    assert!(error.to_string().contains("its modes are `ask`, `u://x|y`"), "{error}");
    let (set, ()) = tokio::join!(session.set_mode("u://x|y"), async {
        let request = wire.expect("session/set_mode").await;
        assert_eq!(request["params"], json!({"sessionId": "s1", "modeId": "u://x|y"}));
        wire.answer(&request, Value::Null).await;
    });
    set.expect("switched");
}

#[tokio::test]
async fn update_handlers_see_every_update_of_every_session_in_order() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&seen);
    let set_up = move |connect: Connect| {
        connect.on_update(move |update| {
            let record = Arc::clone(&record);
            async move {
                // Gives a later update every chance to overtake.
                tokio::task::yield_now().await;
                let text = Event::from(update.update).text().map(str::to_owned);
                record.lock().expect("not poisoned").push((update.session_id.to_string(), text));
            }
        })
    };
    let (session, mut wire) = with_session(set_up).await;
    wire.text("stranger", "a").await;
    assert_eq!(turn_texts(&session, &mut wire, &["1", "2", "3"]).await, ["1", "2", "3"]);
    let seen = seen.lock().expect("not poisoned");
    let of = |id: &str| -> Vec<_> {
        seen.iter().filter(|(session, _)| session == id).filter_map(|(_, text)| text.as_deref()).collect()
    };
    // The handler is done with an update before the response of the turn arrives.
    assert_eq!(of("s1"), ["1", "2", "3"]);
    assert_eq!(of("stranger"), ["a"]);
}

#[tokio::test]
async fn an_update_that_cannot_be_read_disturbs_nobody() {
    let (session, mut wire) = with_session(plain).await;
    wire.send(json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": 5, "update": chunk("x")}}))
        .await;
    wire.update("s1", json!({"sessionUpdate": "tool_call"})).await;
    wire.send(json!({"jsonrpc": "2.0", "method": "session/update"})).await;
    assert_eq!(turn_texts(&session, &mut wire, &["fine"]).await, ["fine"]);
    let faults = session.agent().faults();
    assert_eq!(faults.len(), 3, "{faults:?}");
    assert!(faults[0].contains("`sessionId`") && faults[1].contains("toolCallId"), "{faults:?}");
}

#[tokio::test]
async fn a_session_that_was_let_go_keeps_nothing_and_can_be_loaded_again() {
    async fn load(agent: &acp_client::Agent, wire: &mut Wire, replay: &[&str]) -> Session {
        let (session, ()) = tokio::join!(agent.load_session("old", "/work").into_future(), async {
            let request = wire.expect("session/load").await;
            for text in replay {
                wire.text("old", text).await;
            }
            wire.answer(&request, json!({})).await;
        });
        session.expect("loaded")
    }
    let (agent, mut wire) = connected(plain, json!({"loadSession": true})).await;
    drop(load(&agent, &mut wire, &["never read"]).await);
    wire.text("old", "to nobody").await;
    // The answer shows that the client has taken in the update.
    wire.call(json!(1), "_unknown", json!(null)).await;
    let again = load(&agent, &mut wire, &["history"]).await;
    assert_eq!(turn_texts(&again, &mut wire, &["new"]).await, ["history", "new"]);
}

#[tokio::test]
async fn what_came_in_a_turn_is_the_turns_until_it_has_been_read_or_dropped() {
    let (session, mut wire) = with_session(plain).await;
    let mut updates = session.updates();
    let beside = tokio::spawn(async move { updates.next().await });
    let mut turn = session.prompt("go").await.expect("sent");
    let request = wire.expect("session/prompt").await;
    for text in ["one", "two"] {
        wire.text("s1", text).await;
    }
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    assert_eq!(turn.next().await.as_ref().and_then(Event::text), Some("one"));
    // The answer to a later request is here, so the turn's response is, too.
    let reply = session.agent().ext_request::<acp_client::Value>("_later", &());
    let (reply, ()) = tokio::join!(reply, async {
        let request = wire.expect("_later").await;
        wire.answer(&request, json!({})).await;
    });
    reply.expect("answered");
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    let busy = session.prompt("again").await.expect_err("the first turn has not been read");
    assert!(matches!(busy, Error::Busy { .. }), "{busy}");
    assert_eq!(turn.next().await.as_ref().and_then(Event::text), Some("two"));
    assert!(turn.next().await.is_none());
    wire.text("s1", "after").await;
    assert_eq!(beside.await.expect("reads").expect("comes").text(), Some("after"));
    assert_eq!(
        turn_texts(&session, &mut wire, &["next"]).await,
        ["next"],
        "the turn is over, though it is held"
    );
}

/// The updates of a conversation, of every kind.
fn conversation() -> [Value; 6] {
    let text = json!({"type": "text", "text": "of old"});
    [
        json!({"sessionUpdate": "user_message_chunk", "content": text}),
        json!({"sessionUpdate": "agent_thought_chunk", "content": text}),
        json!({"sessionUpdate": "agent_message_chunk", "content": text}),
        json!({"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "Look"}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed"}),
        json!({"sessionUpdate": "plan", "entries": []}),
    ]
}

async fn resumed(agent: &acp_client::Agent, wire: &mut Wire) -> Session {
    let (session, ()) = tokio::join!(agent.resume_session("old", "/work").into_future(), async {
        let request = wire.expect("session/resume").await;
        for update in conversation() {
            wire.update("old", update).await;
        }
        wire.update("old", json!({"sessionUpdate": "available_commands_update", "availableCommands": []}))
            .await;
        wire.answer(&request, json!({})).await;
        // After the answer it is news.
        wire.text("old", "new").await;
    });
    session.expect("resumed")
}

#[tokio::test]
async fn a_conversation_that_is_repeated_on_resume_is_no_turns() {
    let offered = json!({"sessionCapabilities": {"resume": {}}});
    let (agent, mut wire) = connected(plain, offered.clone()).await;
    let session = resumed(&agent, &mut wire).await;
    let mut turn = session.prompt("go").await.expect("sent");
    let request = wire.expect("session/prompt").await;
    wire.text("old", "answer").await;
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    assert!(matches!(turn.next().await, Some(Event::Commands(_))), "what is true of the session now is kept");
    let mut texts = Vec::new();
    while let Some(event) = turn.next().await {
        texts.push(event.text().expect("text").to_owned());
    }
    assert_eq!(texts, ["new", "answer"]);
    turn.finish().await.expect("ends");
    // It is not lost: a reader can still get it.
    wire.text("old", "later").await;
    let mut updates = session.updates();
    for wanted in conversation() {
        let event = updates.next().await.expect("repeated");
        let tag = match event {
            Event::UserMessage(_) => "user_message_chunk",
            Event::Thought(_) => "agent_thought_chunk",
            Event::Message(_) => "agent_message_chunk",
            Event::ToolCall(_) => "tool_call",
            Event::ToolCallUpdate(_) => "tool_call_update",
            Event::Plan(_) => "plan",
            other => panic!("{other:?}"),
        };
        assert_eq!(wanted["sessionUpdate"], tag);
    }
    assert_eq!(updates.next().await.expect("comes").text(), Some("later"));

    // Without a turn it comes in the order of the wire, apart from updates that do not belong to
    // the conversation.
    let (agent, mut wire) = connected(plain, offered).await;
    let session = resumed(&agent, &mut wire).await;
    let mut updates = session.updates();
    for _ in conversation() {
        assert!(!matches!(updates.next().await.expect("repeated"), Event::Commands(_)));
    }
    assert!(matches!(updates.next().await, Some(Event::Commands(_))));
    assert_eq!(updates.next().await.expect("comes").text(), Some("new"));
}

#[tokio::test]
async fn a_long_conversation_that_is_repeated_on_resume_leaves_a_turn_its_room() {
    let (agent, mut wire) = connected(plain, json!({"sessionCapabilities": {"resume": {}}})).await;
    let block = "x".repeat(1024 * 1024);
    let (session, ()) = tokio::join!(agent.resume_session("old", "/work").into_future(), async {
        let request = wire.expect("session/resume").await;
        for _ in 0..8 {
            wire.text("old", &block).await;
        }
        wire.answer(&request, json!({})).await;
    });
    let session = session.expect("resumed");
    // More than the capacity, in one turn that is read from its end: none of it is missed.
    let during: Vec<&str> = std::iter::repeat_n(block.as_str(), 3).collect();
    assert_eq!(turn_texts(&session, &mut wire, &during).await.len(), 3);
    let mut updates = session.updates();
    let Some(Event::Missed(missed)) = updates.next().await else { panic!("the reader is told first") };
    for _ in missed..8 {
        assert!(updates.next().await.expect("kept").text().is_some());
    }
    assert!((4..8).contains(&missed), "about 4 MiB are kept, {missed} of 8 were not");
}

#[tokio::test]
async fn handles_in_a_log_show_names_and_nothing_that_was_said() {
    let (session, mut wire) = with_session(plain).await;
    wire.text(session.id().as_str(), "a secret").await;
    let mut updates = session.updates();
    updates.next().await.expect("it came");
    wire.text(session.id().as_str(), "a secret").await;
    assert_eq!(format!("{session:?}"), r#"Session { id: SessionId("s1"), .. }"#);
    let agent = format!("{:?}", session.agent());
    assert!(agent.starts_with("Agent { info: ") && agent.len() < 200, "{agent}");
}
