//! Updates about a session as a whole, in a turn and outside of one.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_agent::types::{
    AvailableCommand, CompactionStatus, CompactionSummaryChunk, CompactionUpdate, Cost, Diff, Notice,
    NoticeSeverity, SessionConfigBoolean, SessionConfigOption, SessionInfoUpdate, SessionUpdate,
    SetSessionModeRequest, ToolCallLocation, UsageUpdate,
};
use acp_agent::types::{SessionMode, SessionModeState};
use acp_agent::{
    Error, LoadSession, Opened, Result, Session, SessionUpdates, StopReason, ToolCall, Turn, agent,
};
use serde_json::{Value, json};

use crate::support::Wire;

/// Sends every kind of update, in a turn or by the handle that outlives it.
#[derive(Default)]
struct Teller {
    kept: Mutex<Option<SessionUpdates>>,
    closed: Arc<Mutex<Vec<String>>>,
}

macro_rules! tell {
    ($to:expr, $what:expr) => {
        match $what {
            "commands" => $to.available_commands([AvailableCommand::new("test", "Runs the tests")]).await,
            "mode" => $to.current_mode("code").await,
            "options" => {
                let on = SessionConfigOption::new("web", "Web", SessionConfigBoolean::new(true));
                $to.config_options([on]).await
            }
            "title" => $to.title("Tea").await,
            "info" => $to.session_info(SessionInfoUpdate::new().title(None::<String>)).await,
            "usage" => $to.report_usage(UsageUpdate::new(1, 2).cost(Cost::new(0.5, "EUR"))).await,
            "notice" => $to.notice(Notice::new(NoticeSeverity::Warning, "Hot")).await,
            "compaction" => $to.compaction(CompactionUpdate::new("c", CompactionStatus::InProgress)).await,
            "summary" => $to.compaction_summary(CompactionSummaryChunk::new("c", "short")).await,
            other => panic!("{other}"),
        }
    };
}

/// The verb, its update, and the capability that it needs.
fn verbs() -> [(&'static str, Value, Option<&'static str>); 9] {
    let text = json!({"type": "text", "text": "short"});
    let option = json!({"id": "web", "name": "Web", "type": "boolean", "currentValue": true});
    let command = json!({"name": "test", "description": "Runs the tests"});
    [
        (
            "commands",
            json!({"sessionUpdate": "available_commands_update", "availableCommands": [command]}),
            None,
        ),
        ("mode", json!({"sessionUpdate": "current_mode_update", "currentModeId": "code"}), None),
        (
            "options",
            json!({"sessionUpdate": "config_option_update", "configOptions": [option]}),
            Some("session.configOptions.boolean"),
        ),
        ("title", json!({"sessionUpdate": "session_info_update", "title": "Tea"}), None),
        ("info", json!({"sessionUpdate": "session_info_update", "title": null}), None),
        (
            "usage",
            json!({"sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": {"amount": 0.5, "currency": "EUR"}}),
            None,
        ),
        (
            "notice",
            json!({"sessionUpdate": "notice", "severity": "warning", "title": "Hot"}),
            Some("session.notices"),
        ),
        (
            "compaction",
            json!({"sessionUpdate": "compaction_update", "compactionId": "c", "status": "in_progress"}),
            Some("session.compaction"),
        ),
        (
            "summary",
            json!({"sessionUpdate": "compaction_summary_chunk", "compactionId": "c", "content": text}),
            Some("session.compaction"),
        ),
    ]
}

fn everything() -> Value {
    json!({"session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}}})
}

#[agent]
impl Teller {
    async fn new_session(&self) -> Result<Opened<()>> {
        Ok(Opened::new(()).modes(SessionModeState::new("ask", [SessionMode::new("ask", "Ask")])))
    }

    async fn prompt(&self, turn: Turn, session: Session<()>) -> Result<StopReason> {
        let text = turn.text();
        match text.split_once(' ') {
            Some(("turn", verb)) => tell!(turn, verb)?,
            Some(("task", verb)) => {
                // A task of the agent without a turn sends this.
                let (updates, verb) = (session.updates().clone(), verb.to_owned());
                tokio::spawn(async move { tell!(updates, &*verb) }).await.map_err(Error::other)??;
            }
            _ => *self.kept.lock().unwrap() = Some(turn.session_updates().clone()),
        }
        Ok(StopReason::EndTurn)
    }

    async fn set_mode(&self, _: SetSessionModeRequest, updates: SessionUpdates) -> Result<()> {
        updates.title("Asking").await
    }

    async fn close_session(&self, session: Session<()>) -> Result<()> {
        let error = session.updates().title("closed").await.unwrap_err();
        self.closed.lock().unwrap().push(error.to_string());
        Ok(())
    }

    async fn delete_session(&self) -> Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn each_verb_sends_its_update_in_a_turn_and_beside_it() {
    for (verb, update, _) in verbs() {
        for from in ["turn", "task"] {
            let (mut wire, session) = Wire::open(Teller::default(), everything()).await;
            let (updates, answer) = wire.turn(&session, &format!("{from} {verb}")).await;
            assert_eq!(updates, std::slice::from_ref(&update), "{answer}");
        }
    }
}

#[tokio::test]
async fn what_the_client_has_to_offer_stays_here_when_it_does_not() {
    for (verb, _, capability) in verbs() {
        for from in ["turn", "task"] {
            let (mut wire, session) = Wire::open(Teller::default(), json!({})).await;
            let (updates, answer) = wire.turn(&session, &format!("{from} {verb}")).await;
            match capability {
                None => assert_eq!(updates.len(), 1, "{answer}"),
                Some(capability) => {
                    assert_eq!(updates, Vec::<Value>::new());
                    crate::support::check_error(&answer, -32603, &[capability]);
                }
            }
        }
    }
}

#[tokio::test]
async fn other_operations_tell_about_their_session() {
    let (mut wire, session) = Wire::open(Teller::default(), json!({})).await;
    let id = wire.request("session/set_mode", json!({"sessionId": session, "modeId": "ask"})).await;
    assert_eq!(wire.update().await["title"], "Asking");
    wire.answer_to(id).await;
}

#[tokio::test]
async fn a_handle_works_on_after_its_turn_and_ends_with_the_session() {
    for method in ["session/close", "session/delete"] {
        let agent = Arc::new(Teller::default());
        let mut wire = Wire::serve_through(Arc::clone(&agent), 1024 * 1024);
        wire.initialize(json!({})).await;
        let session = wire.new_session().await;
        wire.turn(&session, "keep").await;
        let updates = agent.kept.lock().unwrap().take().unwrap();
        updates.title("later").await.unwrap();
        assert_eq!(wire.update().await["title"], "later");

        let answer = wire.call(method, json!({"sessionId": session})).await;
        assert!(answer.get("error").is_none(), "{answer}");
        updates.closed().await;
        match updates.title("too late").await {
            Err(Error::SessionClosed { session: closed }) => assert_eq!(closed.as_str(), session),
            other => panic!("{other:?}"),
        }
        drop((agent, updates));
        // The client got none of these updates.
        assert_eq!(wire.close().await, Vec::<Value>::new());
    }
}

#[tokio::test]
async fn a_session_that_is_closing_is_told_nothing_more() {
    let agent = Teller::default();
    let closed = Arc::clone(&agent.closed);
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    wire.call("session/close", json!({"sessionId": session})).await;
    let said = closed.lock().unwrap().pop().unwrap();
    assert!(said.contains(&session) && said.contains("closed"), "{said}");
}

#[tokio::test]
async fn a_client_that_is_gone_ends_a_handle() {
    let agent = Arc::new(Teller::default());
    let mut wire = Wire::serve_through(Arc::clone(&agent), 1024 * 1024);
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    wire.turn(&session, "keep").await;
    let updates = agent.kept.lock().unwrap().take().unwrap();
    wire.close().await;
    updates.closed().await;
    assert!(matches!(updates.title("gone").await, Err(Error::Call { .. })));
}

/// Sends numbers from a task of its own, until the test stops it.
struct Counter {
    sent: Arc<AtomicUsize>,
}

const COUNT: usize = 1000;

#[agent]
impl Counter {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let (updates, sent) = (turn.session_updates().clone(), Arc::clone(&self.sent));
        tokio::spawn(async move {
            for number in 0..COUNT {
                updates.title(format!("{number:01000}")).await.unwrap();
                sent.fetch_add(1, Ordering::Relaxed);
            }
        });
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn a_task_waits_for_a_client_that_does_not_read() {
    let sent = Arc::new(AtomicUsize::new(0));
    let mut wire = Wire::serve_through(Arc::new(Counter { sent: Arc::clone(&sent) }), 4096);
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    let prompt = wire.prompt(&session, "go").await;
    // Give it as many chances to run as it needs to send all.
    for _ in 0..10 * COUNT {
        tokio::task::yield_now().await;
    }
    // The updates that fit into the pipe and the budget before it, and the one that exceeded the
    // budget.
    assert!(sent.load(Ordering::Relaxed) <= 9, "{sent:?}");
    let mut next = 0;
    while next < COUNT {
        let message = wire.recv().await;
        if message["id"] != prompt {
            assert_eq!(message["params"]["update"]["title"], format!("{next:01000}"));
            next += 1;
        }
    }
}

struct Careless;

fn looked_at() -> ToolCall {
    ToolCall::new("call_1", "Look")
        .content(vec![Diff::new("./src/./main.rs", "new").into(), Diff::new("/abs/main.rs", "new").into()])
        .locations(vec![
            ToolCallLocation::new("../other/lib.rs"),
            ToolCallLocation::new(""),
            ToolCallLocation::new("C:\\notes.txt"),
        ])
}

#[agent]
impl Careless {
    async fn load_session(&self, open: LoadSession) -> Result<()> {
        open.update(SessionUpdate::ToolCall(Box::new(looked_at()))).await
    }

    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let mut tool = turn.announce_tool(looked_at()).await?;
        tool.diff(Diff::new("a", "b")).await?;
        tool.locations([ToolCallLocation::new("dir/")]).await?;
        turn.ask(&looked_at()).await?;
        tool.complete().await?;
        Ok(StopReason::EndTurn)
    }
}

/// Rule `v1-rpc-24`.
#[tokio::test]
async fn paths_leave_absolute() {
    let paths = |call: &Value| {
        let of = |member: &str| call[member].as_array().cloned().unwrap_or_default();
        let all = of("content").into_iter().chain(of("locations"));
        all.map(|item| item["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let all = ["/work/src/main.rs", "/abs/main.rs", "/work/../other/lib.rs", "/work", "C:\\notes.txt"];
    let mut wire = Wire::connect(Careless, json!({})).await;
    let load = json!({"sessionId": "s", "cwd": "/work", "mcpServers": []});
    let load = wire.request("session/load", load).await;
    assert_eq!(paths(&wire.update().await), all, "before there is a session");
    wire.answer_to(load).await;
    let prompt = wire.prompt("s", "go").await;
    assert_eq!(paths(&wire.update().await), all);
    assert_eq!(paths(&wire.update().await).last().unwrap(), "/work/a");
    assert_eq!(paths(&wire.update().await), ["/work/dir"]);
    let asked = wire.asked("session/request_permission").await;
    assert_eq!(paths(&asked["params"]["toolCall"]), all);
    wire.answer(&asked, json!({"outcome": {"outcome": "selected", "optionId": "allow-once"}})).await;
    wire.update().await;
    assert_eq!(wire.stopped(prompt).await, "end_turn");
}
