//! Opening, finding and closing sessions.

use std::collections::HashSet;
use std::sync::Mutex;

use acp_agent::types::{
    SessionConfigOption, SessionConfigSelect, SessionConfigSelectOption, SessionMode, SessionModeState,
    SetSessionModeRequest,
};
use acp_agent::{Error, LoadSession, NewSession, Opened, Result, Session, StopReason, Turn, agent};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::support::Wire;

/// Remembers the directory and the prompts of each session.
struct Notebook;

struct Notes {
    cwd: String,
    lines: Mutex<Vec<String>>,
    mode: Mutex<String>,
}

impl Notes {
    fn new(cwd: &std::path::Path) -> Self {
        Notes { cwd: cwd.display().to_string(), lines: Mutex::default(), mode: Mutex::new("ask".to_owned()) }
    }
}

fn modes() -> SessionModeState {
    SessionModeState::new("ask", [SessionMode::new("ask", "Ask"), SessionMode::new("code", "Code")])
}

#[agent(name = "notebook")]
impl Notebook {
    async fn new_session(&self, open: NewSession) -> Result<Opened<Notes>> {
        if open.cwd().ends_with("locked") {
            return Err(Error::auth_required());
        }
        let opened = Opened::new(Notes::new(open.cwd()));
        Ok(match open.cwd().file_name().and_then(|name| name.to_str()) {
            Some("modes") => opened.modes(modes()),
            Some("named") => opened.session_id("my-own-id"),
            _ => opened,
        })
    }

    async fn load_session(&self, open: LoadSession) -> Result<Notes> {
        if open.session_id().as_str() == "lost" {
            return Err(Error::unknown_session(open.session_id()));
        }
        Ok(Notes::new(open.cwd()))
    }

    async fn prompt(&self, notes: Session<Notes>, turn: Turn) -> Result<StopReason> {
        let text = turn.text();
        let all = {
            let mut lines = notes.lines.lock().unwrap();
            lines.push(text);
            lines.join(",")
        };
        let mode = notes.mode.lock().unwrap().clone();
        turn.say(format!("{} {mode} {all}", notes.cwd)).await?;
        Ok(StopReason::EndTurn)
    }

    async fn set_mode(&self, set: SetSessionModeRequest, notes: Session<Notes>) -> Result<()> {
        assert_eq!(notes.id(), &set.session_id);
        *notes.mode.lock().unwrap() = set.mode_id.to_string();
        Ok(())
    }

    async fn close_session(&self, notes: Session<Notes>) -> Result<()> {
        notes.lines.lock().unwrap().clear();
        Ok(())
    }
}

async fn say(wire: &mut Wire, session: &str, text: &str) -> String {
    let prompt = wire.prompt(session, text).await;
    let said = wire.said().await;
    assert_eq!(wire.stopped(prompt).await, "end_turn");
    said
}

#[tokio::test]
async fn sessions_have_ids_and_states_of_their_own() {
    let mut wire = Wire::connect(Notebook, json!({})).await;
    let mut ids = HashSet::new();
    for _ in 0..200 {
        assert!(ids.insert(wire.new_session().await));
    }
    let mut ids = ids.into_iter();
    let (one, two) = (ids.next().unwrap(), ids.next().unwrap());
    assert_eq!(say(&mut wire, &one, "a").await, "/work ask a");
    assert_eq!(say(&mut wire, &two, "x").await, "/work ask x");
    assert_eq!(say(&mut wire, &one, "b").await, "/work ask a,b");
}

#[tokio::test]
async fn an_agent_may_choose_the_id_of_a_session() {
    let mut wire = Wire::connect(Notebook, json!({})).await;
    let params = json!({"cwd": "/named", "mcpServers": []});
    let answer = wire.call("session/new", params.clone()).await;
    assert_eq!(answer["result"]["sessionId"], "my-own-id");
    assert_eq!(say(&mut wire, "my-own-id", "a").await, "/named ask a");
    // The same session cannot be opened twice.
    wire.refused("session/new", params, -32603, &["my-own-id"]).await;
    assert_eq!(say(&mut wire, "my-own-id", "b").await, "/named ask a,b");
}

#[tokio::test]
async fn setup_needs_absolute_paths_and_names_the_field() {
    let mut wire = Wire::connect(Notebook, json!({})).await;
    let table = [
        (json!({"cwd": ".", "mcpServers": []}), "cwd"),
        (json!({"cwd": "", "mcpServers": []}), "cwd"),
        (json!({"cwd": "work/dir", "mcpServers": []}), "cwd"),
        (json!({"mcpServers": []}), "cwd"),
        (json!({"cwd": 5, "mcpServers": []}), "cwd"),
        (json!({"cwd": "/"}), "mcpServers"),
        (
            json!({"cwd": "/", "mcpServers": [], "additionalDirectories": ["/a", "b"]}),
            "additionalDirectories[1]",
        ),
        (
            json!({"cwd": "/", "mcpServers": [], "additionalDirectories": ["/a", 42]}),
            "additionalDirectories[1]",
        ),
        (json!({"cwd": "/", "mcpServers": [42]}), "mcpServers[0]"),
    ];
    for (params, field) in table {
        wire.refused("session/new", params.clone(), -32602, &[field]).await;
        let mut load = params;
        load["sessionId"] = json!("old");
        wire.refused("session/load", load, -32602, &[field]).await;
    }
    let null_list = json!({"cwd": "/", "mcpServers": null});
    assert!(wire.call("session/new", null_list).await["result"]["sessionId"].is_string());
}

/// In this version the tag is a member that the protocol does not name (rules `v1-rpc-20`,
/// `v1-mcp-01`).
#[tokio::test]
async fn servers_that_are_started_may_say_that_they_are() {
    let mut wire = Wire::connect(Notebook, json!({})).await;
    let server = json!({"type": "stdio", "name": "n", "command": "/c", "args": [], "env": [], "future": 1});
    let answer = wire.call("session/new", json!({"cwd": "/", "mcpServers": [server]})).await;
    assert!(answer["result"]["sessionId"].is_string(), "{answer}");
    let later = json!({"type": "later", "name": "n", "command": "/c", "args": [], "env": []});
    wire.refused("session/new", json!({"cwd": "/", "mcpServers": [later]}), -32602, &["mcpServers[0]"]).await;
}

#[tokio::test]
async fn unknown_sessions_are_named_in_the_data() {
    let mut wire = Wire::connect(Notebook, json!({})).await;
    let table = [
        ("session/prompt", json!({"sessionId": "nope", "prompt": []})),
        ("session/set_mode", json!({"sessionId": "nope", "modeId": "ask"})),
        ("session/close", json!({"sessionId": "nope"})),
    ];
    for (method, params) in table {
        let error = wire.refused(method, params, -32002, &["session"]).await;
        assert_eq!(error["data"], json!({"sessionId": "nope"}), "{method}");
    }
    let lost = json!({"sessionId": "lost", "cwd": "/", "mcpServers": []});
    let error = wire.refused("session/load", lost, -32002, &[]).await;
    assert_eq!(error["data"], json!({"sessionId": "lost"}));
    // Loading failed, so the session does not exist.
    wire.refused("session/prompt", json!({"sessionId": "lost", "prompt": []}), -32002, &[]).await;
}

#[tokio::test]
async fn errors_of_handlers_keep_their_code() {
    let mut wire = Wire::connect(Notebook, json!({})).await;
    let params = json!({"cwd": "/locked", "mcpServers": []});
    wire.refused("session/new", params, -32000, &["authenticate"]).await;
}

#[tokio::test]
async fn a_loaded_session_is_open() {
    let mut wire = Wire::connect(Notebook, json!({})).await;
    let params = json!({"sessionId": "old", "cwd": "/old", "mcpServers": []});
    assert_eq!(wire.call("session/load", params).await["result"], json!({}));
    assert_eq!(say(&mut wire, "old", "a").await, "/old ask a");
}

#[tokio::test]
async fn a_closed_session_is_unknown() {
    let (mut wire, session) = Wire::open(Notebook, json!({})).await;
    assert_eq!(wire.call("session/close", json!({"sessionId": session})).await["result"], json!({}));
    for method in ["session/prompt", "session/close"] {
        wire.refused(method, json!({"sessionId": session, "prompt": []}), -32002, &[]).await;
    }
}

#[tokio::test]
async fn modes_are_those_of_the_session() {
    let mut wire = Wire::connect(Notebook, json!({})).await;
    let answer = wire.call("session/new", json!({"cwd": "/modes", "mcpServers": []})).await;
    assert_eq!(answer["result"]["modes"]["currentModeId"], "ask");
    let session = answer["result"]["sessionId"].as_str().unwrap().to_owned();
    let set = |mode: &str| json!({"sessionId": session, "modeId": mode});
    assert_eq!(wire.call("session/set_mode", set("code")).await["result"], json!({}));
    assert_eq!(say(&mut wire, &session, "a").await, "/modes code a");
    wire.refused("session/set_mode", set("fly"), -32602, &["modeId", "`ask`", "`code`"]).await;

    let without = wire.new_session().await;
    let set = json!({"sessionId": without, "modeId": "ask"});
    wire.refused("session/set_mode", set, -32602, &["no modes", &without]).await;
}

/// Its turns end when two settings have been changed.
struct Impatient;

fn models(now: &str) -> SessionConfigOption {
    let models = ["small", "large"].map(|size| SessionConfigSelectOption::new(size, size));
    SessionConfigOption::new("model", "Model", SessionConfigSelect::new(now, models.to_vec()))
}

#[agent]
impl Impatient {
    async fn new_session(&self) -> Result<Opened<Semaphore>> {
        Ok(Opened::new(Semaphore::new(0)).modes(modes()).config_options([models("small")]))
    }

    async fn prompt(&self, changes: Session<Semaphore>) -> Result<StopReason> {
        let _ = changes.acquire_many(2).await.map_err(Error::other)?;
        Ok(StopReason::EndTurn)
    }

    async fn set_mode(&self, changes: Session<Semaphore>) -> Result<()> {
        changes.add_permits(1);
        Ok(())
    }

    async fn set_config_option(&self, changes: Session<Semaphore>) -> Result<Vec<SessionConfigOption>> {
        changes.add_permits(1);
        Ok(vec![models("large")])
    }
}

/// Rules v1-mode-03 and v1-cfg-13.
#[tokio::test]
async fn modes_and_options_are_changed_while_a_turn_runs() {
    let (mut wire, session) = Wire::open(Impatient, json!({})).await;
    let prompt = wire.prompt(&session, "").await;
    let set = json!({"sessionId": session, "modeId": "code"});
    assert_eq!(wire.call("session/set_mode", set).await["result"], json!({}));
    let set = json!({"sessionId": session, "configId": "model", "value": "large"});
    let set = wire.request("session/set_config_option", set).await;
    // The turn may be answered before the request that it waited for.
    let mut answers = [wire.recv().await, wire.recv().await];
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!((&answers[0]["id"], &answers[1]["id"]), (&json!(prompt), &json!(set)));
    assert_eq!(answers[0]["result"]["stopReason"], "end_turn");
    assert_eq!(answers[1]["result"]["configOptions"][0]["currentValue"], "large");
}

/// Has no `new_session`: the library opens its sessions.
struct Stateless;

#[agent]
impl Stateless {
    async fn prompt(&self, turn: Turn, session: Session<()>) -> Result<StopReason> {
        turn.say(session.id().to_string()).await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn without_new_session_a_session_is_empty() {
    let (mut wire, session) = Wire::open(Stateless, json!({})).await;
    assert_eq!(say(&mut wire, &session, "").await, session);
}
