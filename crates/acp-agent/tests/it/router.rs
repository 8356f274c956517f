//! Agents that are put together without the macro.
//!
//! `transcripts.rs` compares them with the agents of the macro.

use acp_agent::{Conflict, Error, Result, Router, StopReason, Transport, Turn, agent, op};
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

#[tokio::test]
async fn a_method_has_one_handler() {
    let twice = Router::new("silent", "1", Silent)
        .on::<op::Prompt, _>(Silent::prompt)
        .on::<op::Prompt, _>(Silent::prompt);
    let (_, transport) = Transport::duplex();
    let error = acp_agent::serve(twice, transport).await.unwrap_err();
    let Error::Conflict(Conflict::ServedTwice { method, by }) = &error else { panic!("{error}") };
    assert_eq!(
        (&**method, by),
        ("session/prompt", &["Router<Silent>".to_owned(), "Router<Silent>".to_owned()])
    );
    assert!(error.to_string().contains("two handlers"), "{error}");
}

#[test]
#[should_panic(expected = "starts with `_`")]
fn an_extension_is_not_registered_under_the_name_of_a_method() {
    let mut handlers = acp_agent::Handlers::<()>::default();
    handlers
        .serve_ext("session/prompt", &std::sync::Arc::new(Silent), async |_, _| Ok(acp_rpc::Reply::new(1)));
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
