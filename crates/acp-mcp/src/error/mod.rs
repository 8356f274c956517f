//! What can go wrong between an agent and an MCP server.

#[cfg(feature = "oauth")]
mod authorization;
mod url_elicitation;

use std::fmt;
use std::time::Duration;

use rmcp::model::ProtocolVersion;

#[cfg(feature = "oauth")]
pub use self::authorization::AuthorizationError;
pub use self::url_elicitation::{NotVisited, UrlElicitation};

/// How much of a server's own words an error repeats, in bytes.
const LONGEST_WORDS: usize = 500;

/// What can go wrong between an agent and an MCP server.
///
/// `Display` says what to do where that is known. It shows the exit status and the last lines of stderr of a server
/// that died, and the message of an error a server answered with; never arguments, results, headers or variables.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum McpError {
    /// The server's program could not be started.
    Spawn {
        /// The program.
        program: String,
        /// Why.
        problem: String,
    },
    /// The server's process ended.
    Exited {
        /// Its exit status; `None` when a signal ended it.
        status: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
        /// The last lines it wrote to stderr.
        stderr_tail: String,
    },
    /// The two sides have no version in common that may be agreed on (rule `mcp-neg-07`).
    NoCommonVersion {
        /// What may be agreed on here.
        client: Vec<ProtocolVersion>,
        /// What the server listed.
        server: Vec<ProtocolVersion>,
    },
    /// The server needs a handshake, and the [version policy](crate::VersionPolicy) allows none (rule `mcp-neg-33`).
    ServerIsLegacy {
        /// What the server did when it was asked for its versions.
        evidence: String,
    },
    /// The server answered `initialize` with a version that is not spoken here, or must not be (rule `mcp-neg-60`).
    UnsupportedServerVersion {
        /// What was asked for.
        asked: ProtocolVersion,
        /// What the server answered.
        answered: ProtocolVersion,
    },
    /// The server needs a capability that was not declared (-32021, rule `mcp-neg-13`).
    MissingClientCapability {
        /// The capabilities it names.
        required: Vec<String>,
    },
    /// The server found that headers and body of a request disagree (-32020).
    HeaderMismatch,
    /// The server wants credentials (HTTP 401 or 403), and nothing here has any for it.
    AuthRequired {
        /// The HTTP status.
        status: u16,
        /// The header `WWW-Authenticate` of the answer.
        challenge: Option<String>,
    },
    /// The server wants an authorization by OAuth, and there is none.
    #[cfg(feature = "oauth")]
    Authorization(AuthorizationError),
    /// The server answered with an HTTP status that means failure.
    Http {
        /// The HTTP status.
        status: u16,
    },
    /// The server could not be reached, or the connection broke.
    Unreachable {
        /// Why.
        problem: String,
    },
    /// The server does not prove to be whom it should be: its certificate is of an authority that is not trusted, or of
    /// another host, or has expired. Nothing was sent.
    Certificate {
        /// Why.
        problem: String,
    },
    /// There was no answer in time.
    Timeout {
        /// What was waited for: a phase of connecting, or a method.
        waiting_for: &'static str,
        /// How long was waited.
        waited: Duration,
    },
    /// The server is reached in a way that this build does not have, or that is not known (rule `acp-mcp-05`).
    TransportNotSupported {
        /// The transport, as `mcpServers` names it.
        transport: String,
    },
    /// A header of the server's configuration cannot be sent.
    Header {
        /// Its name.
        name: String,
        /// Why.
        problem: &'static str,
    },
    /// The address of the server is not one.
    Address {
        /// Why.
        problem: String,
    },
    /// The server did not declare what this call needs. Nothing was sent (rule `mcp-neg-14`).
    NotSupported {
        /// The capability, as the server would declare it.
        capability: &'static str,
    },
    /// The server does not have an extension that must not be done without (rule `mcp-neg-19`).
    MissingExtension {
        /// Its identifier.
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
        /// The server's words, shortened.
        message: String,
    },
    /// A legacy server does not answer before the user has visited web pages (-32042). See
    /// [`Elicitation`](crate::Elicitation).
    UrlElicitationRequired {
        /// The method.
        method: &'static str,
        /// The pages.
        elicitations: Vec<UrlElicitation>,
        /// Why that did not happen.
        reason: NotVisited,
    },
    /// The server has no such resource: -32002 of a legacy server, -32602 that names the resource of a modern one.
    ResourceNotFound {
        /// The resource.
        uri: String,
    },
    /// There are as many of something as there may be. Nothing was sent.
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
    /// The client does not provide the server, or not any more. It is not asked again: a server that is provided anew has
    /// another id.
    #[cfg(feature = "over-acp")]
    NotProvided {
        /// What the client said.
        problem: String,
    },
    /// The request did not get to a server that the client provides, or its answer not back.
    #[cfg(feature = "over-acp")]
    Acp {
        /// The method.
        method: &'static str,
        /// Why.
        error: crate::over_acp::AcpCallError,
    },
    /// The server's answer is not one that the method has.
    InvalidResult {
        /// The method.
        method: &'static str,
        /// What is wrong with it.
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

    /// About this resource, if it is about one.
    pub(crate) fn of_resource(self, uri: &str) -> Self {
        match self {
            Self::ResourceNotFound { .. } => Self::ResourceNotFound { uri: uri.to_owned() },
            error => error,
        }
    }

    /// Tells whether another start of the server may end otherwise, without anybody having done something about it. Users
    /// are not asked again for what they have declined.
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

pub(crate) fn shortened(text: &str) -> String {
    cut(text, LONGEST_WORDS)
}

/// At most so many bytes of a text, and a sign that there were more.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    format!("{}…", text.get(..end).unwrap_or_default())
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
                "the server answered `initialize` for MCP {asked} with version {}, which is not spoken here",
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
                // What there is no feature for cannot be switched on.
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
                    NotVisited::NobodyAsks => "; there is nobody who asks the user to",
                    NotVisited::Declined => "; the user declined",
                    NotVisited::NotEnough => "; the user agreed, and it was not enough for the server",
                })
            }
            Self::ResourceNotFound { uri } => write!(f, "the server has no resource `{}`", shortened(uri)),
            Self::TooMany { what, most } => {
                write!(f, "nothing was sent: there are {most} {what} already, and not more are taken")
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
