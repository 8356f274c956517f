//! An agent played by the test, line by line, over a pipe in memory.

#[cfg(target_os = "linux")]
pub(crate) mod alone;
#[cfg(unix)]
pub(crate) mod place;
#[cfg(target_os = "linux")]
pub(crate) mod processes;

use acp_client::{Agent, Connect, Session, Transport};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

use crate::schema::{Lines, Side};

/// A client that is silent for this long stays silent: the test fails instead of hanging.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// The agent's end of the pipe. Each line of the client is checked against the schema of the
/// version that is spoken.
pub(crate) struct Wire {
    lines: BufReader<ReadHalf<DuplexStream>>,
    out: WriteHalf<DuplexStream>,
    checked: Lines,
}

/// A transport for the client, and the other end of it.
pub(crate) fn pipe() -> (Transport, Wire) {
    let (client, agent) = tokio::io::duplex(64 * 1024);
    let (lines, out) = tokio::io::split(agent);
    (
        Transport::from_stream(client),
        Wire { lines: BufReader::new(lines), out, checked: Lines::of(Side::Client) },
    )
}

impl Wire {
    /// Lets the client write what the schema does not have.
    pub(crate) const fn unchecked(&mut self) {
        self.checked.stop();
    }

    /// Returns the next message of the client.
    pub(crate) async fn receive(&mut self) -> Value {
        self.next().await.expect("the client has sent something")
    }

    /// Returns the next message of the client, or `None` if it has closed the connection.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = tokio::time::timeout(PATIENCE, self.lines.read_line(&mut line)).await;
        let read = read.expect("the client says something in time").expect("the pipe works");
        if read > 0 {
            self.checked.wrote(&line);
        }
        (read > 0).then(|| serde_json::from_str(&line).expect("the client sends JSON"))
    }

    /// Returns the next message, which must be a call of this method.
    pub(crate) async fn expect(&mut self, method: &str) -> Value {
        let message = self.receive().await;
        assert_eq!(message["method"], method, "instead of {method}: {message}");
        message
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.raw(format!("{message}\n")).await;
    }

    /// Sends bytes as they are.
    pub(crate) async fn raw(&mut self, text: impl AsRef<[u8]>) {
        let lines = String::from_utf8_lossy(text.as_ref());
        lines.lines().for_each(|line| self.checked.heard(line));
        self.out.write_all(text.as_ref()).await.expect("the client reads");
    }

    pub(crate) async fn answer(&mut self, request: &Value, result: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).await;
    }

    pub(crate) async fn fail(&mut self, request: &Value, error: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "error": error})).await;
    }

    pub(crate) async fn update(&mut self, session: &str, update: Value) {
        let params = json!({"sessionId": session, "update": update});
        self.send(json!({"jsonrpc": "2.0", "method": "session/update", "params": params})).await;
    }

    pub(crate) async fn text(&mut self, session: &str, text: &str) {
        self.update(session, chunk(text)).await;
    }

    /// Calls the client and returns its answer. No other message may come before it.
    pub(crate) async fn call(&mut self, id: Value, method: &str, params: Value) -> Value {
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        let answer = self.receive().await;
        assert_eq!(answer["id"], id, "not the answer to {method}: {answer}");
        answer
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
