//! The side under check, as a scenario holds it: a connection, and requests on it.

use serde_json::{Value, json};

use super::verdict::Stop;
use crate::peer::{Line, Message, ScriptedPeer};

/// The end of a scenario: `Ok` is a pass.
pub(super) type Step<T = ()> = Result<T, Stop>;

/// The lines of a connection that is over, or was.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) lines: Vec<Line>,
}

/// The answer to a request.
pub(super) struct Reply {
    pub(super) message: Message,
    /// The messages of the side under check between the request and the answer.
    pub(super) before: Vec<Message>,
}

/// The agent or the client under check.
pub(super) trait Subject: Send + 'static {
    /// Its name in reasons.
    const NAME: &'static str;

    /// The reason why no scenario can be played.
    const LOST: &'static str;

    /// Returns true if no scenario of this rule can be played any more.
    fn is_lost(&self, rule: &str) -> bool;

    /// Returns the lines of the present connection.
    fn lines(&self) -> &[Line];

    /// Returns the connections that are over.
    fn recordings(&self) -> &[Recording];

    /// Returns the connection, a new one if there is none.
    fn peer(&mut self) -> impl Future<Output = Step<&mut ScriptedPeer>> + Send;

    /// Gets the connection as far as scenarios need it, unless that is done.
    fn ready(&mut self) -> impl Future<Output = Step> + Send;

    /// Takes the next message, and answers it if it is a request. Lines that are not JSON are
    /// passed over: a rule of their own judges them.
    fn next(&mut self, expected: &str) -> impl Future<Output = Step<Message>> + Send;

    /// Ends the connection, and everything that was started for it.
    fn disconnect(&mut self) -> impl Future<Output = ()> + Send;

    /// Makes a call that is always answered, if only with an error.
    fn is_alive(&mut self) -> impl Future<Output = bool> + Send;

    /// Returns a capability by its path, `null` if it is not there.
    fn capability(&mut self, path: &str) -> impl Future<Output = Step<Value>> + Send;

    /// Returns true if the value of a capability offers something.
    fn is_offer(&self, value: &Value) -> bool {
        !matches!(value, Value::Null | Value::Bool(false))
    }

    /// Returns true if a message says that the other side has had enough.
    fn gives_up(_message: &Message) -> bool {
        false
    }

    /// Stops a scenario for a side without this capability.
    fn needs(&mut self, path: &str) -> impl Future<Output = Step> + Send {
        async move {
            let capability = self.capability(path).await?;
            if self.is_offer(&capability) {
                return Ok(());
            }
            Err(Stop::NotApplicable(format!("the {} does not offer `{path}`", Self::NAME)))
        }
    }

    /// Sends a request and returns its id.
    fn request(&mut self, method: &str, params: Value) -> impl Future<Output = Step<Value>> + Send {
        async move { Ok(self.peer().await?.request(method, params).await?) }
    }

    fn notify(&mut self, method: &str, params: Value) -> impl Future<Output = Step> + Send {
        async move { Ok(self.peer().await?.notify(method, params).await?) }
    }

    /// Sends a line as it is.
    fn raw(&mut self, line: &str) -> impl Future<Output = Step> + Send {
        async move { Ok(self.peer().await?.raw(format!("{line}\n")).await?) }
    }

    /// Sends a request and waits for its answer. Requests of the other side are answered meanwhile.
    fn call(&mut self, method: &str, params: Value) -> impl Future<Output = Step<Reply>> + Send {
        async move {
            let id = self.request(method, params).await?;
            self.reply(&id).await
        }
    }

    /// Waits for the answer to a request. Other messages are collected.
    fn reply(&mut self, id: &Value) -> impl Future<Output = Step<Reply>> + Send {
        async move {
            let mut before = Vec::new();
            loop {
                let message = self.next(&format!("the answer to the request {id}")).await?;
                if message.is_answer() && message.id() == Some(id) {
                    return Ok(Reply { message, before });
                }
                before.push(message);
            }
        }
    }

    /// Waits for an answer to any request.
    fn next_answer(&mut self) -> impl Future<Output = Step<Message>> + Send {
        async move {
            loop {
                let message = self.next("an answer").await?;
                if message.is_answer() {
                    return Ok(message);
                }
            }
        }
    }

    /// Calls a method that nobody has, to see that everything before it was read. Returns the
    /// messages that came before its answer.
    fn fence(&mut self) -> impl Future<Output = Step<Vec<Message>>> + Send {
        async move { Ok(self.call("_acp_check/fence", json!({})).await?.before) }
    }

    /// Checks that everything was read, and nothing answered that was not asked.
    fn goes_on(&mut self, after: &str) -> impl Future<Output = Step> + Send {
        async move {
            // The second fence catches an answer that a task gives after the first.
            for _ in 0..2 {
                let before = self.fence().await?;
                if let Some(answer) = before.iter().find(|message| message.is_answer()) {
                    let id = answer.id().unwrap_or(&Value::Null);
                    return Err(Stop::Fail(format!(
                        "{after}: expected no answer, seen one with the id {id}"
                    )));
                }
                if before.iter().any(Self::gives_up) {
                    return Err(Stop::Fail(format!("{after}: the {} cancels the turn", Self::NAME)));
                }
            }
            Ok(())
        }
    }
}

impl Reply {
    /// Checks that it is an error of one of these codes.
    pub(super) fn refused(&self, codes: &[i64], of: &str) -> Step {
        match self.message.code() {
            Some(code) if codes.contains(&code) => Ok(()),
            Some(code) => {
                Err(Stop::Fail(format!("{of}: expected the error {codes:?}, seen the error {code}")))
            }
            None => Err(Stop::Fail(format!("{of}: expected the error {codes:?}, seen a result"))),
        }
    }

    /// Checks that it is an error.
    pub(super) fn fails(&self, of: &str) -> Step {
        match self.message.get("error") {
            Some(_) => Ok(()),
            None => Err(Stop::Fail(format!("{of}: expected an error, seen a result"))),
        }
    }

    /// Returns the result of a success.
    pub(super) fn result(&self, of: &str) -> Step<&Value> {
        self.message.result().ok_or_else(|| {
            let code = self.message.code().map_or_else(|| "none".to_owned(), |code| code.to_string());
            Stop::Fail(format!("{of}: expected a result, seen the error {code}"))
        })
    }

    pub(super) fn stop_reason(&self) -> Option<&str> {
        self.message.result()?.get("stopReason")?.as_str()
    }

    /// Returns the updates of a session that came before the answer.
    pub(super) fn updates<'a>(&'a self, session: &'a str) -> impl Iterator<Item = &'a Value> {
        self.before.iter().filter_map(move |message| update_of(message, session))
    }
}

/// Returns the update of a message, if it is one of this session.
pub(super) fn update_of<'a>(message: &'a Message, session: &str) -> Option<&'a Value> {
    let ours = message.method() == Some("session/update") && message.params().get("sessionId")? == session;
    if ours { message.params().get("update") } else { None }
}
