//! Why an authorization did not come about.

use std::fmt;
use std::time::Duration;

use super::shortened;

/// Why an authorization did not come about. Tokens, codes, secrets and the words of authorization servers are in none of
/// these; an error code of OAuth is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthorizationError {
    /// The server names no authorization server: it wants credentials of another kind.
    NoMetadata,
    /// What the server or the authorization server publishes about authorization cannot be had, or is not valid.
    Metadata {
        /// Why.
        problem: String,
    },
    /// What the server publishes is about another resource (RFC 9728, section 3.3).
    Resource {
        /// The resource that it is about.
        resource: String,
    },
    /// Someone else answers than was asked: in the metadata (RFC 8414, section 3.3), or to the browser (RFC 9207).
    Issuer {
        /// Who was asked.
        expected: String,
        /// Who answered, where that was said.
        received: Option<String>,
    },
    /// An address of the authorization server is not one that credentials may be sent to: it needs https, unless the
    /// MCP server is reached by http as well.
    Insecure {
        /// What it is the address of, as the metadata names it.
        endpoint: &'static str,
    },
    /// The server, or its authorization server, names a place on this machine, in a private network or in none at all, and
    /// is not in such a place itself. Nothing was sent there.
    Address {
        /// The host of the place.
        host: String,
    },
    /// The authorization server does not do PKCE with S256, which MCP requires.
    NoPkce,
    /// The authorization server knows no client, and registers none.
    NoClient {
        /// The authorization server.
        issuer: String,
    },
    /// The authorization server did not register the client.
    Registration {
        /// Its error code, or what was wrong with its answer.
        problem: String,
    },
    /// The port of the loopback that browsers are sent back to cannot be listened at.
    Redirect {
        /// Why.
        problem: String,
    },
    /// The user does not want it.
    Declined,
    /// The page could not be shown to the user, or nobody brings back where the browser was sent.
    Unavailable,
    /// The user was not done in time.
    Timeout {
        /// How long was waited.
        waited: Duration,
    },
    /// What came back is not of this authorization.
    State,
    /// The authorization server refused.
    Refused {
        /// Its error code.
        error: String,
    },
    /// The authorization server gave no token.
    Token {
        /// Its error code, or what was wrong with its answer.
        problem: String,
    },
    /// The server refuses a token that was made for it.
    Rejected,
    /// The server wants scopes that it has got already, or more again and again.
    Scopes {
        /// Those that it wants.
        scopes: Vec<String>,
    },
}

impl fmt::Display for AuthorizationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMetadata => {
                f.write_str("it names no authorization server: give it a header `Authorization`")
            }
            Self::Metadata { problem } => write!(f, "what is published about it is not usable: {problem}"),
            Self::Resource { resource } => {
                write!(f, "what is published about it is for another resource, `{resource}`")
            }
            Self::Issuer { expected, received: Some(received) } => {
                write!(f, "the authorization server is `{expected}`, and `{received}` answered")
            }
            Self::Issuer { expected, received: None } => {
                write!(f, "the authorization server is `{expected}`, and the answer names no issuer")
            }
            Self::Insecure { endpoint } => {
                write!(f, "the `{endpoint}` of the authorization server is no https address")
            }
            Self::Address { host } => write!(
                f,
                "what is published about it leads to `{}`, which is on this machine or in a private network, where the \
                 server is not: nothing is sent there",
                shortened(host)
            ),
            Self::NoPkce => f.write_str("the authorization server does not do PKCE with S256"),
            Self::NoClient { issuer } => write!(
                f,
                "the authorization server `{issuer}` registers no clients: register one there, and give its id to \
                 `OAuth::client`"
            ),
            Self::Registration { problem } => {
                write!(f, "the authorization server did not register a client: {problem}")
            }
            Self::Redirect { problem } => write!(f, "browsers cannot be sent back here: {problem}"),
            Self::Declined => f.write_str("the user declined"),
            Self::Unavailable => f.write_str("the page could not be shown to the user"),
            Self::Timeout { waited } => write!(f, "it was not done within {waited:?}"),
            Self::State => f.write_str("what came back is of another authorization"),
            Self::Refused { error } => write!(f, "the authorization server refused with `{error}`"),
            Self::Token { problem } => write!(f, "the authorization server gave no token: {problem}"),
            Self::Rejected => f.write_str("the server refuses the token that was made for it"),
            Self::Scopes { scopes } if scopes.is_empty() => {
                f.write_str("the server wants more scopes, and does not say which")
            }
            Self::Scopes { scopes } => {
                write!(f, "the server still wants the scopes `{}`", scopes.join(" "))
            }
        }
    }
}

impl std::error::Error for AuthorizationError {}
