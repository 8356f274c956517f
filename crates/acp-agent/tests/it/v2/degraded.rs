//! Values of an agent that have no form in one of the versions: what is written, and what is
//! reported. Each loss is reported once in a session.

use std::sync::{Arc, Mutex};

use acp_agent::types::{
    CurrentModeUpdate, Diff, PermissionOption, PermissionOptionKind, Plan, PlanEntry, SessionConfigOption,
    SessionConfigOptionCategory, SessionConfigSelect, SessionConfigSelectOption, SessionMode,
    SessionModeState, SessionUpdate, Terminal, ToolCall, ToolCallContent, ToolCallUpdate,
};
use acp_agent::{Error, NewSession, Opened, Result, Serve, StopReason, Turn, agent};
use acp_types::{Map, UnknownVariant};
use serde_json::{Value, json};

use super::hello;
use crate::support::Wire;

/// The outcome of a row in one version: the members of the update that it is about, or nothing if
/// it is not sent, and a part of the report.
struct Made {
    members: fn() -> Option<Value>,
    report: &'static str,
}

struct Row {
    name: &'static str,
    update: fn() -> SessionUpdate,
    one: Made,
    two: Made,
}

const NOTHING: &str = "";

fn call(content: impl Into<ToolCallContent>) -> SessionUpdate {
    ToolCallUpdate::new("t").content([content.into()]).into()
}

/// Changes of files, as version 2 has them.
fn changes(json: &Value) -> SessionUpdate {
    let members: Map = acp_types::from_str(&json.to_string()).unwrap();
    call(ToolCallContent::Unknown(UnknownVariant::new("diff", members)))
}

fn text(text: &str) -> Option<Value> {
    Some(json!({"content": [{"type": "content", "content": {"type": "text", "text": text}}]}))
}

const ROWS: &[Row] = &[
    Row {
        name: "a terminal of the client",
        update: || call(Terminal::new("term-1")),
        one: Made {
            members: || Some(json!({"content": [{"type": "terminal", "terminalId": "term-1"}]})),
            report: NOTHING,
        },
        two: Made { members: || Some(json!({"content": []})), report: "a terminal of the client" },
    },
    Row {
        name: "the texts of a file",
        update: || call(Diff::new("/work/a", "new\n").old_text("old\n")),
        one: Made {
            members: || {
                Some(
                    json!({"content": [{"type": "diff", "path": "/work/a", "oldText": "old\n", "newText": "new\n"}]}),
                )
            },
            report: NOTHING,
        },
        two: Made {
            members: || {
                let change = json!({"operation": "modify", "path": "/work/a", "fileType": "text"});
                Some(
                    json!({"content": [{"type": "diff", "changes": [change], "patch": {"format": "git_patch",
                    "text": "diff --git /work/a /work/a\n--- /work/a\n+++ /work/a\n@@ -1,1 +1,1 @@\n-old\n+new\n"}}]}),
                )
            },
            report: NOTHING,
        },
    },
    Row {
        name: "a patch without the texts",
        update: || {
            changes(&json!({"changes": [{"operation": "modify", "path": "/work/a"}],
                           "patch": {"format": "git_patch", "text": "@@ -1 +1 @@\n-```\n+b\n"}}))
        },
        one: Made {
            members: || text("````diff\n@@ -1 +1 @@\n-```\n+b\n````"),
            report: "changes of files without their texts",
        },
        two: Made {
            members: || {
                Some(
                    json!({"content": [{"type": "diff", "changes": [{"operation": "modify", "path": "/work/a"}],
                           "patch": {"format": "git_patch", "text": "@@ -1 +1 @@\n-```\n+b\n"}}]}),
                )
            },
            report: NOTHING,
        },
    },
    Row {
        name: "a deleted and a moved file",
        update: || {
            changes(&json!({"changes": [{"operation": "delete", "path": "/work/a"},
                           {"operation": "move", "path": "/work/c", "oldPath": "/work/b"}]}))
        },
        one: Made {
            members: || {
                Some(json!({"content": [
                    {"type": "diff", "path": "/work/a", "newText": ""},
                    {"type": "content", "content": {"type": "text", "text": "move: `/work/b` to `/work/c`"}}
                ]}))
            },
            report: "changes of files without their texts",
        },
        two: Made {
            members: || {
                Some(
                    json!({"content": [{"type": "diff", "changes": [{"operation": "delete", "path": "/work/a"},
                           {"operation": "move", "path": "/work/c", "oldPath": "/work/b"}]}]}),
                )
            },
            report: NOTHING,
        },
    },
    Row {
        name: "a kind of the agent's own",
        update: || ToolCallUpdate::new("t").kind("_brew").into(),
        one: Made { members: || Some(json!({"kind": "other"})), report: "a kind of tool call" },
        two: Made { members: || Some(json!({"kind": "_brew"})), report: NOTHING },
    },
    Row {
        name: "a status of the agent's own",
        update: || ToolCallUpdate::new("t").status("_brewing").into(),
        one: Made { members: || Some(json!({"status": "in_progress"})), report: "a status of a tool call" },
        two: Made { members: || Some(json!({"status": "_brewing"})), report: NOTHING },
    },
    Row {
        name: "a status of version 2",
        update: || ToolCallUpdate::new("t").status("cancelled").into(),
        one: Made { members: || Some(json!({"status": "failed"})), report: NOTHING },
        two: Made { members: || Some(json!({"status": "cancelled"})), report: NOTHING },
    },
    Row {
        name: "an entry of the agent's own",
        update: || Plan::new([PlanEntry::new("Brew", "_now", "_brewing")]).into(),
        one: Made {
            members: || {
                Some(json!({"entries": [{"content": "Brew", "priority": "medium", "status": "pending"}]}))
            },
            report: "a status in a plan",
        },
        two: Made {
            members: || {
                Some(json!({"plan": {"type": "items", "planId": "plan",
                            "entries": [{"content": "Brew", "priority": "_now", "status": "_brewing"}]}}))
            },
            report: NOTHING,
        },
    },
    Row {
        name: "a mode without a list of modes",
        update: || CurrentModeUpdate::new("code").into(),
        one: Made { members: || Some(json!({"currentModeId": "code"})), report: NOTHING },
        two: Made { members: || None, report: "a mode of a session without a list of modes" },
    },
];

struct Own;

#[agent]
impl Own {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        if turn.text() == "stop" {
            return Ok(StopReason::from("_tired"));
        }
        let row = ROWS.iter().find(|row| row.name == turn.text()).unwrap();
        turn.update((row.update)()).await?;
        turn.update((row.update)()).await?;
        Ok(StopReason::EndTurn)
    }
}

/// Serves an agent in this version and opens a session. Returns its id and the reports so far and
/// to come.
pub(super) async fn serve<A: acp_agent::Agent>(
    agent: A,
    version: u64,
) -> (Wire, String, Arc<Mutex<Vec<String>>>) {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&reports);
    let serve = Serve::new(agent).on_fault(move |fault| told.lock().unwrap().push(fault.to_string()));
    let mut wire = Wire::serve_as(serve);
    let mut params = if version == 2 { hello() } else { json!({"protocolVersion": 1}) };
    params[if version == 2 { "capabilities" } else { "clientCapabilities" }] =
        json!({"elicitation": {"form": {}}});
    let answer = wire.call("initialize", params).await;
    assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
    let opened = wire.call("session/new", json!({"cwd": "/work", "mcpServers": []})).await;
    let session = opened["result"]["sessionId"].as_str().unwrap().to_owned();
    (wire, session, reports)
}

/// Runs a turn, and returns its updates without states and echoes, and its end.
async fn turn(wire: &mut Wire, session: &str, text: &str) -> (Vec<Value>, Value) {
    let prompt = wire.prompt(session, text).await;
    let mut updates = Vec::new();
    loop {
        let message = wire.recv().await;
        let update = &message["params"]["update"];
        if message["id"] == prompt && message["result"]["stopReason"].is_string() {
            return (updates, message["result"]["stopReason"].clone());
        }
        if update["state"] == "idle" {
            return (updates, update["stopReason"].clone());
        }
        let kind = update["sessionUpdate"].as_str().unwrap_or("user_message");
        if !["user_message", "state_update"].contains(&kind) {
            updates.push(update.clone());
        }
    }
}

#[tokio::test]
async fn what_has_no_form_is_written_in_another_way_and_reported_once() {
    for row in ROWS {
        for (version, made) in [(1, &row.one), (2, &row.two)] {
            let (mut wire, session, reports) = serve(Own, version).await;
            let (updates, _) = turn(&mut wire, &session, row.name).await;
            let expected = (made.members)();
            assert_eq!(updates.len(), expected.iter().count() * 2, "{} {version}: {updates:?}", row.name);
            for update in &updates {
                for (name, value) in expected.as_ref().unwrap().as_object().unwrap() {
                    assert_eq!(&update[name], value, "{} {version}", row.name);
                }
            }
            let reports = reports.lock().unwrap().clone();
            let named =
                reports.iter().filter(|report| !made.report.is_empty() && report.contains(made.report));
            assert_eq!(
                named.count(),
                usize::from(!made.report.is_empty()),
                "{} {version}: {reports:?}",
                row.name
            );
            assert_eq!(reports.is_empty(), made.report.is_empty(), "{} {version}: {reports:?}", row.name);
            assert!(reports.iter().all(|report| report.contains(&session)), "{reports:?}");
        }
    }
}

#[tokio::test]
async fn a_stop_reason_of_the_agent_is_the_end_of_the_turn_in_version_1() {
    for (version, reason, reported) in [(1, "end_turn", 1), (2, "_tired", 0)] {
        let (mut wire, session, reports) = serve(Own, version).await;
        for _ in 0..2 {
            assert_eq!(turn(&mut wire, &session, "stop").await.1, reason);
        }
        assert_eq!(reports.lock().unwrap().len(), reported);
    }
}

struct Asks;

#[agent]
impl Asks {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let own = PermissionOption::new("own", "Maybe", PermissionOptionKind::from("_maybe"));
        let allow = PermissionOption::new("yes", "Yes", PermissionOptionKind::AllowOnce);
        let call = ToolCall::new("t", "Brew");
        turn.ask_with(&call, [own.clone(), allow]).await?;
        match turn.ask_with(&call, [own]).await {
            Err(Error::Unsupported { version, .. }) => turn.say(format!("not in {version}")).await?,
            other => turn.say(format!("{}", other?.option_id)).await?,
        }
        Ok(StopReason::EndTurn)
    }
}

/// Reads up to the next question.
async fn asked(wire: &mut Wire) -> Value {
    loop {
        let message = wire.recv().await;
        if message["method"] == "session/request_permission" {
            return message;
        }
    }
}

#[tokio::test]
async fn options_of_the_agents_own_are_left_out_in_version_1() {
    for (version, offered, said, reported) in [(1, 1, "not in 1", 1), (2, 2, "own", 0)] {
        let (mut wire, session, reports) = serve(Asks, version).await;
        wire.prompt(&session, "go").await;
        let question = asked(&mut wire).await;
        assert_eq!(question["params"]["options"].as_array().unwrap().len(), offered);
        wire.answer(&question, json!({"outcome": {"outcome": "selected", "optionId": "yes"}})).await;
        if version == 2 {
            let question = asked(&mut wire).await;
            wire.answer(&question, json!({"outcome": {"outcome": "selected", "optionId": "own"}})).await;
        }
        loop {
            let message = wire.recv().await;
            if message["params"]["update"]["sessionUpdate"] == "agent_message_chunk" {
                assert_eq!(message["params"]["update"]["content"]["text"], said);
                break;
            }
        }
        assert_eq!(reports.lock().unwrap().len(), reported);
    }
}

struct Both;

#[agent]
impl Both {
    async fn new_session(&self, _open: NewSession) -> Result<Opened<()>> {
        let values = [SessionConfigSelectOption::new("ask", "Ask")];
        let mut option =
            SessionConfigOption::new("own", "Mode", SessionConfigSelect::new("ask", values.to_vec()));
        option.category = Some(SessionConfigOptionCategory::Mode);
        let modes = SessionModeState::new("ask", [SessionMode::new("ask", "Ask")]);
        Ok(Opened::new(()).config_options([option]).modes(modes))
    }

    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn modes_beside_an_option_for_them_are_reported_in_version_2() {
    for (version, reported) in [(1, 0), (2, 1)] {
        let (_wire, _, reports) = serve(Both, version).await;
        assert_eq!(reports.lock().unwrap().len(), reported, "{:?}", reports.lock().unwrap());
    }
}
