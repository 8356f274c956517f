//! Sessions that cannot be used for now, as an agent's error says it.

use std::time::SystemTime;

use acp_json::{Map, Node, Value};

use super::timestamp::{format_timestamp, read_timestamp};
use crate::v1::SessionId;

/// The longest id of a session that an error repeats, in bytes.
const LONGEST_ID: usize = 1024;

/// The reason why a session of an agent cannot be used for now. It is an extension: a member of an
/// error's `data`. The protocol does not have it.
///
/// ```json
/// {"acp-rs/store": {"kind": "busy", "sessionId": "s1", "until": "2026-01-31T12:00:00.250Z"}}
/// ```
///
/// `kind` is `busy`, `changed` or `unavailable`. `sessionId` is left out for `unavailable`, and
/// `until` if the time is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreProblem {
    /// The session is open on another connection or in another process.
    Busy {
        /// The session.
        session: SessionId,
        /// The time, by the clock of the agent, at which the session can be opened even if the
        /// other process never closes it. A process that lives prolongs it.
        until: Option<SystemTime>,
    },
    /// Somebody else has continued the session. Load or resume it to go on.
    Changed {
        /// The session.
        session: SessionId,
    },
    /// The store of the agent's sessions could not be reached, or was too slow. It may be back
    /// later, and then the session goes on.
    Unavailable,
}

impl StoreProblem {
    /// The name of the member of an error's `data`.
    pub const MEMBER: &'static str = "acp-rs/store";

    /// Returns the `data` of an error. It is `None` if the id of the session has more than 1024
    /// bytes.
    #[must_use]
    pub fn to_data(&self) -> Option<Map> {
        let (kind, session, until) = match self {
            Self::Busy { session, until } => ("busy", Some(session), *until),
            Self::Changed { session } => ("changed", Some(session), None),
            Self::Unavailable => ("unavailable", None, None),
        };
        let mut problem = Map::from([("kind", Value::from(kind))]);
        if let Some(session) = session {
            let id = Some(session.as_str()).filter(|id| id.len() <= LONGEST_ID)?;
            problem.insert("sessionId", Value::from(id));
        }
        if let Some(until) = until.and_then(format_timestamp) {
            problem.insert("until", Value::from(until));
        }
        Some(Map::from([(Self::MEMBER, Value::from(problem))]))
    }

    /// Reads the `data` of an error. It is `None` if the problem is not stated there, or in another
    /// form. A time that cannot be read counts as not known.
    #[must_use]
    pub fn from_data(data: &Value) -> Option<Self> {
        let problem = data.get(Self::MEMBER)?;
        let text = |name| problem.get(name).and_then(Node::as_str);
        let session = || text("sessionId").map(SessionId::from);
        match text("kind")? {
            "busy" => Some(Self::Busy { session: session()?, until: text("until").and_then(read_timestamp) }),
            "changed" => Some(Self::Changed { session: session()? }),
            "unavailable" => Some(Self::Unavailable),
            _ => None,
        }
    }
}
