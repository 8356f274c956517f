//! A store as handlers see it.

use std::sync::Mutex;

use acp_agent::store::{Entry, History, Journal};
use acp_agent::types::{AvailableCommand, AvailableCommandsUpdate, SessionUpdate};
use acp_agent::{LoadSession, NewSession, Opened, Result, Router, Session, StopReason, Turn, op};
use serde_json::json;

use crate::store::{load, named, texts};
use crate::support::Wire;

/// The state of a session: the conversation from before it was opened, and the number of prompts
/// since.
struct Chat {
    before: Vec<String>,
    asked: Mutex<usize>,
}

async fn said(mut history: History) -> Result<Vec<String>> {
    let mut said = Vec::new();
    while let Some(entry) = history.next().await? {
        match entry {
            Entry::Prompt(blocks) => said.push(format!("user: {}", blocks[0].as_text().unwrap())),
            Entry::Update(update) => {
                if let SessionUpdate::AgentMessageChunk(chunk) = *update {
                    said.push(format!("agent: {}", chunk.content.as_text().unwrap()));
                }
            }
            _ => {}
        }
    }
    Ok(said)
}

async fn new_session(_: &(), open: NewSession) -> Result<Opened<Chat>> {
    let before = said(open.history().await?).await?;
    assert_eq!(open.is_new(), before.is_empty());
    open.update(AvailableCommandsUpdate::new([AvailableCommand::new("help", "Help")])).await?;
    Ok(Opened::new(Chat { before, asked: Mutex::new(0) }))
}

/// Answers with its state and with the history as a model would get it.
async fn prompt(_: &(), turn: Turn, chat: Session<Chat>) -> Result<StopReason> {
    let history = said(turn.history().await?).await?;
    assert_eq!(history.last(), Some(&format!("user: {}", turn.text())), "this prompt is the last entry");
    assert_eq!(said(Session::history(&chat).await?).await?, history);
    let asked = {
        let mut asked = chat.asked.lock().unwrap();
        *asked += 1;
        *asked
    };
    turn.say(format!("{} before, {asked} since", chat.before.len())).await?;
    Ok(StopReason::EndTurn)
}

fn agent(journal: Journal) -> Router<(), Chat> {
    Router::with_sessions("chat", "1", (), new_session).on::<op::Prompt, _>(prompt).store(journal)
}

#[tokio::test]
async fn new_session_makes_the_state_of_old_sessions_too() {
    let folder = tempfile::tempdir().unwrap();
    let (mut wire, session) = Wire::open(agent(Journal::at(folder.path())), json!({})).await;
    let commands = wire.update().await;
    assert_eq!(commands["sessionUpdate"], "available_commands_update");
    assert_eq!(texts(&wire.turn(&session, "a").await.0), [("agent", "0 before, 1 since")]);
    assert_eq!(texts(&wire.turn(&session, "b").await.0), [("agent", "0 before, 2 since")]);
    wire.close().await;

    // The handler's own update comes after the history and before the answer.
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), json!({})).await;
    let updates = load(&mut wire, &session).await;
    let kinds: Vec<_> = texts(&updates).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(
        kinds,
        ["available_commands_update", "user", "agent", "user", "agent", "available_commands_update"]
    );
    assert_eq!(texts(&wire.turn(&session, "c").await.0), [("agent", "4 before, 1 since")]);
    wire.close().await;

    // Without a replay it comes after the answer.
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), json!({})).await;
    wire.call("session/resume", named("session/resume", &session)).await;
    assert_eq!(wire.update().await["sessionUpdate"], "available_commands_update");
    assert_eq!(texts(&wire.turn(&session, "d").await.0), [("agent", "6 before, 1 since")]);
    wire.close().await;
}

async fn load_session(_: &(), open: LoadSession) -> Result<Chat> {
    let before = said(open.history().await?).await?;
    if before.iter().any(|said| said == "user: fail") {
        return Err("it cannot be loaded".into());
    }
    Ok(Chat { before: vec![String::new(); 100 + before.len()], asked: Mutex::new(0) })
}

#[tokio::test]
async fn a_load_handler_is_called_behind_the_replay() {
    let folder = tempfile::tempdir().unwrap();
    let agent = || agent(Journal::at(folder.path())).on::<op::LoadSession, _>(load_session);
    let (mut wire, session) = Wire::open(agent(), json!({})).await;
    wire.update().await;
    wire.turn(&session, "a").await;
    wire.call("session/close", json!({"sessionId": session})).await;
    assert_eq!(load(&mut wire, &session).await.len(), 3);
    assert_eq!(texts(&wire.turn(&session, "b").await.0), [("agent", "102 before, 1 since")]);

    // A load that fails leaves an open session open, and a closed session free.
    wire.turn(&session, "fail").await;
    for closed in [false, true] {
        let id = wire.request("session/load", named("session/load", &session)).await;
        loop {
            let message = wire.recv().await;
            if message["id"] == id {
                assert_eq!(message["error"]["message"], "it cannot be loaded");
                break;
            }
        }
        if !closed {
            assert_eq!(texts(&wire.turn(&session, "c").await.0), [("agent", "102 before, 3 since")]);
            wire.call("session/close", json!({"sessionId": session})).await;
        }
    }
    let mut other = Wire::connect(agent(), json!({})).await;
    other.call("session/delete", json!({"sessionId": session})).await;
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    other.close().await;
    wire.close().await;
}

async fn refuse(_: &()) -> Result<()> {
    Err("not now".into())
}

#[tokio::test]
async fn handlers_of_the_agents_own_come_before_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let agent = agent(Journal::at(folder.path()))
        .on::<op::DeleteSession, _>(refuse)
        .on::<op::CloseSession, _>(refuse);
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    wire.update().await;
    wire.refused("session/close", json!({"sessionId": session}), -32603, &["not now"]).await;
    wire.refused("session/delete", json!({"sessionId": session}), -32603, &["not now"]).await;
    assert_eq!(wire.call("session/list", json!({})).await["result"]["sessions"][0]["sessionId"], session);
    wire.close().await;
}

async fn history_is_empty(_: &(), turn: Turn) -> Result<StopReason> {
    assert!(turn.history().await?.next().await?.is_none());
    Ok(StopReason::EndTurn)
}

#[tokio::test]
async fn without_a_store_there_is_no_history() {
    let agent = Router::new("none", "1", ()).on::<op::Prompt, _>(history_is_empty);
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let (_, answer) = wire.turn(&session, "x").await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    wire.close().await;
}
