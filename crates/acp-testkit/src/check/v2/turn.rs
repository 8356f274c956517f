//! Turns of version 2: a prompt is answered when its message is inserted, and a state ends the
//! turn.

use serde_json::{Value, json};

use crate::check::never::Never;
use crate::check::subject::{Step, Subject, update_of};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;
use crate::peer::Message;

/// A turn, from its prompt to the present.
pub(super) struct Turn {
    pub(super) session: String,
    /// The id of the prompt's request.
    prompt: Value,
    /// The messages since the prompt, the answer to it among them.
    pub(super) seen: Vec<Message>,
    is_busy: bool,
    /// The update that ended it.
    pub(super) idle: Option<Value>,
}

impl Turn {
    /// Sends a prompt.
    pub(super) async fn start(t: &mut Tester, session: &str, text: &str) -> Step<Self> {
        let prompt = t.start(session, text).await?;
        Ok(Self { session: session.to_owned(), prompt, seen: Vec::new(), is_busy: false, idle: None })
    }

    /// Sends a prompt, and waits for the end of the turn.
    pub(super) async fn run(t: &mut Tester, session: &str, text: &str) -> Step<Self> {
        let mut turn = Self::start(t, session, text).await?;
        turn.finish(t).await?;
        Ok(turn)
    }

    /// Runs a turn with the plain prompt.
    pub(super) async fn plain(t: &mut Tester, session: &str) -> Step<Self> {
        let prompt = t.options.prompt.clone();
        Self::run(t, session, &prompt).await
    }

    /// Starts a turn that lasts in a session of its own, and waits until it shows itself.
    pub(super) async fn lasting(t: &mut Tester) -> Step<Self> {
        let session = t.new_session().await?;
        let endless = t.endless();
        let mut turn = Self::start(t, &session, &endless).await?;
        while !turn.has_begun(t.options.endless_prompt.is_some()) {
            turn.take(t, "the first update of the turn").await?;
            if turn.idle.is_some() {
                return Err(t.options.without(Never::Endless, "the turn has ended before its first update"));
            }
        }
        Ok(turn)
    }

    fn has_begun(&self, shows: bool) -> bool {
        let of_agent = |update: &Value| {
            let tag = update.get("sessionUpdate").and_then(Value::as_str).unwrap_or_default();
            tag.starts_with("agent_") || tag.starts_with("tool_call")
        };
        self.is_busy && (!shows || self.updates().any(of_agent))
    }

    /// Waits for the answer to the prompt, and for the state that ends the turn.
    pub(super) async fn finish(&mut self, t: &mut Tester) -> Step {
        while self.idle.is_none() || self.answer().is_none() {
            self.take(t, "the answer to the prompt, and the idle state that ends the turn").await?;
        }
        Ok(())
    }

    /// Waits for the state that ends the turn as long as for an answer.
    pub(super) async fn until_idle(&mut self, t: &mut Tester) -> Step {
        while self.idle.is_none() {
            let message = t.next("the idle state that ends the turn").await?;
            self.add(message)?;
        }
        Ok(())
    }

    /// Waits for a request of the agent. Stops if the turn ends without it.
    pub(super) async fn until_asked(&mut self, t: &mut Tester, method: &str) -> Step<Option<Message>> {
        loop {
            self.take(t, "a question to the user").await?;
            if let Some(question) = self.seen.last().filter(|message| message.method() == Some(method)) {
                return Ok(Some(question.clone()));
            }
            if self.idle.is_some() {
                return Ok(None);
            }
        }
    }

    /// Takes what comes before the answers to two requests that are made now.
    pub(super) async fn settle(&mut self, t: &mut Tester) -> Step {
        for _ in 0..2 {
            for message in t.fence().await? {
                self.add(message)?;
            }
        }
        Ok(())
    }

    /// Cancels the work of the session.
    pub(super) async fn cancel(&self, t: &mut Tester) -> Step {
        t.notify("session/cancel", json!({"sessionId": self.session})).await
    }

    /// Cancels the turn and waits for its end, so that the session is idle again.
    pub(super) async fn stop(&mut self, t: &mut Tester) -> Step {
        self.cancel(t).await?;
        self.until_idle(t).await
    }

    async fn take(&mut self, t: &mut Tester, expected: &str) -> Step {
        let message = t.wait(expected).await?;
        self.add(message)
    }

    /// Adds a message that has come. A prompt that is refused leaves a rule open.
    pub(super) fn add(&mut self, message: Message) -> Step {
        if message.is_answer()
            && message.id() == Some(&self.prompt)
            && let Some(code) = message.code()
        {
            return Err(Stop::Inconclusive(format!("the prompt is refused with the error {code}")));
        }
        let update = update_of(&message, &self.session).cloned();
        self.seen.push(message);
        let Some(update) = update.filter(|update| is_tagged(update, "state_update")) else { return Ok(()) };
        let ends = self.is_busy || (self.answer().is_some() && update["stopReason"].is_string());
        if update["state"] != "idle" {
            self.is_busy = true;
        } else if ends && self.idle.is_none() {
            self.idle = Some(update);
        }
        Ok(())
    }

    /// Returns the answer to the prompt.
    pub(super) fn answer(&self) -> Option<&Message> {
        self.seen.iter().find(|message| message.is_answer() && message.id() == Some(&self.prompt))
    }

    /// Returns the id that the prompt's message got.
    pub(super) fn message_id(&self) -> Option<&str> {
        self.answer()?.result()?.get("messageId")?.as_str()
    }

    /// Returns the updates of its session.
    pub(super) fn updates(&self) -> impl Iterator<Item = &Value> {
        self.seen.iter().filter_map(|message| update_of(message, &self.session))
    }

    /// Returns the states that were reported, in order.
    pub(super) fn states(&self) -> impl Iterator<Item = &str> {
        self.updates()
            .filter(|update| is_tagged(update, "state_update"))
            .filter_map(|update| update["state"].as_str())
    }

    pub(super) fn stop_reason(&self) -> Option<&str> {
        self.idle.as_ref()?.get("stopReason")?.as_str()
    }
}

/// Returns true if an update has this tag.
pub(super) fn is_tagged(update: &Value, tag: &str) -> bool {
    update.get("sessionUpdate").is_some_and(|seen| seen == tag)
}

/// Makes silence a failure: what did not come is what the rule is about.
pub(super) fn owed<T>(step: Step<T>) -> Step<T> {
    step.map_err(|stop| match stop {
        Stop::Silent(reason) => Stop::Fail(reason),
        stop => stop,
    })
}
