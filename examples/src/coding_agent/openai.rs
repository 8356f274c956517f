//! A planner that asks a language model, over the OpenAI chat-completions protocol.
//!
//! Many servers speak it, local ones too. The model's words are passed on to the user as they come.
//! Its function calls become actions.

mod completion;
mod functions;
mod http;
pub mod sse;

use std::env;

use acp_agent::mcp::Tool;
use acp_agent::{Error, Result, Turn};

use self::completion::Reply;
use self::http::{Answer, Endpoint};
use super::planner::{History, Planner, Step};

/// The model that is used when `OPENAI_MODEL` is not set.
const DEFAULT_MODEL: &str = "gpt-5-mini";
/// The longest answer that is read, in bytes.
const MAX_ANSWER: usize = 16 * 1024 * 1024;
/// The longest error body that is read, in bytes.
const MAX_ERROR_BODY: usize = 64 * 1024;

/// A planner that asks a model server.
#[derive(Clone, Debug)]
pub struct OpenAi {
    endpoint: Endpoint,
    model: String,
}

impl OpenAi {
    /// Makes a planner that asks the server at `base_url`, such as `https://api.openai.com/v1`, for
    /// `model`. It sends the `key` as a bearer token.
    ///
    /// # Errors
    /// Fails if the URL cannot be read, or if an HTTP header cannot hold the key.
    pub fn new(base_url: &str, key: Option<&str>, model: impl Into<String>) -> Result<Self> {
        let url = format!("{}/chat/completions", base_url.trim_end_matches('/'));
        Ok(OpenAi { endpoint: Endpoint::new(&url, key)?, model: model.into() })
    }

    /// Makes the planner that `OPENAI_BASE_URL`, `OPENAI_API_KEY` and `OPENAI_MODEL` describe.
    /// Returns `None` if the first is not set.
    ///
    /// # Errors
    /// Fails as [`new`](Self::new) does.
    pub fn from_env() -> Result<Option<Self>> {
        let variable = |name| env::var(name).ok().filter(|value| !value.is_empty());
        let Some(base_url) = variable("OPENAI_BASE_URL") else { return Ok(None) };
        let key = variable("OPENAI_API_KEY");
        let model = variable("OPENAI_MODEL").unwrap_or_else(|| DEFAULT_MODEL.to_owned());
        Self::new(&base_url, key.as_deref(), model)
            .map(Some)
            .map_err(|error| Error::from(format!("`OPENAI_BASE_URL` or `OPENAI_API_KEY`: {error}")))
    }

    /// Makes the error for a broken answer.
    async fn refused(&self, mut answer: Answer) -> Error {
        let mut body = Vec::new();
        while let Ok(Some(bytes)) = answer.chunk().await
            && body.len() < MAX_ERROR_BODY
        {
            body.extend_from_slice(&bytes);
        }
        let reason =
            completion::error_message(&body).map(|message| format!(": {message}")).unwrap_or_default();
        let uri = self.endpoint.uri();
        Error::from(format!("the model server at {uri} answered `{}`{reason}", answer.status()))
    }
}

impl Planner for OpenAi {
    async fn next(&self, history: &History, turn: &Turn, tools: &[Tool]) -> Result<Step> {
        let request = completion::request(&self.model, history, tools);
        let mut answer = self.endpoint.post(request.to_string().into_bytes()).await?;
        if !answer.status().is_success() {
            return Err(self.refused(answer).await);
        }
        let mut events = sse::Decoder::default();
        let mut reply = Reply::default();
        let mut received = 0;
        let (message, thoughts) = (turn.message(), turn.thought_message());
        while let Some(bytes) = answer.chunk().await? {
            received += bytes.len();
            if received > MAX_ANSWER {
                return Err(Error::from(format!("the model's answer is longer than {MAX_ANSWER} bytes")));
            }
            for event in events.feed(&bytes) {
                let words = reply.read(&event)?;
                if !words.thought.is_empty() {
                    thoughts.say(words.thought).await?;
                }
                if !words.text.is_empty() {
                    message.say(words.text).await?;
                }
            }
        }
        reply.into_step()
    }
}
