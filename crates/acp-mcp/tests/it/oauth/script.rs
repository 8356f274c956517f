//! The behaviour of the scripted servers.

use serde_json::{Value, json};

/// The behaviour of the servers. Values of metadata and answers are merged into correct ones; null
/// takes a member out.
#[derive(Clone)]
pub struct Script {
    /// True if refusals say where the metadata is.
    pub points: bool,
    /// The scope that refusals with 401 name.
    pub scope: Option<&'static str>,
    /// The scope that a call needs.
    pub call_needs: Option<&'static str>,
    /// True if a call needs another scope each time.
    pub insatiable: bool,
    pub resource_path: &'static str,
    pub resource: Value,
    /// The path of the issuer.
    pub issuer_path: &'static str,
    pub metadata_path: &'static str,
    pub metadata: Value,
    pub registration: Value,
    /// The parameters of the redirect: `iss=right`, `iss=wrong`, `error=…`.
    pub redirect: &'static str,
    pub token: Value,
    /// A status instead of an answer to a refresh token.
    pub refresh_status: Option<u16>,
    /// True if the server ignores the scopes that a token has.
    pub is_forgetful: bool,
    /// The index of the right authorization server.
    pub issuer: usize,
    /// True if no token is accepted.
    pub takes_none: bool,
    /// True for a server of 2024-11-05.
    pub is_sse: bool,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            points: true,
            scope: None,
            call_needs: None,
            insatiable: false,
            resource_path: "/.well-known/oauth-protected-resource/mcp",
            resource: json!({}),
            issuer_path: "",
            metadata_path: "/.well-known/oauth-authorization-server",
            metadata: json!({}),
            registration: json!({}),
            redirect: "",
            token: json!({}),
            refresh_status: None,
            is_forgetful: false,
            issuer: 0,
            takes_none: false,
            is_sse: false,
        }
    }
}
