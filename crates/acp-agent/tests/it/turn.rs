//! All verbs of a turn, and their messages on the wire.

use std::sync::{Arc, Mutex};

use acp_agent::types::{
    ContentBlock, Diff, Notice, NoticeSeverity, PlanEntry, PlanEntryPriority, PlanEntryStatus,
    PromptResponse, SessionUpdate, ToolCallLocation, ToolKind, UsageUpdate,
};
use acp_agent::{Error, Result, StopReason, ToolCall, Turn, Value as Json, agent};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use crate::support::{Wire, check_error};

/// Does what the prompt's text says.
#[derive(Default)]
struct Actor {
    kept: Mutex<Option<Turn>>,
    gate: Arc<Notify>,
}

fn entry(text: &str, status: PlanEntryStatus) -> PlanEntry {
    PlanEntry::new(text, PlanEntryPriority::High, status)
}

#[agent]
impl Actor {
    async fn prompt(&self, turn: Turn) -> Result<PromptResponse> {
        match &*turn.text() {
            "say" => {
                turn.thought("hm").await?;
                turn.say("Hello").await?;
                turn.send(ContentBlock::link("a", "file:///a")).await?;
                turn.update(UsageUpdate::new(1_u64, 2_u64)).await?;
            }
            "plan" => {
                turn.plan([entry("look", PlanEntryStatus::Completed), entry("do", PlanEntryStatus::Pending)])
                    .await?;
            }
            "tool" => {
                let value = turn.tool(ToolCall::read("/a.txt"), async { Ok::<_, Error>(7) }).await?;
                turn.say(value.to_string()).await?;
            }
            "broken tool" => {
                let result: Result<()> = turn.tool(ToolCall::execute("make"), async { Err("no make") }).await;
                turn.say(result.unwrap_err().to_string()).await?;
            }
            "long tool" => {
                let mut tool = turn.start_tool(ToolCall::new("call-1", "Edit").kind(ToolKind::Edit)).await?;
                tool.locations([ToolCallLocation::new("/a").line(3)]).await?;
                tool.progress("reading").await?;
                tool.diff(Diff::new("/a", "new").old_text("old")).await?;
                tool.complete_with(Json::from(true)).await?;
            }
            "changed tool" => {
                let tool = turn.start_tool(ToolCall::new("call-3", "Look")).await?;
                tool.title("Look it up").await?;
                tool.kind(ToolKind::Fetch).await?;
                tool.raw_input("q").await?;
                tool.raw_output("a").await?;
                tool.complete().await?;
            }
            "lost tool" => {
                drop(turn.start_tool(ToolCall::new("call-2", "Lost")).await?);
            }
            "notice" => {
                let notice = Notice::new(NoticeSeverity::Info, "Tea is ready");
                turn.update(SessionUpdate::Notice(Box::new(notice))).await?;
            }
            "fail" => return Err("the model is out".into()),
            "refuse" => return Err(Error::invalid_params("`prompt`: too long")),
            "panic" => panic!("a mistake"),
            "keep" => *self.kept.lock().unwrap() = Some(turn.clone()),
            "wait" => self.gate.notified().await,
            other => turn.say(other).await?,
        }
        Ok(PromptResponse::new(StopReason::EndTurn))
    }
}

/// Returns the updates of a turn, and its answer.
async fn act(wire: &mut Wire, session: &str, text: &str) -> (Vec<Value>, Value) {
    let id = wire.prompt(session, text).await;
    let mut updates = Vec::new();
    loop {
        let mut message = wire.recv().await;
        if message["id"] == id {
            return (updates, message);
        }
        assert_eq!(message["params"]["sessionId"], session);
        updates.push(message["params"]["update"].take());
    }
}

async fn updates(text: &str) -> Vec<Value> {
    let (mut wire, session) = Wire::open(Actor::default(), json!({})).await;
    let (updates, answer) = act(&mut wire, &session, text).await;
    assert_eq!(answer["result"], json!({"stopReason": "end_turn"}), "{answer}");
    updates
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[tokio::test]
async fn pieces_leave_in_the_order_in_which_they_were_said() {
    assert_eq!(
        updates("say").await,
        [
            json!({"sessionUpdate": "agent_thought_chunk", "content": text("hm")}),
            json!({"sessionUpdate": "agent_message_chunk", "content": text("Hello")}),
            json!({"sessionUpdate": "agent_message_chunk",
                   "content": {"type": "resource_link", "name": "a", "uri": "file:///a"}}),
            json!({"sessionUpdate": "usage_update", "used": 1, "size": 2}),
        ]
    );
}

#[tokio::test]
async fn a_plan_is_told_whole() {
    assert_eq!(
        updates("plan").await,
        [json!({"sessionUpdate": "plan", "entries": [
            {"content": "look", "priority": "high", "status": "completed"},
            {"content": "do", "priority": "high", "status": "pending"},
        ]})]
    );
}

#[tokio::test]
async fn a_tool_is_reported_around_its_work() {
    let updates = updates("tool").await;
    let id = &updates[0]["toolCallId"];
    assert_eq!(
        updates,
        [
            json!({"sessionUpdate": "tool_call", "toolCallId": id, "title": "Read /a.txt", "kind": "read",
                   "status": "in_progress", "locations": [{"path": "/a.txt"}]}),
            json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed"}),
            json!({"sessionUpdate": "agent_message_chunk", "content": text("7")}),
        ]
    );
}

#[tokio::test]
async fn a_tool_that_fails_says_why() {
    let updates = updates("broken tool").await;
    assert_eq!(updates[1]["status"], "failed");
    assert_eq!(updates[1]["content"], json!([{"type": "content", "content": text("no make")}]));
    assert_eq!(updates[2]["content"]["text"], "no make");
}

#[tokio::test]
async fn a_tool_is_reported_step_by_step() {
    let output = json!({"type": "content", "content": text("reading")});
    let diff = json!({"type": "diff", "path": "/a", "oldText": "old", "newText": "new"});
    let update = |members: Value| {
        let mut update = json!({"sessionUpdate": "tool_call_update", "toolCallId": "call-1"});
        update.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        update
    };
    assert_eq!(
        updates("long tool").await,
        [
            json!({"sessionUpdate": "tool_call", "toolCallId": "call-1", "title": "Edit", "kind": "edit",
                   "status": "in_progress"}),
            update(json!({"locations": [{"path": "/a", "line": 3}]})),
            update(json!({"content": [output]})),
            update(json!({"content": [output, diff]})),
            update(json!({"status": "completed", "rawOutput": true})),
        ]
    );
}

#[tokio::test]
async fn a_tool_sends_just_what_changes() {
    let changes = updates("changed tool").await.split_off(1);
    let expected = [
        json!({"title": "Look it up"}),
        json!({"kind": "fetch"}),
        json!({"rawInput": "q"}),
        json!({"rawOutput": "a"}),
        json!({"status": "completed"}),
    ];
    assert_eq!(changes.len(), expected.len());
    for (update, mut expected) in changes.into_iter().zip(expected) {
        expected["sessionUpdate"] = json!("tool_call_update");
        expected["toolCallId"] = json!("call-3");
        assert_eq!(update, expected);
    }
}

#[tokio::test]
async fn a_tool_that_is_dropped_has_failed() {
    assert_eq!(
        updates("lost tool").await[1],
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "call-2", "status": "failed"})
    );
}

#[tokio::test]
async fn updates_that_the_client_has_to_offer_stay_here_when_it_does_not() {
    let (mut wire, session) = Wire::open(Actor::default(), json!({})).await;
    let (updates, answer) = act(&mut wire, &session, "notice").await;
    assert_eq!(updates, Vec::<Value>::new());
    check_error(&answer, -32603, &["session.notices"]);

    let (mut wire, session) = Wire::open(Actor::default(), json!({"session": {"notices": {}}})).await;
    let (updates, _) = act(&mut wire, &session, "notice").await;
    assert_eq!(updates, [json!({"sessionUpdate": "notice", "severity": "info", "title": "Tea is ready"})]);
}

#[tokio::test]
async fn a_handler_that_fails_or_panics_harms_nobody_else() {
    let (mut wire, session) = Wire::open(Actor::default(), json!({})).await;
    let waiting = wire.new_session().await;
    let table = [
        ("fail", -32603, "the model is out"),
        ("refuse", -32602, "`prompt`: too long"),
        ("panic", -32603, ""),
    ];
    let pending = wire.prompt(&waiting, "wait").await;
    for (text, code, message) in table {
        let (_, answer) = act(&mut wire, &session, text).await;
        check_error(&answer, code, &[message]);
        // Both the session and the connection still work.
        assert_eq!(act(&mut wire, &session, "hi").await.0[0]["content"], self::text("hi"));
    }
    wire.cancel(&waiting).await;
    assert_eq!(wire.stopped(pending).await, "cancelled");
}

#[tokio::test]
async fn a_session_has_one_turn_at_a_time() {
    let agent = Actor::default();
    let gate = Arc::clone(&agent.gate);
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let other = wire.new_session().await;
    let first = wire.prompt(&session, "wait").await;
    let second = wire.prompt(&session, "hi").await;
    check_error(&wire.answer_to(second).await, -32600, &[&session, "turn"]);
    // The turn does not concern another session. During a turn, its session cannot be loaded or
    // closed.
    assert_eq!(act(&mut wire, &other, "hi").await.0.len(), 1);
    gate.notify_one();
    assert_eq!(wire.stopped(first).await, "end_turn");
    assert_eq!(act(&mut wire, &session, "hi").await.0.len(), 1);
}

#[tokio::test]
async fn nothing_follows_the_answer() {
    let agent = Arc::new(Actor::default());
    let mut wire = Wire::serve_through(Arc::clone(&agent), 1024 * 1024);
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    act(&mut wire, &session, "keep").await;
    let turn = agent.kept.lock().unwrap().take().unwrap();
    assert!(matches!(turn.say("too late").await, Err(Error::TurnOver)));
    assert!(matches!(turn.uncancelled().say("too late").await, Err(Error::TurnOver)));
    assert!(matches!(turn.start_tool(ToolCall::edit("late")).await, Err(Error::TurnOver)));
    drop(agent);
    assert_eq!(wire.close().await, Vec::<Value>::new());
}

/// Says things from many tasks that outlive the turn.
struct Swarm;

#[agent]
impl Swarm {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let (said, mut heard) = mpsc::channel(8);
        for _ in 0..8 {
            let (turn, said) = (turn.clone(), said.clone());
            tokio::spawn(async move {
                while turn.say("buzz").await.is_ok() {
                    let _ = said.try_send(());
                }
            });
        }
        for _ in 0..20 {
            heard.recv().await;
        }
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_follows_the_answer_also_when_tasks_race_with_it() {
    let mut wire = Wire::serve_through(Arc::new(Swarm), 4096);
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    for _ in 0..20 {
        let (updates, answer) = act(&mut wire, &session, "go").await;
        assert!(updates.len() >= 20, "{} {answer}", updates.len());
        assert_eq!(answer["result"]["stopReason"], "end_turn");
        // A message after the turn's answer would be taken as the answer to this.
        wire.refused("_none", json!({}), -32601, &["_none"]).await;
    }
}

#[tokio::test]
async fn a_turn_waits_for_a_client_that_does_not_read() {
    let text = "x".repeat(1000);
    let (client, session) = {
        let mut wire = Wire::serve_through(Arc::new(Actor::default()), 256);
        wire.initialize(json!({})).await;
        let session = wire.new_session().await;
        (wire, session)
    };
    let mut wire = client;
    for _ in 0..50 {
        let (updates, _) = act(&mut wire, &session, &text).await;
        assert_eq!(updates[0]["content"]["text"], text);
    }
}
