//! An agent played by the test, line by line, over a pipe in memory.

#[cfg(target_os = "linux")]
pub(crate) mod alone;
#[cfg(unix)]
pub(crate) mod place;
#[cfg(target_os = "linux")]
pub(crate) mod processes;

use acp_client::{Agent, Connect, Session, Transport};
use acp_types::method::Side;
use serde_json::{Value, json};
use testkit::ScriptedPeer;

use crate::schema;

/// The agent's end of the pipe. Each line of the client is checked against the schema of the
/// version that is spoken.
pub(crate) struct Wire(ScriptedPeer);

/// A transport for the client, and the other end of it.
pub(crate) fn pipe() -> (Transport, Wire) {
    let (transport, peer) = ScriptedPeer::pair_of(64 * 1024);
    // Tests are about agents that do not read, and about what the client keeps for them.
    let mut peer = peer.reads_late().keep(8).limit(usize::MAX);
    schema::watch(&mut peer, Side::Client);
    (transport, Wire(peer))
}

impl Wire {
    /// Lets the client write what the schema does not have.
    pub(crate) fn unchecked(&mut self) {
        self.0.unwatch();
    }

    /// Returns the next message of the client.
    pub(crate) async fn receive(&mut self) -> Value {
        self.next().await.expect("the client has sent something")
    }

    /// Returns the next message of the client, or `None` if it has closed the connection.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        self.0.next().await.unwrap().map(testkit::Message::into_json)
    }

    /// Returns the next message, which must be a call of this method.
    pub(crate) async fn expect(&mut self, method: &str) -> Value {
        self.0.expect(method).await.unwrap().into_json()
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.0.send(&message).await.unwrap();
    }

    /// Sends bytes as they are.
    pub(crate) async fn raw(&mut self, text: impl AsRef<[u8]>) {
        self.0.raw(text).await.unwrap();
    }

    pub(crate) async fn answer(&mut self, request: &Value, result: Value) {
        self.0.answer(request, result).await.unwrap();
    }

    pub(crate) async fn fail(&mut self, request: &Value, error: Value) {
        self.0.fail_with(request, error).await.unwrap();
    }

    pub(crate) async fn update(&mut self, session: &str, update: Value) {
        self.0.update(session, update).await.unwrap();
    }

    pub(crate) async fn text(&mut self, session: &str, text: &str) {
        self.update(session, chunk(text)).await;
    }

    /// Calls the client and returns its answer. No other message may come before it.
    pub(crate) async fn call(&mut self, id: Value, method: &str, params: Value) -> Value {
        self.0.ask(&id, method, params).await.unwrap();
        self.0.expect_answer(&id).await.unwrap().into_json()
    }

    /// Answers `initialize`, with these capabilities.
    pub(crate) async fn initialize(&mut self, capabilities: Value) -> Value {
        let request = self.expect("initialize").await;
        self.answer(&request, json!({"protocolVersion": 1, "agentCapabilities": capabilities})).await;
        request
    }
}

pub(crate) fn chunk(text: &str) -> Value {
    json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})
}

/// Returns a connection to an agent with these capabilities.
pub(crate) async fn connected(set_up: impl FnOnce(Connect) -> Connect, capabilities: Value) -> (Agent, Wire) {
    let (transport, mut wire) = pipe();
    let (agent, _) =
        tokio::join!(set_up(acp_client::connect(transport)).into_future(), wire.initialize(capabilities));
    (agent.expect("the versions agree"), wire)
}

/// Returns a connection and one session on it, `s1`.
pub(crate) async fn with_session(set_up: impl FnOnce(Connect) -> Connect) -> (Session, Wire) {
    let (agent, mut wire) = connected(set_up, json!({})).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    (session, wire)
}

/// Opens a session with this answer of the agent.
pub(crate) async fn open(agent: &Agent, wire: &mut Wire, opened: Value) -> Session {
    let (session, ()) = tokio::join!(agent.new_session("/work").into_future(), async {
        let request = wire.expect("session/new").await;
        wire.answer(&request, opened).await;
    });
    session.expect("the agent opens a session")
}
