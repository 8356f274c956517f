//! A client that speaks in raw lines.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::sync::Arc;
use std::time::Duration;

use acp_agent::{Agent, Options, Result, Serve, Transport};
use acp_types::method::Side;
use serde_json::{Value, json};
use testkit::{Message, ScriptedPeer};
use tokio::task::JoinHandle;

use crate::schema;

/// Only a failing test waits for this long.
const PATIENCE: Duration = Duration::from_secs(300);

/// The client's end of a connection. Each line of the agent is checked against the schema of the
/// version that it speaks.
pub(crate) struct Wire {
    peer: ScriptedPeer,
    served: JoinHandle<Result<()>>,
}

impl Wire {
    /// Serves an agent, without saying anything to it.
    pub(crate) fn serve<A: Agent>(agent: A) -> Self {
        Self::serve_through(Arc::new(agent), 1024 * 1024)
    }

    /// Serves an agent over a pipe that holds this many bytes, with a queue of the same size before
    /// it.
    pub(crate) fn serve_through<A: Agent>(agent: Arc<A>, bytes: usize) -> Self {
        let options = Options::default().outgoing_budget(bytes);
        Self::over(bytes, |transport| acp_agent::serve_with(agent, transport, options))
    }

    /// Serves an agent with these options.
    pub(crate) fn serve_with<A: Agent>(agent: A, options: Options) -> Self {
        Self::serve_as(Serve::new(agent).options(options))
    }

    /// Serves an agent with these settings.
    pub(crate) fn serve_as<A: Agent>(serve: Serve<A>) -> Self {
        Self::over(1024 * 1024, |transport| serve.over(transport))
    }

    fn over<F: Future<Output = Result<()>> + Send + 'static>(
        bytes: usize,
        serve: impl FnOnce(Transport) -> F,
    ) -> Self {
        let (transport, peer) = ScriptedPeer::pair_of(bytes);
        // Tests are about clients that do not read.
        let peer = peer.reads_late().keep(100).limit(usize::MAX).patience(PATIENCE);
        let mut peer = peer.ids_from(101);
        schema::watch(&mut peer, Side::Agent);
        Wire { peer, served: tokio::spawn(serve(transport)) }
    }

    /// Lets the agent write what the schema does not have.
    pub(crate) fn unchecked(mut self) -> Self {
        self.peer.unwatch();
        self
    }

    /// Serves an agent and initializes it with these client capabilities.
    pub(crate) async fn connect<A: Agent>(agent: A, capabilities: Value) -> Self {
        let mut wire = Self::serve(agent);
        wire.initialize(capabilities).await;
        wire
    }

    /// Serves an agent, initializes it and opens a session, whose id is returned.
    pub(crate) async fn open<A: Agent>(agent: A, capabilities: Value) -> (Self, String) {
        let mut wire = Self::connect(agent, capabilities).await;
        let session = wire.new_session().await;
        (wire, session)
    }

    pub(crate) async fn initialize(&mut self, capabilities: Value) -> Value {
        let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
        self.call("initialize", params).await["result"].take()
    }

    pub(crate) async fn new_session(&mut self) -> String {
        let answer = self.call("session/new", json!({"cwd": "/work", "mcpServers": []})).await;
        answer["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// Sends a line as it is.
    pub(crate) async fn send_line(&mut self, line: &str) {
        self.peer.raw(format!("{line}\n")).await.unwrap();
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.peer.send(&message).await.unwrap();
    }

    /// Sends a request and returns its id.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> u64 {
        self.peer.request(method, params).await.unwrap().as_u64().unwrap()
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.peer.notify(method, params).await.unwrap();
    }

    /// Answers a request of the agent's.
    pub(crate) async fn answer(&mut self, request: &Value, result: Value) {
        self.peer.answer(request, result).await.unwrap();
    }

    /// Starts a turn with a text and returns the id of the request.
    pub(crate) async fn prompt(&mut self, session: &str, text: &str) -> u64 {
        let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]});
        self.request("session/prompt", prompt).await
    }

    /// Runs a turn without requests to the client. Returns its updates and its answer.
    pub(crate) async fn turn(&mut self, session: &str, text: &str) -> (Vec<Value>, Value) {
        let prompt = self.prompt(session, text).await;
        let mut updates = Vec::new();
        loop {
            let mut message = self.recv().await;
            if message["id"] == prompt {
                return (updates, message);
            }
            assert_eq!(message["params"]["sessionId"], session, "{message}");
            updates.push(message["params"]["update"].take());
        }
    }

    /// Returns the next message, which must be a request of this method.
    pub(crate) async fn asked(&mut self, method: &str) -> Value {
        let message = self.peer.expect(method).await.unwrap();
        assert!(message.is_request(), "{message:?}");
        message.into_json()
    }

    pub(crate) async fn cancel(&mut self, session: &str) {
        self.notify("session/cancel", json!({"sessionId": session})).await;
    }

    /// Returns the agent's next message. `None` means that the connection is closed.
    pub(crate) async fn try_recv(&mut self) -> Option<Value> {
        self.peer.next().await.unwrap().map(Message::into_json)
    }

    /// Returns the next line of the agent as it came. `None` means that the connection is closed.
    pub(crate) async fn try_recv_line(&mut self) -> Option<String> {
        let line = self.peer.next_line().await.unwrap();
        line.map(|line| String::from_utf8(line.bytes).unwrap())
    }

    pub(crate) async fn recv(&mut self) -> Value {
        self.try_recv().await.expect("the agent has closed the connection")
    }

    /// Sends a request and returns the next message, which must be its answer.
    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params).await;
        self.answer_to(id).await
    }

    /// Returns the next message, which must be the answer to this request.
    pub(crate) async fn answer_to(&mut self, id: u64) -> Value {
        self.peer.expect_answer(&id.into()).await.unwrap().into_json()
    }

    /// Sends a request and expects an error with this code, whose message names all of these.
    pub(crate) async fn refused(&mut self, method: &str, params: Value, code: i64, names: &[&str]) -> Value {
        let answer = self.call(method, params).await;
        check_error(&answer, code, names)
    }

    /// Reads the next message, which must be a `session/update`, and returns its `update`.
    pub(crate) async fn update(&mut self) -> Value {
        let mut message = self.peer.expect("session/update").await.unwrap().into_json();
        message["params"]["update"].take()
    }

    /// Reads the next message, which must be a piece of the answer, and returns its text.
    pub(crate) async fn said(&mut self) -> String {
        let update = self.update().await;
        assert_eq!(update["sessionUpdate"], "agent_message_chunk", "{update}");
        update["content"]["text"].as_str().unwrap().to_owned()
    }

    /// Reads the next message, which must be the answer to this prompt, and returns its stop
    /// reason.
    pub(crate) async fn stopped(&mut self, prompt: u64) -> String {
        let answer = self.answer_to(prompt).await;
        answer["result"]["stopReason"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// Closes the client's side, waits for the agent's end, and returns the last messages.
    pub(crate) async fn close(mut self) -> Vec<Value> {
        self.peer.close().await;
        let mut rest = Vec::new();
        while let Some(message) = self.try_recv().await {
            rest.push(message);
        }
        self.served.await.unwrap().unwrap();
        rest
    }
}

/// Builds params that open a session again by this method. They have only the members that the
/// method requires.
pub(crate) fn reopening(method: &str, session: &str, cwd: &str) -> Value {
    let mut params = json!({"sessionId": session, "cwd": cwd});
    if method == "session/load" {
        params["mcpServers"] = json!([]);
    }
    params
}

/// Checks an error answer: its code, and that its message names all of these.
pub(crate) fn check_error(answer: &Value, code: i64, names: &[&str]) -> Value {
    assert_eq!(answer["error"]["code"], code, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    for name in names {
        assert!(message.contains(name), "{message:?} does not name {name:?}");
    }
    answer["error"].clone()
}
