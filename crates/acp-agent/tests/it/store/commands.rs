//! Commands of sessions that survive the process.

use acp_agent::store::Journal;
use acp_agent::types::AvailableCommand;
use acp_agent::{Result, Router, StopReason, Turn, op};
use serde_json::json;

use crate::commands::{listed, names, open};
use crate::store::{load, named, texts};
use crate::support::Wire;

async fn edit(_: &(), turn: Turn, input: String) -> Result<StopReason> {
    turn.say(input).await?;
    Ok(StopReason::EndTurn)
}

async fn prompt(_: &(), turn: Turn) -> Result<StopReason> {
    turn.available_commands([AvailableCommand::new("more", "Came later")]).await?;
    Ok(StopReason::EndTurn)
}

fn agent(journal: Journal) -> Router<()> {
    Router::new("stored", "1", ())
        .command(AvailableCommand::new("edit", "Appends"), edit)
        .on::<op::Prompt, _>(prompt)
        .store(journal)
}

#[tokio::test]
async fn a_prompt_that_calls_a_command_is_kept_as_it_came() {
    let folder = tempfile::tempdir().unwrap();
    let (mut wire, session) = open(agent(Journal::at(folder.path()))).await;
    wire.turn(&session, "/edit  a ").await;
    wire.turn(&session, "list").await;
    wire.close().await;

    for _ in 0..2 {
        let mut wire = Wire::connect(agent(Journal::at(folder.path())), json!({})).await;
        let updates = load(&mut wire, &session).await;
        // The list of the opening is not part of the history. The one of the turn is.
        let kinds: Vec<_> = updates.iter().map(|update| update["sessionUpdate"].as_str().unwrap()).collect();
        let (user, list) = ("user_message_chunk", "available_commands_update");
        assert_eq!(kinds, [user, "agent_message_chunk", user, list]);
        assert_eq!(texts(&updates)[..2], [("user", "/edit  a "), ("agent", "a")]);
        // The library ends the opening with the commands that this process has.
        assert_eq!(names(&listed(&mut wire).await), ["edit"]);
        assert!(wire.close().await.is_empty());
    }

    let mut wire = Wire::connect(agent(Journal::at(folder.path())), json!({})).await;
    wire.call("session/resume", named("session/resume", &session)).await;
    assert_eq!(names(&listed(&mut wire).await), ["edit"]);
    assert_eq!(texts(&wire.turn(&session, "/edit b").await.0), [("agent", "b")]);
    assert!(wire.close().await.is_empty());
}
