//! Scripts: what a peer does, step by step, as a value.

mod event;
mod garble;
mod step;

use std::time::Duration;

use serde_json::Value;

pub use self::event::Event;
pub use self::garble::Garble;
use self::step::{Run, Step};
use crate::peer::{Fault, ScriptedPeer};

/// The steps of a peer. They run in order, over any [`ScriptedPeer`].
///
/// ```
/// use acp_testkit::{Script, ScriptedPeer};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), acp_testkit::Fault> {
/// // An agent that answers one prompt.
/// let agent = Script::new()
///     .expect("initialize").answer(json!({"protocolVersion": 1}))
///     .expect("session/new").answer(json!({"sessionId": "s1"}))
///     .expect("session/prompt")
///     .update("s1", json!({"sessionUpdate": "plan", "entries": []}))
///     .answer(json!({"stopReason": "end_turn"}));
/// let (client, agent_end) = tokio::io::duplex(4096);
/// let agent = tokio::spawn(agent.run(ScriptedPeer::from_stream(agent_end)));
///
/// // Its client is scripted, too.
/// let mut client = ScriptedPeer::from_stream(client);
/// client.call("initialize", json!({"protocolVersion": 1})).await?;
/// client.call("session/new", json!({"cwd": "/", "mcpServers": []})).await?;
/// let answer = client.call("session/prompt", json!({"sessionId": "s1", "prompt": []})).await?;
/// assert_eq!(answer["result"]["stopReason"], "end_turn");
/// assert_eq!(client.take_notifications().len(), 1);
/// agent.await.unwrap()?;
/// # Ok(()) }
/// ```
#[derive(Default)]
#[must_use = "a script does nothing until it is run"]
pub struct Script {
    steps: Vec<Step>,
}

impl Script {
    /// Makes a script without steps.
    pub fn new() -> Self {
        Self::default()
    }

    fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Takes the next message, which must be a call of this method.
    pub fn expect(self, method: &str) -> Self {
        self.step(Step::Expect(method.to_owned(), None))
    }

    /// Takes the next message, which must be a call of this method with at least these members in
    /// its params: see [`Difference::between`](crate::Difference::between).
    pub fn expect_with(self, method: &str, params: Value) -> Self {
        self.step(Step::Expect(method.to_owned(), Some(params)))
    }

    /// Answers the request that was taken last and has no answer yet.
    pub fn answer(self, result: Value) -> Self {
        self.step(Step::Answer(Box::new(move |_| Ok(result))))
    }

    /// Answers that request with a result made from its params.
    pub fn answer_with(self, result: impl FnOnce(&Value) -> Value + Send + 'static) -> Self {
        self.step(Step::Answer(Box::new(|params| Ok(result(params)))))
    }

    /// Answers that request with an error.
    pub fn fail(self, code: i64, message: &str) -> Self {
        let error = serde_json::json!({"code": code, "message": message});
        self.step(Step::Answer(Box::new(move |_| Err(error))))
    }

    /// Sends a notification.
    pub fn notify(self, method: &str, params: Value) -> Self {
        self.step(Step::Notify(method.to_owned(), params))
    }

    /// Sends a `session/update`.
    #[allow(
        clippy::needless_pass_by_value,
        reason = "every step takes its values, so that a script reads alike"
    )]
    pub fn update(self, session: &str, update: Value) -> Self {
        self.notify("session/update", serde_json::json!({"sessionId": session, "update": update}))
    }

    /// Sends a request. The script goes on at once.
    pub fn request(self, method: &str, params: Value) -> Self {
        self.step(Step::Request(method.to_owned(), params))
    }

    /// Takes the answer to the oldest request that has none yet. Its result must have at least
    /// these members.
    pub fn expect_result(self, result: Value) -> Self {
        self.step(Step::Result(result))
    }

    /// Takes the answer to the oldest request that has none yet, which must be an error of this
    /// code.
    pub fn expect_error(self, code: i64) -> Self {
        self.step(Step::Error(code))
    }

    /// Sends bytes as they are.
    pub fn raw(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.step(Step::Raw(bytes.into()))
    }

    /// Sends the message of the next step with a fault.
    pub fn garble(self, fault: Garble) -> Self {
        self.step(Step::Garble(fault))
    }

    /// Waits on the clock of the runtime. Under paused time (`start_paused`) it costs nothing.
    pub fn delay(self, time: Duration) -> Self {
        self.step(Step::Delay(time))
    }

    /// Waits for an event.
    pub fn wait_for(self, event: &Event) -> Self {
        self.step(Step::Wait(event.clone()))
    }

    /// Lets an event happen.
    pub fn fire(self, event: &Event) -> Self {
        self.step(Step::Fire(event.clone()))
    }

    /// Closes this side's direction.
    pub fn close(self) -> Self {
        self.step(Step::Close)
    }

    /// Takes the end of the connection.
    pub fn expect_end(self) -> Self {
        self.step(Step::End)
    }

    /// Runs the steps. Returns the peer, which has the lines of both sides.
    ///
    /// # Errors
    /// Fails at the first step that does not find what it expects.
    pub async fn run(self, peer: ScriptedPeer) -> Result<ScriptedPeer, Fault> {
        let mut run = Run::new(peer);
        for step in self.steps {
            run.step(step).await?;
        }
        Ok(run.into_peer())
    }
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Script").field("steps", &self.steps.len()).finish()
    }
}
