//! The agent under check: a connection, sessions and turns on it, and what was learnt from them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::Permission;
use super::never::Never;
use super::options::Options;
use super::subject::{Recording, Reply, Step, Subject, update_of};
use super::target::Target;
use super::verdict::Stop;
use crate::peer::{Line, Message, ScriptedPeer};

/// The prompt that takes a while, if the options name none.
const LONG: &str = "Count from one to one thousand in words, one number a line, without tools.";

/// The number of starts without success after which the rest is not tried.
const STARTS: usize = 3;

/// A connection to the agent, made when it is needed.
pub(super) struct Tester {
    pub(super) options: Arc<Options>,
    target: Arc<Target>,
    peer: Option<ScriptedPeer>,
    pub(super) initialized: Option<Value>,
    /// The session that scenarios of this connection share, and the result that opened it.
    shared: Option<(String, Value)>,
    pub(super) permission: Permission,
    recordings: Vec<Recording>,
    /// The number of starts, one after the other, after which the agent did not initialize.
    failed_starts: usize,
    start: Start,
}

/// The outcome of the first start of the agent.
enum Start {
    Untried,
    /// The agent has answered `initialize`, at one start at least.
    Reached,
    /// It has not, for the reason of the first start.
    Failed(String),
}

impl Tester {
    pub(super) fn new(target: Arc<Target>, options: Arc<Options>) -> Self {
        Self {
            options,
            target,
            peer: None,
            initialized: None,
            shared: None,
            permission: Permission::Allow,
            recordings: Vec::new(),
            failed_starts: 0,
            start: Start::Untried,
        }
    }

    /// Returns the reason of the first start if the agent has not answered `initialize` at any.
    pub(super) fn unreached(&self) -> Option<&str> {
        match &self.start {
            Start::Failed(reason) => Some(reason),
            Start::Untried | Start::Reached => None,
        }
    }

    /// Returns the result of `initialize`, which is called for a client that offers everything
    /// unless that is done.
    pub(super) async fn initialize_result(&mut self) -> Step<&Value> {
        if self.initialized.is_none() {
            self.initialize(self.options.version.everything()).await?;
        }
        self.initialized.as_ref().ok_or_else(|| Stop::Inconclusive("it is not initialized".to_owned()))
    }

    /// Initializes with these capabilities of the client.
    pub(super) async fn initialize(&mut self, capabilities: Value) -> Step<&Value> {
        let reply = self.call("initialize", self.options.version.hello(&capabilities)).await;
        // Until it has succeeded it counts as a failure.
        self.failed_starts += 1;
        let reason = match reply {
            Ok(reply) => match reply.message.result() {
                Some(result) => {
                    (self.failed_starts, self.start) = (0, Start::Reached);
                    self.options.version.agreed(result)?;
                    return Ok(self.initialized.insert(result.clone()));
                }
                None => "it answers with an error".to_owned(),
            },
            Err(Stop::Silent(reason)) => self.with_last_words(reason),
            Err(Stop::Gone(reason) | Stop::Fail(reason)) => self.with_end(reason).await,
            Err(other) => return Err(other),
        };
        let reason = format!("it does not initialize: {reason}");
        if matches!(self.start, Start::Untried) {
            self.start = Start::Failed(reason.clone());
        }
        Err(Stop::Inconclusive(reason))
    }

    /// Adds the last lines on stderr of an agent that runs.
    fn with_last_words(&self, reason: String) -> String {
        let tail = self.peer.as_ref().and_then(ScriptedPeer::stderr_tail).unwrap_or_default();
        let tail = tail.trim();
        if tail.is_empty() { reason } else { format!("{reason}; its last words on stderr:\n{tail}") }
    }

    /// Adds the end of an agent that has closed the connection.
    async fn with_end(&mut self, reason: String) -> String {
        let Some(peer) = &mut self.peer else { return reason };
        match peer.end().await {
            Some(exit) => format!("{reason}: {exit}"),
            None => reason,
        }
    }

    /// Takes the next message of a turn, which may take as long as a turn.
    pub(super) async fn wait(&mut self, expected: &str) -> Step<Message> {
        let (limit, turn_limit) = (self.options.limit, self.options.turn_limit);
        self.peer().await?.set_patience(turn_limit);
        let message = self.next(expected).await;
        self.peer().await?.set_patience(limit);
        message.map_err(open_end)
    }

    /// Opens a session of the scenario's own and returns its id.
    pub(super) async fn new_session(&mut self) -> Step<String> {
        Ok(self.open().await?.0)
    }

    async fn open(&mut self) -> Step<(String, Value)> {
        self.ready().await?;
        let params = self.setup();
        let reply = self.call("session/new", params).await.map_err(open_end)?;
        let opened = reply.message.result().cloned().unwrap_or_default();
        let Some(id) = opened.get("sessionId").and_then(Value::as_str).map(str::to_owned) else {
            let login = if reply.message.code() == Some(-32000) { ": it wants a login first" } else { "" };
            return Err(Stop::Inconclusive(format!("no session can be opened{login}")));
        };
        Ok((id, opened))
    }

    /// Returns the session that scenarios of this connection share.
    pub(super) async fn session(&mut self) -> Step<String> {
        Ok(self.opened().await?.0)
    }

    /// Returns the shared session, and the result that opened it.
    pub(super) async fn opened(&mut self) -> Step<(String, Value)> {
        if let Some(shared) = &self.shared {
            return Ok(shared.clone());
        }
        let opened = self.open().await?;
        self.shared = Some(opened.clone());
        Ok(opened)
    }

    /// The params of a session's setup.
    pub(super) fn setup(&self) -> Value {
        json!({"cwd": self.options.cwd, "mcpServers": []})
    }

    /// Starts a turn and returns the id of the request.
    pub(super) async fn start(&mut self, session: &str, text: &str) -> Step<Value> {
        let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]});
        self.request("session/prompt", prompt).await
    }

    /// Waits for the end of a turn. A turn that ends with an error leaves the rule open.
    pub(super) async fn finish(&mut self, id: &Value) -> Step<Reply> {
        let (limit, turn_limit) = (self.options.limit, self.options.turn_limit);
        self.peer().await?.set_patience(turn_limit);
        let reply = self.reply(id).await;
        self.peer().await?.set_patience(limit);
        reply.map_err(open_end)
    }

    /// Returns the prompts that make the agent show what it can.
    pub(super) fn prompts(&self) -> Vec<String> {
        let options = &self.options;
        let more = options.permission_prompt.iter().chain(&options.more_prompts).cloned();
        std::iter::once(options.prompt.clone()).chain(more).collect()
    }

    /// Returns the prompt whose turn lasts until it is cancelled, or any that takes a while. An
    /// agent that never has such a turn gets its ordinary prompt.
    pub(super) fn endless(&self) -> String {
        let options = &self.options;
        let other = if options.never.contains(&Never::Endless) { &options.prompt } else { LONG };
        options.endless_prompt.as_deref().unwrap_or(other).to_owned()
    }

    /// Waits until a turn shows itself by an update of its session. An agent that shows nothing has
    /// begun it before it answers a request that came later.
    pub(super) async fn begun(&mut self, session: &str) -> Step {
        if self.options.endless_prompt.is_none() {
            // A short turn may be over already.
            return match self.fence().await?.iter().any(Message::is_answer) {
                true => {
                    Err(self.options.without(Never::Endless, "the turn has ended before its cancellation"))
                }
                false => Ok(()),
            };
        }
        loop {
            let message = self.wait("the first update of the turn").await?;
            if update_of(&message, session).is_some() {
                return Ok(());
            }
            if message.is_answer() {
                return Err(Stop::Inconclusive("the turn has ended before its first update".to_owned()));
            }
        }
    }

    /// Runs a turn that must succeed for the scenario to say anything.
    pub(super) async fn turn(&mut self, session: &str, text: &str) -> Step<Reply> {
        let id = self.start(session, text).await?;
        let reply = self.finish(&id).await?;
        match reply.message.code() {
            Some(code) => Err(Stop::Inconclusive(format!("the turn ends with the error {code}"))),
            None => Ok(reply),
        }
    }
}

impl Subject for Tester {
    const NAME: &'static str = "agent";
    const LOST: &'static str = "the agent has not initialized several times";

    fn is_lost(&self, _rule: &str) -> bool {
        self.failed_starts >= STARTS
    }

    fn lines(&self) -> &[Line] {
        self.peer.as_ref().map_or(&[], ScriptedPeer::lines)
    }

    fn recordings(&self) -> &[Recording] {
        &self.recordings
    }

    async fn peer(&mut self) -> Step<&mut ScriptedPeer> {
        if self.peer.is_none() {
            let peer =
                self.target.connect().map_err(|error| Stop::Gone(format!("it does not start: {error}")))?;
            self.peer = Some(peer.patience(self.options.limit));
        }
        self.peer.as_mut().ok_or_else(|| Stop::Gone("there is no connection".to_owned()))
    }

    async fn ready(&mut self) -> Step {
        self.initialize_result().await.map(drop)
    }

    async fn next(&mut self, expected: &str) -> Step<Message> {
        let (permission, version) = (self.permission, self.options.version);
        let peer = self.peer().await?;
        loop {
            let Some(line) = peer.line_or(expected).await? else {
                return Err(Stop::Gone(format!("the agent has closed the connection: expected {expected}")));
            };
            let Some(json) = line.json().filter(Value::is_object) else { continue };
            let message = Message::new(json);
            if message.is_request()
                && let Some(answer) = version.answer(&message, permission)
            {
                peer.send(&answer).await?;
            }
            return Ok(message);
        }
    }

    /// Ends the connection, the process behind it and all of its children.
    async fn disconnect(&mut self) {
        if let Some(mut peer) = self.peer.take() {
            peer.close().await;
            peer.set_patience(Duration::from_secs(2));
            // The last lines count, too.
            while let Ok(Some(_)) = peer.next_line().await {}
            peer.end().await;
            self.recordings.push(Recording { lines: peer.lines().to_vec() });
        }
        self.initialized = None;
        self.shared = None;
        self.permission = Permission::Allow;
    }

    async fn is_alive(&mut self) -> bool {
        self.call("session/set_mode", json!({"sessionId": "acp-check-none", "modeId": "x"})).await.is_ok()
    }

    async fn capability(&mut self, path: &str) -> Step<Value> {
        let member = self.options.version.capabilities();
        let result = self.initialize_result().await?;
        let pointer = format!("/{member}/{}", path.replace('.', "/"));
        Ok(result.pointer(&pointer).cloned().unwrap_or_default())
    }

    fn is_offer(&self, value: &Value) -> bool {
        self.options.version.is_offer(value)
    }
}

/// Makes silence a reason that leaves a rule open: the rule is about something that comes later.
fn open_end(stop: Stop) -> Stop {
    match stop {
        Stop::Silent(reason) => Stop::Inconclusive(reason),
        other => other,
    }
}
