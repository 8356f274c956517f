//! Both ends of a bridge, line by line.

use acp_cli::bridge::Bridge;
use acp_client::{ProtocolVersion, Transport};
use acp_testkit::ScriptedPeer;
use serde_json::{Value, json};

use super::PATIENCE;

pub(super) const V1: ProtocolVersion = ProtocolVersion::V1;
pub(super) const V2: ProtocolVersion = ProtocolVersion::V2;

/// One end of a connection, line by line.
pub(super) struct Raw(ScriptedPeer);

impl Raw {
    pub(super) fn pair() -> (Self, Transport) {
        let (transport, peer) = ScriptedPeer::pair_of(64 * 1024);
        (Self(peer.patience(PATIENCE).reads_late()), transport)
    }

    pub(super) async fn read(&mut self) -> Value {
        self.0.next().await.expect("it is JSON").expect("there is one").into_json()
    }

    /// Reads a request or notification.
    pub(super) async fn get(&mut self, method: &str) -> Value {
        self.0.expect(method).await.expect("it comes").into_json()
    }

    pub(super) async fn result(&mut self, request: &Value, result: Value) {
        self.0.answer(request, result).await.expect("it is read");
    }

    pub(super) async fn error(&mut self, request: &Value, error: Value) {
        self.0.fail_with(request, error).await.expect("it is read");
    }

    /// Reads a request, and answers it.
    pub(super) async fn answer(&mut self, method: &str, result: Value) -> Value {
        let request = self.get(method).await;
        self.result(&request, result).await;
        request["params"].clone()
    }

    pub(super) async fn update(&mut self, update: Value) {
        self.0.update("s", update).await.expect("it is read");
    }

    pub(super) async fn notify(&mut self, method: &str, params: Value) {
        self.0.notify(method, params).await.expect("it is read");
    }

    pub(super) async fn ask(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        self.0.ask(&id.into(), method, params).await.expect("it is read");
    }

    /// Sends a request, and returns everything up to its answer.
    pub(super) async fn request(&mut self, id: u64, method: &str, params: Value) -> Vec<Value> {
        self.ask(id, method, params).await;
        self.until(|message| message["id"] == id && message.get("method").is_none()).await
    }

    /// Returns everything up to this message.
    pub(super) async fn until(&mut self, is_last: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut read = Vec::new();
        loop {
            let message = self.read().await;
            let is_it = is_last(&message);
            read.push(message);
            if is_it {
                return read;
            }
        }
    }

    /// Reads up to the answer of a request, and returns it.
    pub(super) async fn answered(&mut self, id: u64) -> Value {
        let mut read = self.until(|message| message["id"] == id && message.get("method").is_none()).await;
        read.pop().expect("is there")
    }
}

/// A client and an agent with a bridge between them, and a session.
pub(super) async fn opened_as(client: ProtocolVersion, agent: ProtocolVersion) -> (Raw, Raw) {
    opened_with(client, agent, json!({})).await
}

/// Opens a session like [`opened_as`], with this `_meta` in the agent's answer to `initialize`.
pub(super) async fn opened_with(
    client_version: ProtocolVersion,
    agent_version: ProtocolVersion,
    meta: Value,
) -> (Raw, Raw) {
    opened_by(client_version, agent_version, meta, |bridge| bridge).await
}

/// Opens a session like [`opened_with`], by a bridge that `set_up` changes.
pub(super) async fn opened_by(
    client_version: ProtocolVersion,
    agent_version: ProtocolVersion,
    meta: Value,
    set_up: impl FnOnce(Bridge) -> Bridge,
) -> (Raw, Raw) {
    let (mut agent, transport) = Raw::pair();
    let (mut client, near) = Raw::pair();
    let connect = acp_client::connect(transport).versions([agent_version]);
    let mut bridged = tokio::spawn(set_up(Bridge::new(connect)).serve(near));
    let info = json!({"name": "a", "version": "1"});
    let initialized = match agent_version {
        V1 => json!({"protocolVersion": 1, "agentInfo": info, "agentCapabilities": {}, "_meta": meta}),
        _ => json!({"protocolVersion": 2, "info": info, "capabilities": {"session": {}}, "_meta": meta}),
    };
    let script = async {
        let asked = agent.answer("initialize", initialized).await;
        let info = if agent_version == V1 { &asked["clientInfo"] } else { &asked["info"] };
        assert_eq!(
            (asked["protocolVersion"].as_u64(), info["name"].as_str()),
            (Some(agent_version.0.into()), Some("c"))
        );
        agent.answer("session/new", json!({"sessionId": "s"})).await;
    };
    let asking = async {
        let info = json!({"name": "c", "version": "1"});
        let asked = match client_version {
            V1 => {
                json!({"protocolVersion": 1, "clientInfo": info, "clientCapabilities": {"elicitation": {"form": {}}}})
            }
            _ => json!({"protocolVersion": 2, "info": info, "capabilities": {"elicitation": {"form": {}}}}),
        };
        let answers = client.request(1, "initialize", asked).await;
        assert_eq!(answers[0]["result"]["protocolVersion"], client_version.0, "{answers:?}");
        client.request(2, "session/new", json!({"cwd": "/w", "mcpServers": []})).await;
    };
    tokio::select! {
        ((), ()) = async { tokio::join!(script, asking) } => {}
        ended = &mut bridged => panic!("{ended:?}"),
    }
    (client, agent)
}
