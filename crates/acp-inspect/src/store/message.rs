//! The facts of a line that the index keeps.

use acp_json::Node;
use acp_testkit::recordings::{Direction, opposite};
use acp_types::method::Side;
use acp_types::{v1, v2};

use super::entry::Kind;

/// The longest id that is paired, in bytes.
const LONGEST_ID: usize = 256;

/// The most MCP servers of a session that are noted.
const MOST_SERVERS: usize = 64;

/// The facts of a line.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) kind: Kind,
    pub(super) method: Option<String>,
    /// The id as JSON.
    pub(super) id: Option<String>,
    pub(super) session: Option<String>,
    pub(super) update: Option<String>,
    pub(super) is_error: bool,
    pub(super) is_json: bool,
    /// The version of an answer to `initialize`.
    pub(super) version: Option<u64>,
    /// The id of the MCP server that a message is for.
    pub(super) server: Option<String>,
    /// The ids and names of the MCP servers that a session gets over this connection.
    pub(super) servers: Vec<(String, String)>,
}

impl Facts {
    /// Reads a line. One that is no message is of the kind `Other`.
    pub(super) fn read(line: &[u8]) -> Self {
        let mut facts = Self {
            kind: Kind::Other,
            method: None,
            id: None,
            session: None,
            update: None,
            is_error: false,
            is_json: false,
            version: None,
            server: None,
            servers: Vec::new(),
        };
        let Ok(node) = acp_json::parse_slice(line) else { return facts };
        facts.is_json = true;
        let text = |node: &Node<'_>, name: &str| node.get(name).and_then(Node::as_str).map(str::to_owned);
        facts.method = text(&node, "method");
        facts.id = node.get("id").and_then(|id| serde_json::to_string(id).ok());
        facts.id = facts.id.filter(|id| id.len() <= LONGEST_ID);
        facts.is_error = node.get("error").is_some();
        let payload = node.get("params").or_else(|| node.get("result"));
        facts.session = payload.and_then(|payload| text(payload, "sessionId"));
        facts.version = payload.and_then(|payload| payload.get("protocolVersion")).and_then(Node::as_u64);
        facts.server = payload.and_then(|payload| text(payload, "serverId"));
        if let Some(Node::Seq(servers)) = payload.and_then(|payload| payload.get("mcpServers")) {
            let lent =
                servers.iter().filter_map(|server| Some((text(server, "serverId")?, text(server, "name")?)));
            facts.servers = lent.take(MOST_SERVERS).collect();
        }
        facts.update = payload
            .and_then(|payload| payload.get("update"))
            .and_then(|update| text(update, "sessionUpdate"));
        facts.kind = match (&facts.method, node.get("id").is_some()) {
            (Some(_), true) => Kind::Request,
            (Some(_), false) => Kind::Notification,
            (None, true) if facts.is_error || node.get("result").is_some() => Kind::Response,
            (None, _) => Kind::Other,
        };
        facts
    }

    /// Returns the direction of the client's lines, if this line tells it.
    pub(super) fn client(&self, direction: Direction) -> Option<Direction> {
        let method = self.method.as_deref()?;
        let info =
            v1::methods::METHODS.iter().chain(v2::methods::METHODS).find(|info| info.name == method)?;
        match info.handler {
            Side::Agent => Some(direction),
            Side::Client => Some(opposite(direction)),
            _ => None,
        }
    }
}
