//! The errors of authorizations by OAuth.

use std::fmt;
use std::time::Duration;

use super::words::shortened;

/// The reason why an authorization failed.
///
/// No error contains tokens, codes, secrets or the words of an authorization server. The error
/// codes of OAuth are repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthorizationError {
    /// The server names no authorization server: it wants credentials of another kind.
    NoMetadata,
    /// The metadata of the server or of its authorization server cannot be fetched, or is not
    /// valid.
    Metadata {
        /// The reason.
        problem: String,
    },
    /// The metadata of the server is about another resource (RFC 9728, section 3.3).
    Resource {
        /// The resource that it is about.
        resource: String,
    },
    /// Another issuer answered than the one that was asked: in the metadata (RFC 8414, section
    /// 3.3), or to the browser (RFC 9207).
    Issuer {
        /// The issuer that was asked.
        expected: String,
        /// The issuer that answered, if the answer names one.
        received: Option<String>,
    },
    /// An address of the authorization server does not use https, so no credentials are sent to it.
    /// Plain http is allowed only if the MCP server is reached by http as well.
    Insecure {
        /// The member of the metadata that has the address.
        endpoint: &'static str,
    },
    /// The metadata names an address on this machine, in a private network or in no network, and
    /// the server itself is not at such an address. Nothing was sent there.
    Address {
        /// The host of the address.
        host: String,
    },
    /// The authorization server does not support PKCE with S256, which MCP requires.
    NoPkce,
    /// No client is known for the authorization server, and it does not register clients.
    NoClient {
        /// The authorization server.
        issuer: String,
    },
    /// The authorization server did not register the client.
    Registration {
        /// The error code of the server, or the fault in its answer.
        problem: String,
    },
    /// The loopback port that browsers are sent back to cannot be opened.
    Redirect {
        /// The reason.
        problem: String,
    },
    /// The user declined.
    Declined,
    /// The page could not be shown to the user, or the address that the browser was sent to is not
    /// reported back.
    Unavailable,
    /// The user did not finish in time.
    Timeout {
        /// The time limit.
        waited: Duration,
    },
    /// The browser came back from another authorization.
    State,
    /// The authorization server refused.
    Refused {
        /// Its error code.
        error: String,
    },
    /// The authorization server gave no token.
    Token {
        /// The error code of the server, or the fault in its answer.
        problem: String,
    },
    /// The server refuses a token that was made for it.
    Rejected,
    /// The server asks for scopes that the token has already, or asks for more again and again.
    Scopes {
        /// The scopes that it asks for.
        scopes: Vec<String>,
    },
}

impl fmt::Display for AuthorizationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMetadata => {
                f.write_str("it names no authorization server: give it a header `Authorization`")
            }
            Self::Metadata { problem } => write!(f, "its metadata is not usable: {problem}"),
            Self::Resource { resource } => {
                write!(f, "its metadata is about another resource, `{resource}`")
            }
            Self::Issuer { expected, received: Some(received) } => {
                write!(f, "the authorization server is `{expected}`, and `{received}` answered")
            }
            Self::Issuer { expected, received: None } => {
                write!(f, "the authorization server is `{expected}`, and the answer names no issuer")
            }
            Self::Insecure { endpoint } => {
                write!(f, "the `{endpoint}` of the authorization server is not an https address")
            }
            Self::Address { host } => write!(
                f,
                "what is published about it leads to `{}`, which is on this machine or in a private network, where the \
                 server is not: nothing is sent there",
                shortened(host)
            ),
            Self::NoPkce => f.write_str("the authorization server does not offer PKCE with S256"),
            Self::NoClient { issuer } => write!(
                f,
                "the authorization server `{issuer}` registers no clients: register one there, and give its id to \
                 `OAuth::client`"
            ),
            Self::Registration { problem } => {
                write!(f, "the authorization server did not register a client: {problem}")
            }
            Self::Redirect { problem } => {
                write!(f, "the browser cannot come back to this program: {problem}")
            }
            Self::Declined => f.write_str("the user declined"),
            Self::Unavailable => f.write_str("the page could not be shown to the user"),
            Self::Timeout { waited } => write!(f, "the user did not finish it within {waited:?}"),
            Self::State => f.write_str("the browser came back from another authorization"),
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
