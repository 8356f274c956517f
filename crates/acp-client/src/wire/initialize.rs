//! The choice of the version.

use std::fmt::Display;

use acp_json::{Node, ReadError, Value};
use acp_rpc::{CallError, Peer};
use acp_types::v1::{AgentCapabilities, InitializeRequest, InitializeResponse, McpServer, ProtocolVersion};

use crate::Error;
use crate::wire::Wire;
use crate::wire::ask::Message;
use crate::wire::initialized::Initialized;
#[cfg(feature = "v2")]
use crate::wire::v2::{self, message::Params};

/// No version at or below the one that was asked for is spoken by the agent.
const UNSUPPORTED_VERSION: i32 = -32022;

/// The meaning of an answer to `initialize`.
#[derive(Debug)]
pub(crate) enum Meaning {
    /// The agent speaks this version. The note is about an answer that contradicts itself.
    Speaks { wire: Wire, initialized: Box<Initialized>, note: Option<String> },
    /// The agent speaks version 1, and was asked in the form of version 2: it has not seen the
    /// capabilities of version 1.
    #[cfg(feature = "v2")]
    FallsBack { initialized: Box<Initialized>, note: Option<String> },
    /// The agent must be asked for this version.
    Asks(Wire),
}

impl Wire {
    /// Returns the versions to speak.
    ///
    /// # Errors
    /// There are none, or one is not spoken here.
    pub(crate) fn of_versions(versions: &[ProtocolVersion]) -> Result<Vec<Self>, Error> {
        let refused = |problem: &dyn Display| {
            Error::argument(Self::default().method::<InitializeRequest>(), "protocolVersion", problem)
        };
        let wire = |version: &ProtocolVersion| match *version {
            ProtocolVersion::V1 => Ok(Self::V1),
            #[cfg(feature = "v2")]
            ProtocolVersion::V2 => Ok(Self::V2),
            ProtocolVersion(other) => Err(refused(&format_args!("is {other}, which is not spoken here"))),
        };
        if versions.is_empty() {
            return Err(refused(&"has no version to choose from"));
        }
        versions.iter().map(wire).collect()
    }

    /// Asks the agent for its version and its capabilities. `spoken` are the versions that are
    /// spoken here.
    pub(crate) async fn initialize(
        self,
        peer: &Peer,
        request: &InitializeRequest,
        spoken: &[Self],
    ) -> Result<Meaning, Error> {
        let method = self.method::<InitializeRequest>();
        let answer = match self {
            Self::V1 => peer.request(method, request).await,
            #[cfg(feature = "v2")]
            Self::V2 => peer.request(method, &Params(request)).await,
        };
        self.meaning(answer, spoken)
    }

    /// Returns the meaning of the answer of an agent that was asked for this version.
    pub(crate) fn meaning(self, answer: Result<Value, CallError>, spoken: &[Self]) -> Result<Meaning, Error> {
        match answer {
            Ok(result) => self.meaning_of_result(result.into_node(), spoken),
            Err(CallError::Remote(error)) if error.code == UNSUPPORTED_VERSION => {
                let supported = supported(error.data.as_ref());
                let other = spoken.iter().find(|wire| **wire != self && supported.contains(&wire.version()));
                other.map(|wire| Meaning::Asks(*wire)).ok_or_else(|| Error::NoCommonVersion {
                    spoken: spoken.iter().map(|wire| wire.version()).collect(),
                    supported,
                    error: Some(error),
                })
            }
            // Some agents of version 1 refuse params that they do not know.
            #[cfg(feature = "v2")]
            Err(CallError::Remote(error))
                if self == Self::V2
                    && error.code == acp_rpc::Error::INVALID_PARAMS
                    && spoken.contains(&Self::V1) =>
            {
                Ok(Meaning::Asks(Self::V1))
            }
            Err(error) => Err(self.failed::<InitializeRequest>(None, error)),
        }
    }

    fn meaning_of_result(self, result: Node<'_>, spoken: &[Self]) -> Result<Meaning, Error> {
        let shape = Shape::of(&result);
        let unread = |error| self.unread::<InitializeRequest>(error);
        match self {
            Self::V1 => {
                let _ = spoken;
                let (answered, initialized) = first(result).map_err(unread)?;
                let is_first = answered == ProtocolVersion::V1;
                if !is_first && (answered < ProtocolVersion::V1 || shape != Shape::V1) {
                    return Err(Error::Version { asked: self.version(), answered });
                }
                let note = (!is_first).then(|| liar(answered));
                let initialized = Box::new(initialized);
                Ok(Meaning::Speaks { wire: Self::V1, initialized, note })
            }
            #[cfg(feature = "v2")]
            Self::V2 => {
                let second = (shape == Shape::V2).then(|| v2::initialize::read(result.clone()));
                let (answered, initialized) = first(result).map_err(unread)?;
                match (answered, second) {
                    (ProtocolVersion::V2, Some(Ok(initialized))) => {
                        let initialized = Box::new(initialized);
                        Ok(Meaning::Speaks { wire: Self::V2, initialized, note: None })
                    }
                    (ProtocolVersion::V1 | ProtocolVersion::V2, _) if !spoken.contains(&Self::V1) => {
                        Err(Error::Version { asked: self.version(), answered: ProtocolVersion::V1 })
                    }
                    (ProtocolVersion::V1 | ProtocolVersion::V2, _) => {
                        let note = (answered != ProtocolVersion::V1).then(|| liar(answered));
                        Ok(Meaning::FallsBack { initialized: Box::new(initialized), note })
                    }
                    _ => Err(Error::Version { asked: self.version(), answered }),
                }
            }
        }
    }

    /// Returns true if an agent with these capabilities has sessions. In version 2 it need not.
    pub(crate) const fn has_sessions(self, offered: &AgentCapabilities) -> bool {
        match self {
            Self::V1 => {
                let _ = offered;
                true
            }
            #[cfg(feature = "v2")]
            Self::V2 => offered.load_session,
        }
    }

    /// Checks that the version has MCP servers of these kinds, and the agent takes them if only
    /// version 2 lets it choose.
    pub(crate) fn check_servers(
        self,
        servers: &[McpServer],
        takes_stdio: bool,
        method: &'static str,
    ) -> Result<(), Error> {
        match self {
            Self::V1 => {
                let _ = (servers, takes_stdio, method);
                Ok(())
            }
            #[cfg(feature = "v2")]
            Self::V2 => {
                if servers.iter().any(|server| matches!(server, McpServer::Sse(_))) {
                    let what = "an MCP server over SSE";
                    return Err(Error::Unsupported { method, what, version: self.version() });
                }
                if !takes_stdio && servers.iter().any(|server| matches!(server, McpServer::Stdio(_))) {
                    return Err(Error::NotOffered { method, capability: "session.mcp.stdio" });
                }
                Ok(())
            }
        }
    }

    /// Returns the error of an answer that cannot be read.
    fn unread<M: Message>(self, error: ReadError) -> Error {
        let method = self.method::<M>().to_owned();
        self.failed::<M>(None, CallError::Read { method, error })
    }
}

/// The form of a result. Agents have been seen that answer with any version that they are asked
/// for, in the form of version 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    V1,
    V2,
    Neither,
}

impl Shape {
    fn of(result: &Node<'_>) -> Self {
        let has = |name| result.get(name).is_some_and(|member| !member.is_null());
        if has("agentCapabilities") || has("agentInfo") {
            Self::V1
        } else if has("info") {
            Self::V2
        } else {
            Self::Neither
        }
    }
}

/// Reads a result in the form of version 1, and returns the version that it names.
fn first(result: Node<'_>) -> Result<(ProtocolVersion, Initialized), ReadError> {
    let mut response: InitializeResponse = acp_json::read(result)?;
    let answered = std::mem::replace(&mut response.protocol_version, ProtocolVersion::V1);
    Ok((answered, Initialized { response, takes_stdio_servers: true }))
}

fn liar(answered: ProtocolVersion) -> String {
    format!(
        "the agent answered `initialize` with version {}, in the form of version 1: taken for version 1",
        answered.0
    )
}

/// Returns the versions that an agent names in its refusal.
fn supported(data: Option<&Value>) -> Vec<ProtocolVersion> {
    let Some(Node::Seq(versions)) = data.and_then(|data| data.get("supported")) else { return Vec::new() };
    let version = |version: &Node<'_>| version.as_i64().and_then(|version| u16::try_from(version).ok());
    versions.iter().filter_map(version).map(ProtocolVersion).collect()
}
