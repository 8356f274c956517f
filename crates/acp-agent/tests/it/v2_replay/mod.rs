//! Stored sessions of one version, replayed in either.

mod agent_own;
mod converted;
mod old_journal;
#[cfg(all(feature = "shell", unix))]
mod verbs;
mod versions;

use std::sync::Arc;

use acp_agent::store::{Journal, MemoryStore, Record, RecordKind, SessionStore};
use acp_agent::types::SessionId;
use acp_agent::{Result, Router, StopReason, Turn, op};
use serde_json::{Value, json};

use crate::schema;
use crate::support::Wire;

/// Each kind of store, and the folder of those that have one.
struct Stores {
    folder: tempfile::TempDir,
    all: [Arc<dyn SessionStore>; 2],
}

fn stores() -> Stores {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path()).on_damage(|damage| panic!("{damage}"));
    Stores { all: [Arc::new(MemoryStore::new(1024 * 1024)), Arc::new(journal)], folder }
}

/// Checks the params of an update against the schema of its version.
fn check(version: u8, params: &Value) {
    let name = if version == 1 { "SessionNotification" } else { "UpdateSessionNotification" };
    schema::validate(version.into(), name, params);
}

/// A client of one version.
struct Client {
    wire: Wire,
    version: u8,
}

impl Client {
    async fn connect<A: acp_agent::Agent>(agent: A, version: u8) -> Self {
        let mut wire = Wire::serve(agent);
        let hello = match version {
            1 => {
                json!({"protocolVersion": 1, "clientCapabilities": {"session": {"compaction": {}, "notices": {}}}})
            }
            _ => json!({"protocolVersion": 2, "info": {"name": "ed", "version": "1"}, "capabilities": {}}),
        };
        let answer = wire.call("initialize", hello).await;
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        Client { wire, version }
    }

    async fn new_session(&mut self) -> String {
        self.wire.new_session().await
    }

    /// Runs a turn, and returns the lines of its updates as they came.
    async fn turn(&mut self, session: &str, text: &str) -> Vec<String> {
        let prompt = json!([{"type": "text", "text": text}]);
        self.prompt(session, prompt).await
    }

    async fn prompt(&mut self, session: &str, prompt: Value) -> Vec<String> {
        let id = self.wire.request("session/prompt", json!({"sessionId": session, "prompt": prompt})).await;
        let mut lines = Vec::new();
        loop {
            let line = self.wire.try_recv_line().await.unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                assert!(message.get("result").is_some(), "{message}");
                if self.version == 1 {
                    return lines;
                }
                continue;
            }
            check(self.version, &message["params"]);
            let is_end = message["params"]["update"]["state"] == "idle";
            lines.push(line);
            if is_end {
                return lines;
            }
        }
    }

    /// Opens a session with its history, and returns the lines of the updates before the answer.
    async fn replayed(&mut self, session: &str) -> Vec<String> {
        self.replayed_in("/work", session).await
    }

    async fn replayed_in(&mut self, cwd: &str, session: &str) -> Vec<String> {
        let params = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
        let (method, params) = match self.version {
            1 => ("session/load", params),
            _ => {
                ("session/resume", json!({"sessionId": session, "cwd": cwd, "replayFrom": {"type": "start"}}))
            }
        };
        let id = self.wire.request(method, params).await;
        let mut lines = Vec::new();
        loop {
            let line = self.wire.try_recv_line().await.unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                assert!(message.get("result").is_some(), "{message}");
                return lines;
            }
            check(self.version, &message["params"]);
            lines.push(line);
        }
    }

    async fn close(self) {
        assert_eq!(self.wire.close().await, Vec::<Value>::new());
    }
}

/// Replays a session twice, by connections of their own, and returns the updates, which are the
/// same. A state at the end is checked and left out.
async fn replay<A: acp_agent::Agent>(agent: impl Fn() -> A, version: u8, session: &str) -> Vec<Value> {
    replay_in("/work", agent, version, session).await
}

async fn replay_in<A: acp_agent::Agent>(
    cwd: &str,
    agent: impl Fn() -> A,
    version: u8,
    session: &str,
) -> Vec<Value> {
    let mut first = None;
    for _ in 0..2 {
        let mut client = Client::connect(agent(), version).await;
        let mut lines = client.replayed_in(cwd, session).await;
        client.close().await;
        if version == 2 {
            let state = update_of(&lines.pop().unwrap());
            assert_eq!(state, json!({"sessionUpdate": "state_update", "state": "idle"}));
        }
        assert_eq!(first.get_or_insert_with(|| lines.clone()), &lines);
    }
    first.unwrap_or_default().iter().map(|line| update_of(line)).collect()
}

fn update_of(line: &str) -> Value {
    serde_json::from_str::<Value>(line).unwrap()["params"]["update"].take()
}

fn is(update: &Value, tag: &str) -> bool {
    update["sessionUpdate"] == tag
}

/// Returns the records of the conversation: their kinds and texts.
async fn records(store: &dyn SessionStore, session: &str) -> Vec<(RecordKind, String)> {
    let mut records = store.read(&SessionId::from(session)).await.unwrap();
    let mut all = Vec::new();
    loop {
        let batch = records.next().await.unwrap();
        if batch.is_empty() {
            return all;
        }
        let batch = batch.iter().filter(|record| !record.kind().is_state());
        all.extend(batch.map(|record: &Record| (record.kind(), record.json().to_owned())));
    }
}

/// An agent that says its prompt.
fn echo(store: Arc<dyn SessionStore>) -> Router<()> {
    async fn prompt(_: &(), turn: Turn) -> Result<StopReason> {
        turn.say(turn.text()).await?;
        Ok(StopReason::EndTurn)
    }
    Router::new("echo", "1", ()).on::<op::Prompt, _>(prompt).store(store)
}
