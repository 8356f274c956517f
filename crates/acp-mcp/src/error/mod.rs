//! The errors between an agent and an MCP server.

#[cfg(feature = "over-acp")]
mod acp_call;
#[cfg(feature = "oauth")]
mod authorization;
mod url_elicitation;
mod words;

use std::fmt;
use std::time::Duration;

use rmcp::model::ProtocolVersion;

#[cfg(feature = "over-acp")]
pub use self::acp_call::AcpCallError;
#[cfg(feature = "over-acp")]
pub(crate) use self::acp_call::UNKNOWN_SERVER;
#[cfg(feature = "oauth")]
pub use self::authorization::AuthorizationError;
pub use self::url_elicitation::{NotVisited, UrlElicitation};
pub(crate) use self::words::{cut, shortened};

/// An error between an agent and an MCP server.
///
/// `Display` says what to do where that is known. It shows the exit status and the last lines of
/// stderr of a server that died, and the message of an error that a server answered with. It never
/// shows arguments, results, headers or variables.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum McpError {
    /// The server's program could not be started.
    Spawn {
        /// The program.
        program: String,
        /// The reason.
        problem: String,
    },
    /// The server's process ended.
    Exited {
        /// The exit status. `None` when a signal ended the process.
        status: Option<i32>,
        /// The signal that ended the process.
        signal: Option<i32>,
        /// The last lines that the process wrote to stderr.
        stderr_tail: String,
    },
    /// The two sides have no version in common that the policy allows.
    NoCommonVersion {
        /// The versions that the policy allows here.
        client: Vec<ProtocolVersion>,
        /// The versions that the server listed.
        server: Vec<ProtocolVersion>,
    },
    /// The server needs a handshake, and the [version policy](crate::VersionPolicy) allows none.
    ServerIsLegacy {
        /// The reaction of the server when it was asked for its versions.
        evidence: String,
    },
    /// The server answered `initialize` with a version that this crate does not speak, or that the
    /// policy does not allow.
    UnsupportedServerVersion {
        /// The version that was asked for.
        asked: ProtocolVersion,
        /// The version that the server answered with.
        answered: ProtocolVersion,
    },
    /// The server needs a capability that was not declared (-32021).
    MissingClientCapability {
        /// The capabilities that it names.
        required: Vec<String>,
    },
    /// The server says that the headers and the body of a request disagree (-32020).
    HeaderMismatch,
    /// The server wants credentials (HTTP 401 or 403), and there are none for it.
    AuthRequired {
        /// The HTTP status.
        status: u16,
        /// The header `WWW-Authenticate` of the answer.
        challenge: Option<String>,
    },
    /// The server wants an authorization by OAuth, and it failed.
    #[cfg(feature = "oauth")]
    Authorization(AuthorizationError),
    /// The server answered with a failure status of HTTP.
    Http {
        /// The HTTP status.
        status: u16,
    },
    /// The server could not be reached, or the connection broke.
    Unreachable {
        /// The reason.
        problem: String,
    },
    /// The server's certificate is not accepted: its authority is not trusted, it is for another
    /// host, or it has expired. Nothing was sent.
    Certificate {
        /// The reason.
        problem: String,
    },
    /// There was no answer in time.
    Timeout {
        /// A phase of connecting, or a method.
        waiting_for: &'static str,
        /// The time limit.
        waited: Duration,
    },
    /// The transport of the server is not known, or not compiled into this build.
    TransportNotSupported {
        /// The transport, as `mcpServers` names it.
        transport: String,
    },
    /// A header of the server's configuration cannot be sent.
    Header {
        /// The name of the header.
        name: String,
        /// The reason.
        problem: &'static str,
    },
    /// The address of the server is not valid.
    Address {
        /// The reason.
        problem: String,
    },
    /// The server did not declare the capability that this call needs. Nothing was sent.
    NotSupported {
        /// The capability, as the server would declare it.
        capability: &'static str,
    },
    /// The server lacks an extension that is required: see [`OnMissing::Reject`](crate::OnMissing).
    MissingExtension {
        /// The identifier of the extension.
        extension: String,
    },
    /// No connected server has this tool.
    UnknownTool {
        /// The name that was asked for.
        name: String,
    },
    /// The arguments of a tool are not a JSON object.
    Arguments {
        /// The tool, as the model names it.
        tool: String,
    },
    /// The server answered with a JSON-RPC error.
    Rpc {
        /// The method.
        method: &'static str,
        /// The code.
        code: i32,
        /// The words of the server, shortened.
        message: String,
    },
    /// A legacy server answers only after the user has visited web pages (-32042). See
    /// [`Elicitation`](crate::Elicitation).
    UrlElicitationRequired {
        /// The method.
        method: &'static str,
        /// The pages.
        elicitations: Vec<UrlElicitation>,
        /// The reason why the pages were not visited.
        reason: NotVisited,
    },
    /// The server does not have the resource: a legacy server says so by -32002, a modern one by
    /// -32602 with the name of the resource.
    ResourceNotFound {
        /// The resource.
        uri: String,
    },
    /// A limit of the session is reached. Nothing was sent.
    TooMany {
        /// The things that are counted.
        what: &'static str,
        /// The limit.
        most: usize,
    },
    /// The client does not provide the server, or does not provide it any more. The server is not
    /// asked again, because a server that is provided anew has another id.
    #[cfg(feature = "over-acp")]
    NotProvided {
        /// The words of the client.
        problem: String,
    },
    /// The request did not reach a server that the client provides, or the answer did not come
    /// back.
    #[cfg(feature = "over-acp")]
    Acp {
        /// The method.
        method: &'static str,
        /// The reason.
        error: AcpCallError,
    },
    /// The server's answer is not valid for the method.
    InvalidResult {
        /// The method.
        method: &'static str,
        /// The fault.
        problem: &'static str,
    },
    /// The call was cancelled here.
    Cancelled,
    /// The session was shut down.
    Closed,
}

impl McpError {
    pub(crate) fn rpc(method: &'static str, code: i32, message: &str) -> Self {
        Self::Rpc { method, code, message: shortened(message) }
    }

    #[cfg(feature = "http")]
    pub(crate) fn certificate(problem: &str) -> Self {
        Self::Certificate { problem: shortened(problem) }
    }

    /// Puts the name of the resource into an error about a resource.
    pub(crate) fn of_resource(self, uri: &str) -> Self {
        match self {
            Self::ResourceNotFound { .. } => Self::ResourceNotFound { uri: uri.to_owned() },
            error => error,
        }
    }

    /// Tells whether another start of the server may succeed although nobody has changed anything.
    /// Users are not asked again for an authorization that they have declined.
    pub(crate) const fn may_pass(&self) -> bool {
        match self {
            #[cfg(feature = "oauth")]
            Self::Authorization(_) => false,
            #[cfg(feature = "over-acp")]
            Self::NotProvided { .. } => false,
            Self::AuthRequired { .. }
            | Self::Certificate { .. }
            | Self::NoCommonVersion { .. }
            | Self::ServerIsLegacy { .. }
            | Self::UnsupportedServerVersion { .. }
            | Self::MissingClientCapability { .. }
            | Self::MissingExtension { .. } => false,
            _ => true,
        }
    }

    pub(crate) fn unreachable(problem: impl fmt::Display) -> Self {
        Self::Unreachable { problem: shortened(&problem.to_string()) }
    }
}

impl fmt::Display for McpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spawn { program, problem } => write!(f, "`{program}` could not be started: {problem}"),
            Self::Exited { status, signal, stderr_tail } => {
                f.write_str("the server's process ended")?;
                match (status, signal) {
                    (Some(status), _) => write!(f, " with status {status}")?,
                    (None, Some(signal)) => write!(f, " by signal {signal}")?,
                    (None, None) => {}
                }
                match stderr_tail.trim() {
                    "" => Ok(()),
                    tail => write!(f, "; its last words on stderr:\n{tail}"),
                }
            }
            Self::NoCommonVersion { client, server } => write!(
                f,
                "no version of MCP in common: {} here, {} on the server; update one of them, or widen the version \
                 policy",
                List(client),
                List(server)
            ),
            Self::ServerIsLegacy { evidence } => write!(
                f,
                "the server speaks only versions of MCP that begin with `initialize` ({evidence}), and the version \
                 policy allows none of them: update the server, or allow older versions"
            ),
            Self::UnsupportedServerVersion { asked, answered } => write!(
                f,
                "the server answered `initialize` for MCP {asked} with version {}, which this client does not speak",
                shortened(answered.as_str())
            ),
            Self::MissingClientCapability { required } => {
                write!(f, "the server needs capabilities that were not declared: {}", required.join(", "))
            }
            Self::HeaderMismatch => {
                f.write_str("the server says that the headers of a request disagree with its body")
            }
            Self::AuthRequired { status, .. } => {
                write!(f, "the server wants credentials (HTTP {status}): give it a header `Authorization`")?;
                // Without the feature the advice would be of no use.
                if cfg!(feature = "oauth") {
                    f.write_str(", or the session an authorization by OAuth")
                } else {
                    Ok(())
                }
            }
            #[cfg(feature = "oauth")]
            Self::Authorization(error) => write!(f, "the server was not authorized: {error}"),
            Self::Http { status } => write!(f, "the server answered with HTTP {status}"),
            Self::Unreachable { problem } => write!(f, "the server cannot be reached: {problem}"),
            #[cfg(feature = "over-acp")]
            Self::NotProvided { problem } => write!(f, "the server cannot be reached: {problem}"),
            Self::Certificate { problem } => write!(f, "the server's certificate is not accepted: {problem}"),
            Self::Timeout { waiting_for, waited } => {
                write!(f, "the server did not answer `{waiting_for}` within {waited:?}")
            }
            Self::TransportNotSupported { transport } => {
                write!(f, "MCP servers of type `{transport}` are not supported by this agent")
            }
            Self::Header { name, problem } => write!(f, "the header `{name}` cannot be sent: {problem}"),
            Self::Address { problem } => write!(f, "the server's `url` is not usable: {problem}"),
            Self::NotSupported { capability } => {
                write!(f, "nothing was sent: the server did not declare the capability `{capability}`")
            }
            Self::MissingExtension { extension } => {
                write!(f, "the server does not have the extension `{extension}`")
            }
            Self::UnknownTool { name } => {
                write!(f, "no connected MCP server has a tool `{}`", shortened(name))
            }
            Self::Arguments { tool } => write!(f, "the arguments of `{tool}` must be a JSON object"),
            Self::Rpc { method, code, message } => {
                write!(f, "the server answered `{method}` with error {code}: {message}")
            }
            Self::UrlElicitationRequired { method, elicitations, reason } => {
                write!(f, "the server answers `{method}` only after the user has visited")?;
                for (at, asked) in elicitations.iter().enumerate() {
                    let and = if at == 0 { "" } else { ", and" };
                    write!(f, "{and} {} ({})", asked.place(), shortened(&asked.message))?;
                }
                f.write_str(match reason {
                    NotVisited::NobodyAsks => "; no handler asks the user to",
                    NotVisited::Declined => "; the user declined",
                    NotVisited::NotEnough => "; the user agreed, and the server refused again",
                })
            }
            Self::ResourceNotFound { uri } => write!(f, "the server has no resource `{}`", shortened(uri)),
            Self::TooMany { what, most } => {
                write!(f, "nothing was sent: the limit of {most} {what} is reached")
            }
            #[cfg(feature = "over-acp")]
            Self::Acp { method, error } => write!(f, "`{method}` did not get through: {error}"),
            Self::InvalidResult { method, problem } => {
                write!(f, "the server's answer to `{method}` is not valid: {problem}")
            }
            Self::Cancelled => f.write_str("the call was cancelled"),
            Self::Closed => f.write_str("the MCP session was shut down"),
        }
    }
}

impl std::error::Error for McpError {}

#[cfg(feature = "oauth")]
impl From<AuthorizationError> for McpError {
    fn from(error: AuthorizationError) -> Self {
        Self::Authorization(error)
    }
}

struct List<'a>(&'a [ProtocolVersion]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (at, version) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{version}")?;
        }
        Ok(())
    }
}
