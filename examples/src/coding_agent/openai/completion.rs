//! Chat completions as JSON: the request from a history, and the streamed reply.

use acp_agent::mcp::Tool;
use acp_agent::types::StopReason;
use acp_agent::{Error, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use super::functions;
use crate::coding_agent::planner::{Call, History, Next, Step, Task, clipped};

const INSTRUCTIONS: &str = "You are a coding agent that works in one folder of the user's, by calling functions. \
    Show a plan with update_plan for tasks of several steps, and keep it up to date. Look before you change: read \
    a file before you edit it. The user is asked before every change and every command, and may reject it. End with a short summary \
    of what you did, in Markdown.";
/// The longest outcome that the model is told, in bytes.
const MAX_TOLD: usize = 64 * 1024;
/// The longest error message of a server that is passed on, in bytes.
const MAX_ERROR: usize = 2 * 1024;

/// Makes the body of the request for the next step. The model may call the agent's functions and
/// these tools.
pub(super) fn request(model: &str, history: &History, tools: &[Tool]) -> Value {
    let mut messages = vec![json!({"role": "system", "content": INSTRUCTIONS})];
    history.iter().for_each(|task| add_task(&mut messages, task));
    json!({"model": model, "stream": true, "messages": messages, "tools": functions::declarations(tools)})
}

fn add_task(messages: &mut Vec<Value>, task: &Task) {
    let mut content = task.text.clone();
    for attachment in &task.attachments {
        content.push_str(&match &attachment.text {
            Some(text) => format!("\n\nAttached, from {}:\n\n{text}", attachment.uri),
            None => format!("\n\nAttached: {}", attachment.uri),
        });
    }
    messages.push(json!({"role": "user", "content": content}));
    for round in &task.rounds {
        let calls: Vec<_> = round.done.iter().map(|(call, _)| tool_call(call)).collect();
        messages.push(json!({"role": "assistant", "content": round.said, "tool_calls": calls}));
        for (call, outcome) in &round.done {
            let content = clipped(&outcome.to_string(), MAX_TOLD);
            messages.push(json!({"role": "tool", "tool_call_id": call.id, "content": content}));
        }
    }
    if let Some(answer) = &task.answer {
        messages.push(json!({"role": "assistant", "content": answer}));
    }
}

fn tool_call(call: &Call) -> Value {
    let (name, arguments) = functions::call(&call.action);
    json!({"id": call.id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

/// A reply, put together from the events of its stream.
#[derive(Debug, Default)]
pub(super) struct Reply {
    said: String,
    calls: Vec<PartialCall>,
    /// True if the model declined.
    declined: bool,
    finish: Option<String>,
    /// The server said that the stream is complete.
    done: bool,
}

/// Text for the user, from one event.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) text: String,
    pub(super) thought: String,
}

#[derive(Debug, Default)]
struct PartialCall {
    index: Option<usize>,
    id: String,
    name: String,
    arguments: String,
}

impl Reply {
    /// Takes the data of one event.
    ///
    /// # Errors
    /// Fails if the data cannot be read, or if it reports an error of the server.
    pub(super) fn read(&mut self, event: &str) -> Result<Words> {
        if event == "[DONE]" {
            self.done = true;
            return Ok(Words::default());
        }
        // The error says only where the fault is. The server's text does not belong into a log.
        let chunk: Chunk = serde_json::from_str(event).map_err(|error| {
            Error::from(format!(
                "the model server sent an event that cannot be read from byte {}",
                error.column()
            ))
        })?;
        if let Some(error) = chunk.error {
            return Err(Error::from(format!("the model server broke off: {}", message(&error))));
        }
        let mut words = Words::default();
        // Only one choice was requested. The event that counts tokens has none.
        for Choice { delta, finish_reason } in chunk.choices {
            self.declined |= delta.refusal.is_some();
            words.text.extend(delta.content.into_iter().chain(delta.refusal));
            words.thought.extend(delta.reasoning_content);
            delta.tool_calls.into_iter().flatten().for_each(|call| self.extend_call(call));
            self.finish = finish_reason.or_else(|| self.finish.take());
        }
        self.said.push_str(&words.text);
        Ok(words)
    }

    /// A call comes in pieces: its id and name first, then pieces of its arguments.
    fn extend_call(&mut self, delta: CallDelta) {
        let position = match delta.index {
            Some(_) => self.calls.iter().position(|call| call.index == delta.index),
            // Some servers send no index. Then an id starts the next call.
            None if delta.id.is_none() => self.calls.len().checked_sub(1),
            None => None,
        };
        let position = position.unwrap_or_else(|| {
            self.calls.push(PartialCall { index: delta.index, ..PartialCall::default() });
            self.calls.len() - 1
        });
        if let Some(call) = self.calls.get_mut(position) {
            call.id.extend(delta.id);
            call.name.extend(delta.function.name);
            call.arguments.extend(delta.function.arguments);
        }
    }

    /// Returns the requests of the whole reply.
    ///
    /// # Errors
    /// Fails if the stream ended in the middle of the reply.
    pub(super) fn into_step(self) -> Result<Step> {
        let next = match self.finish.as_deref() {
            None if !self.done => {
                return Err(Error::from("the model server ended its answer in the middle"));
            }
            // The reply was cut off: the last call may lack half of its arguments.
            Some("length") => Next::Stop(StopReason::MaxTokens),
            Some("content_filter") => Next::Stop(StopReason::Refusal),
            _ if self.declined => Next::Stop(StopReason::Refusal),
            // Some servers do not report `tool_calls` as the reason, although there are calls.
            _ if !self.calls.is_empty() => {
                Next::Act(self.calls.into_iter().map(PartialCall::finish).collect())
            }
            _ => Next::Stop(StopReason::EndTurn),
        };
        Ok(Step { said: self.said, next })
    }
}

impl PartialCall {
    fn finish(self) -> Call {
        Call { id: self.id, action: functions::action(self.name, &self.arguments) }
    }
}

/// Returns the message of an error body, if it has one.
pub(super) fn error_message(body: &[u8]) -> Option<String> {
    let body: Chunk = serde_json::from_slice(body).ok()?;
    body.error.map(|error| message(&error))
}

/// The contents of an error: most servers send an object with a `message`, some only a text.
fn message(error: &Value) -> String {
    let message = error.get("message").unwrap_or(error).as_str().unwrap_or("no reason given");
    clipped(message, MAX_ERROR)
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Delta,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Delta {
    content: Option<String>,
    refusal: Option<String>,
    /// A member from later servers: it is common for reasoning models.
    reasoning_content: Option<String>,
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
struct CallDelta {
    index: Option<usize>,
    id: Option<String>,
    #[serde(default)]
    function: FunctionDelta,
}

#[derive(Default, Deserialize)]
struct FunctionDelta {
    name: Option<String>,
    arguments: Option<String>,
}
