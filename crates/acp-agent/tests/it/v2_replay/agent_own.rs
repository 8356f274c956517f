//! Agents that replay their sessions by themselves, and those that make updates by themselves.

use std::sync::Arc;

use acp_agent::types::{ContentChunk, Notice, NoticeSeverity, SessionUpdate, ToolCall};
use acp_agent::{LoadSession, NewSession, Opened, Result, Router, StopReason, Turn, agent, op, v2};
use serde_json::{Value, json};

use super::{Client, is, replay, stores, update_of};

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

async fn noticing(_: &(), turn: Turn) -> Result<StopReason> {
    turn.notice(Notice::new(NoticeSeverity::Info, "of the vocabulary")).await?;
    turn.update_v2(v2::Notice::new(v2::NoticeSeverity::Info, "of version 2")).await?;
    turn.say("said").await?;
    Ok(StopReason::EndTurn)
}

/// Rule `v2-res-10`.
#[tokio::test]
async fn a_notice_is_not_replayed_whichever_verb_has_sent_it() {
    for store in &stores().all {
        let agent = || Router::new("n", "1", ()).on::<op::Prompt, _>(noticing).store(Arc::clone(store));
        let mut client = Client::connect(agent(), 2).await;
        let session = client.new_session().await;
        let sent = client.turn(&session, "x").await;
        client.close().await;
        let sent = sent.iter().map(|line| update_of(line));
        assert_eq!(sent.filter(|update| is(update, "notice")).count(), 2);
        for version in [1, 2] {
            let replayed = replay(agent, version, &session).await;
            assert!(replayed.iter().any(|update| is(update, "agent_message_chunk")), "{replayed:?}");
            assert!(!replayed.iter().any(|update| is(update, "notice")), "{replayed:?}");
        }
    }
}
