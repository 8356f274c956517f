//! Agents that are put together without the macro.
//!
//! `transcripts.rs` compares them with the agents of the macro.

use acp_agent::types::methods;
use acp_agent::{Result, Router, StopReason, Turn, agent, op};
use serde_json::json;

use crate::support::Wire;

struct Silent;

impl Silent {
    async fn prompt(&self) -> Result<StopReason> {
        Ok(StopReason::Refusal)
    }
}

#[tokio::test]
async fn a_router_without_sessions_opens_empty_ones() {
    let router = Router::new("silent", "1", Silent).on::<op::Prompt, _>(Silent::prompt);
    let (mut wire, session) = Wire::open(router, json!({})).await;
    let prompt = wire.prompt(&session, "").await;
    assert_eq!(wire.stopped(prompt).await, "refusal");
}

#[test]
#[should_panic(expected = "starts with `_`")]
fn an_extension_method_starts_with_an_underscore() {
    let _ = Router::new("silent", "1", Silent).ext("shout", async |_: &Silent| Ok::<_, acp_agent::Error>(1));
}

#[test]
#[should_panic(expected = "starts with `_`")]
fn a_method_of_the_protocol_is_no_request_of_ones_own() {
    let set_mode =
        async |_: &Silent| Ok::<_, acp_agent::Error>(acp_agent::types::SetSessionModeResponse::new());
    let _ = Router::new("silent", "1", Silent).on::<op::Request<methods::SessionSetMode>, _>(set_mode);
}

/// An agent that is generic over its model.
trait Model: Send + Sync + 'static {
    fn answer(&self) -> impl Future<Output = String> + Send;
}

struct Parrot(&'static str);

impl Model for Parrot {
    async fn answer(&self) -> String {
        self.0.to_owned()
    }
}

struct Bot<M>(M);

#[agent(name = "bot")]
impl<M> Bot<M>
where
    M: Model,
{
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say(self.0.answer().await).await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn agents_can_be_generic() {
    let (mut wire, session) = Wire::open(Bot(Parrot("squawk")), json!({})).await;
    wire.prompt(&session, "").await;
    assert_eq!(wire.said().await, "squawk");
}
