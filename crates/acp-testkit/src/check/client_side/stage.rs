//! The client under check: its start, the agent's lines, and how far the client comes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::agent::Agent;
use super::options::ClientOptions;
use super::reach::Point;
use super::start::running::{AgentStart, Running};
use super::start::target::ClientTarget;
use crate::check::client::with;
use crate::check::never::Never;
use crate::check::subject::{Recording, Reply, Step, Subject};
use crate::check::verdict::Stop;
use crate::check::version::Version;
use crate::peer::{Line, Message, ScriptedPeer};

/// The time for which an agent that was started may still connect after its client has ended.
const LATE: Duration = Duration::from_secs(1);

/// A client that is started when it is needed, and the agent that the checker plays for it.
pub(in crate::check) struct Stage {
    pub(super) options: Arc<ClientOptions>,
    target: Arc<ClientTarget>,
    running: Option<Running>,
    start: Option<AgentStart>,
    /// The agent, which a scenario may change before the client is started.
    pub(super) agent: Agent,
    /// The text of the next prompt.
    pub(super) prompt: String,
    /// The capabilities that the client has named.
    offered: Value,
    recordings: Vec<Recording>,
    /// True once the client has sent `initialize`, on any connection.
    pub(super) greets: bool,
    /// The points that an ordinary start has not come to, with the reason.
    pub(super) unreached: HashMap<Point, String>,
    /// True if the client does not end by itself.
    pub(super) stays: bool,
    /// True if the client uses what an agent need not offer, and so may give up without it.
    pub(super) wants_more: bool,
    /// True if the client sets modes or options.
    pub(super) sets: bool,
    /// True if the client asks for the second page of the list.
    pub(super) pages: bool,
    /// The version that the client asks for.
    pub(super) asked_version: Option<u64>,
    /// True once the client has answered a permission request by itself.
    pub(super) answers_alone: bool,
    /// The reason why permission requests say nothing about this client.
    pub(super) no_consent: Option<String>,
    /// A request whose answer may come before a call that is waited for, and that answer.
    pub(super) awaited: Option<Value>,
    pub(super) early: Option<Message>,
    /// Files that the client was made to write.
    pub(super) files: Vec<PathBuf>,
}

impl Stage {
    pub(super) fn new(target: Arc<ClientTarget>, options: Arc<ClientOptions>) -> Self {
        Self {
            agent: Agent::full(options.version, &options.cwd),
            prompt: options.prompt.clone(),
            options,
            target,
            running: None,
            start: None,
            offered: Value::Null,
            recordings: Vec::new(),
            greets: false,
            unreached: HashMap::new(),
            stays: false,
            wants_more: false,
            sets: false,
            pages: false,
            asked_version: None,
            answers_alone: false,
            no_consent: None,
            awaited: None,
            early: None,
            files: Vec::new(),
        }
    }

    /// Waits for the next start of the agent by the client.
    pub(super) async fn agent_start(&mut self) -> Step<AgentStart> {
        if self.running.is_none() {
            let running = self.target.start(&self.prompt, &self.options);
            self.running =
                Some(running.map_err(|error| Stop::Gone(format!("the client does not start: {error}")))?);
        }
        let limit = self.options.limit;
        let running = self.running.as_mut().ok_or_else(|| Stop::Gone("no client runs".to_owned()))?;
        let child = running.process.as_ref().map(|process| process.child.clone());
        let ended = async {
            match &child {
                Some(child) => child.wait().await,
                None => std::future::pending().await,
            }
        };
        let started = tokio::select! {
            biased;
            start = timeout(limit, running.agents.recv()) => start,
            exit = ended => match timeout(LATE, running.agents.recv()).await {
                Ok(start) => Ok(start),
                Err(_) => {
                    let reason = "the client has ended without starting its agent";
                    return Err(Stop::Gone(format!("{reason}: {exit}")));
                }
            },
        };
        match started {
            Ok(Some(mut start)) => {
                start.peer.set_patience(limit);
                Ok(start)
            }
            Ok(None) => Err(Stop::Gone("the client starts no agent any more".to_owned())),
            Err(_) => Err(Stop::Silent(format!("the client has not started its agent for {limit:?}"))),
        }
    }

    /// Returns the reason of a stop, with the end of a client that is a program, or else its last
    /// lines on stderr.
    pub(super) async fn with_last_words(&mut self, stop: Stop) -> String {
        let is_gone = matches!(stop, Stop::Gone(_) | Stop::Fail(_));
        let reason = stop.reason();
        let process = self.running.as_ref().and_then(|running| running.process.as_ref());
        let Some(child) = process.map(|process| process.child.clone()) else { return reason };
        if is_gone {
            // Without a start the client has ended before, which the reason says.
            let Some(start) = &mut self.start else { return reason };
            start.peer.close().await;
            if let Ok(exit) = timeout(self.options.limit, child.wait()).await {
                return format!("{reason}: {exit}");
            }
        }
        let tail = child.stderr_tail();
        let tail = tail.trim();
        if tail.is_empty() { reason } else { format!("{reason}; its last words on stderr:\n{tail}") }
    }

    /// Takes the connection that is over, so that the next one of the same client can come.
    pub(super) fn set_aside(&mut self) {
        if let Some(start) = self.start.take() {
            self.recordings.push(Recording { lines: start.peer.lines().to_vec() });
        }
        (self.agent.initialized, self.agent.prompt) = (false, None);
    }

    /// Takes a next start of the agent as the connection.
    pub(super) fn go_on_with(&mut self, start: AgentStart) {
        self.start = Some(start);
    }

    /// Lets the client go its own way to the end. The last lines count, too.
    async fn leave(&mut self) -> Step {
        let stays = self.stays;
        if self.agent.prompt.is_some() {
            self.finish("end_turn").await?;
        }
        if !stays {
            self.peer().await?.set_patience(Duration::from_secs(2));
            self.stays = !matches!(self.drain().await, Err(Stop::Gone(_)));
        }
        let peer = self.peer().await?;
        peer.close().await;
        peer.set_patience(Duration::from_millis(500));
        self.drain().await
    }

    /// Serves the client until it says nothing more.
    async fn drain(&mut self) -> Step {
        loop {
            self.next("the end of the connection").await?;
            if self.agent.prompt.is_some() {
                self.finish("end_turn").await?;
            }
        }
    }

    /// Waits until the client has made a call of one of these methods.
    pub(super) async fn until(&mut self, methods: &[&str]) -> Step<Message> {
        let expected = format!("a call of `{}`", methods.join("` or `"));
        loop {
            let message = self.next(&expected).await?;
            if message.method().is_some_and(|method| methods.contains(&method)) {
                return Ok(message);
            }
        }
    }

    /// Ends the turn of the open prompt.
    pub(super) async fn finish(&mut self, reason: &str) -> Step {
        if let Some(prompt) = self.agent.prompt.take() {
            for line in self.agent.end(&prompt, reason) {
                self.peer().await?.send(&line).await?;
            }
        }
        Ok(())
    }

    /// Sends a request of the open turn's session and waits for its answer.
    pub(super) async fn ask(&mut self, method: &str, params: Value) -> Step<Reply> {
        let session = self.turn().await?;
        self.call(method, with(params, "sessionId", session.into())).await
    }

    /// Sends a piece of a message of the agent with these members.
    pub(super) async fn say(&mut self, members: Value) -> Step {
        let mut piece = with(members, "sessionUpdate", "agent_message_chunk".into());
        if self.options.version != Version::V1 {
            piece = with(piece, "messageId", "acp-check-said".into());
        }
        self.update(piece).await
    }

    /// Sends an update of the open turn's session.
    pub(super) async fn update(&mut self, update: Value) -> Step {
        let session = self.turn().await?;
        Ok(self.peer().await?.update(&session, update).await?)
    }

    /// Makes the client cancel its turn, and waits until it has.
    pub(super) async fn cancelled(&mut self) -> Step {
        self.turn().await?;
        if !self.running.as_mut().is_some_and(Running::cancel) {
            let reason = "nobody can make the client cancel its turn";
            return Err(Never::Cancel.stop(&self.options.never, reason));
        }
        self.reach(Point::Cancel).await
    }

    /// Ends the client's stdin, and waits for the end of the connection. Returns true if the client
    /// has closed the agent's stdin, false if it has ended the agent before, and `None` if nobody
    /// knows.
    pub(super) async fn closing(&mut self) -> Step<Option<bool>> {
        // A client that takes one line after the other ends when there are no more.
        if let Some(running) = &mut self.running {
            running.end_stdin();
        }
        loop {
            match self.next("the end of the connection").await {
                Ok(_) => {}
                Err(Stop::Gone(_)) => break,
                Err(stop) => return Err(stop),
            }
        }
        Ok(self.start.as_mut().and_then(|start| start.closed.try_recv().ok()))
    }
}

impl Subject for Stage {
    const NAME: &'static str = "client";
    const LOST: &'static str = "the client does not initialize an ordinary agent";

    fn is_lost(&self, rule: &str) -> bool {
        !self.comes_to(Point::Initialized) && rule != "v1-tr-01"
    }

    fn lines(&self) -> &[Line] {
        self.start.as_ref().map_or(&[], |start| start.peer.lines())
    }

    fn recordings(&self) -> &[Recording] {
        &self.recordings
    }

    /// Returns the connection to the client. The client is started if it does not run.
    async fn peer(&mut self) -> Step<&mut ScriptedPeer> {
        if self.start.is_none() {
            let start = self.agent_start().await?;
            self.start = Some(start);
        }
        let start = self.start.as_mut().ok_or_else(|| Stop::Gone("there is no connection".to_owned()))?;
        Ok(&mut start.peer)
    }

    /// Waits until the client has got as far as it comes by itself.
    async fn ready(&mut self) -> Step {
        for point in [Point::Initialized, Point::Session, Point::Prompt] {
            if self.comes_to(point) {
                self.reach(point).await?;
            }
        }
        if self.comes_to(Point::Initialized) { Ok(()) } else { self.reach(Point::Initialized).await }
    }

    async fn next(&mut self, expected: &str) -> Step<Message> {
        self.peer().await?;
        let Some(start) = self.start.as_mut() else { return Err(Stop::Gone("no client runs".to_owned())) };
        loop {
            let Some(line) = start.peer.line_or(expected).await? else {
                return Err(Stop::Gone(format!("the client has closed the connection: expected {expected}")));
            };
            let Some(json) = line.json().filter(Value::is_object) else { continue };
            let message = Message::new(json);
            self.greets |= message.method() == Some("initialize");
            if message.is_request() {
                if message.method() == Some("initialize") {
                    let member = self.options.version.offers();
                    self.offered = message.params().get(member).cloned().unwrap_or_default();
                }
                for line in self.agent.answer(&message) {
                    start.peer.send(&line).await?;
                }
            }
            if message.is_answer() && message.id().is_some() && message.id() == self.awaited.as_ref() {
                self.early = Some(message.clone());
            }
            return Ok(message);
        }
    }

    /// Ends the turn and the client with everything that it has started.
    async fn disconnect(&mut self) {
        if self.start.is_some() {
            let _ = self.leave().await;
        }
        self.set_aside();
        if let Some(running) = self.running.take() {
            running.end().await;
        }
        self.agent = Agent::full(self.options.version, &self.options.cwd);
        self.prompt.clone_from(&self.options.prompt);
        self.offered = Value::Null;
        (self.awaited, self.early) = (None, None);
        for file in self.files.drain(..) {
            // A client may have refused to write it.
            let _ = std::fs::remove_file(file);
        }
    }

    async fn is_alive(&mut self) -> bool {
        self.call("_acp_check/alive", json!({})).await.is_ok()
    }

    async fn capability(&mut self, path: &str) -> Step<Value> {
        self.ready().await?;
        let pointer = format!("/{}", path.replace('.', "/"));
        Ok(self.offered.pointer(&pointer).cloned().unwrap_or_default())
    }

    fn is_offer(&self, value: &Value) -> bool {
        self.options.version.is_offer(value)
    }

    fn gives_up(message: &Message) -> bool {
        message.method() == Some("session/cancel")
    }
}
