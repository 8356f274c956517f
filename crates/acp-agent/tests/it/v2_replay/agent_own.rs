//! Agents that replay their sessions by themselves.

use acp_agent::types::{ContentChunk, SessionUpdate, ToolCall};
use acp_agent::{LoadSession, NewSession, Opened, Result, StopReason, Turn, agent};
use serde_json::{Value, json};

use super::replay;

struct Own;

#[agent]
impl Own {
    async fn new_session(&self, _open: NewSession) -> Result<Opened<()>> {
        Ok(Opened::new(()))
    }

    async fn load_session(&self, open: LoadSession) -> Result<Opened<()>> {
        open.update(SessionUpdate::UserMessageChunk(ContentChunk::text("hi"))).await?;
        open.update(SessionUpdate::AgentMessageChunk(ContentChunk::text("one "))).await?;
        open.update(SessionUpdate::AgentMessageChunk(ContentChunk::text("two"))).await?;
        open.update(ToolCall::new("t", "Look")).await?;
        open.update(SessionUpdate::AgentMessageChunk(ContentChunk::text("named").message_id("m"))).await?;
        open.update(SessionUpdate::AgentMessageChunk(ContentChunk::text("last"))).await?;
        Ok(Opened::new(()))
    }

    async fn resume_session(&self, _open: acp_agent::ResumeSession) -> Result<Opened<()>> {
        Ok(Opened::new(()))
    }

    async fn list_sessions(&self) -> Result<acp_agent::types::ListSessionsResponse> {
        Ok(acp_agent::types::ListSessionsResponse::new([]))
    }

    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn messages_of_the_agents_own_replay_keep_their_ids() {
    let ids = |updates: Vec<Value>| -> Vec<Value> {
        updates.iter().map(|update| update["messageId"].clone()).collect()
    };
    let second = ids(replay(|| Own, 2, "s").await);
    let expected = ["replayed_1", "replayed_2", "replayed_2", "", "m", "replayed_3"];
    let expected = expected.map(|id| if id.is_empty() { Value::Null } else { json!(id) });
    assert_eq!(second, expected);
    // Version 1 needs none.
    let first = ids(replay(|| Own, 1, "s").await);
    assert_eq!(first.iter().filter(|id| id.is_string()).collect::<Vec<_>>(), ["m"]);
}
