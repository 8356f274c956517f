//! Unusual forms of `#[agent]` blocks.

use std::sync::Arc;

use acp_agent as renamed;
use acp_agent::types::{NewSessionRequest, PromptRequest, PromptResponse};
use acp_agent::{Agent, RequestMeta, StopReason, Turn, agent};
use serde_json::json;

use crate::support::Wire;

/// An error of the agent's own.
struct Tired;

impl From<Tired> for acp_agent::Error {
    fn from(Tired: Tired) -> Self {
        acp_agent::Error::other("too tired")
    }
}

type PromptResult = std::result::Result<PromptResponse, Tired>;

/// Uses the unusual forms.
struct Odd;

#[agent(crate = renamed)]
#[allow(clippy::needless_pass_by_value, reason = "arguments are handed over")]
impl Odd {
    /// The result is an alias, an argument is a pattern, and the request comes beside the turn.
    pub(crate) async fn prompt(
        &self,
        RequestMeta(meta): RequestMeta,
        PromptRequest { prompt, .. }: PromptRequest,
        turn: self::Turn,
    ) -> PromptResult {
        let Some(name) = meta.get("name") else { return Err(Tired) };
        turn.say(format!("{} {}", name.as_str().unwrap(), prompt.len())).await.map_err(|_| Tired)?;
        Ok(PromptResponse::new(StopReason::MaxTokens).meta(meta))
    }

    async fn new_session(&self, open: NewSessionRequest) -> std::io::Result<String> {
        if open.cwd == "/gone" {
            return Err(std::io::Error::other("the disk is gone"));
        }
        Ok(open.cwd)
    }

    #[ext("_odd/where")]
    async fn r#where(&self, session: renamed::Session<String>) -> renamed::Result<String> {
        Ok(String::clone(&session))
    }
}

#[tokio::test]
async fn an_odd_agent_works() {
    let (mut wire, session) = Wire::open(Odd, json!({})).await;
    let prompt = wire.prompt(&session, "").await;
    crate::support::check_error(&wire.answer_to(prompt).await, -32603, &["too tired"]);

    let params =
        json!({"sessionId": session, "prompt": [{"type": "text", "text": ""}], "_meta": {"name": "ed"}});
    let prompt = wire.request("session/prompt", params).await;
    assert_eq!(wire.said().await, "ed 1");
    let answer = wire.answer_to(prompt).await;
    assert_eq!(answer["result"], json!({"stopReason": "max_tokens", "_meta": {"name": "ed"}}));

    assert_eq!(wire.call("_odd/where", json!({"sessionId": session})).await["result"], "/work");
    let gone = json!({"cwd": "/gone", "mcpServers": []});
    wire.refused("session/new", gone, -32603, &["the disk is gone"]).await;
}

#[test]
fn name_and_version_are_those_of_the_package() {
    let profile = Odd.profile();
    assert_eq!((profile.name, profile.version), (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")));
}

/// Keeps an `Arc` of itself for a task that outlives the turn.
struct Busy {
    finished: tokio::sync::Semaphore,
}

#[agent]
impl Busy {
    async fn prompt(self: Arc<Self>, turn: Turn) -> acp_agent::Result<StopReason> {
        tokio::spawn(async move { self.finished.add_permits(1) });
        turn.say("later").await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn a_handler_can_keep_an_agent_that_others_have_too() {
    let agent = Arc::new(Busy { finished: tokio::sync::Semaphore::new(0) });
    for _ in 0..2 {
        let mut wire = Wire::serve_through(Arc::clone(&agent), 1024 * 1024);
        wire.initialize(json!({})).await;
        let session = wire.new_session().await;
        let prompt = wire.prompt(&session, "").await;
        assert_eq!(wire.said().await, "later");
        assert_eq!(wire.stopped(prompt).await, "end_turn");
    }
    agent.finished.acquire_many(2).await.unwrap().forget();
}
