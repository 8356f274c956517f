//! The behaviour of the scripted servers.

use serde_json::{Value, json};

/// What the servers do. Values of metadata and answers are merged into what is right; null takes a
/// member out.
#[derive(Clone)]
pub struct Script {
    /// Whether refusals say where the metadata is.
    pub points: bool,
    /// The scope that refusals with 401 name.
    pub scope: Option<&'static str>,
    /// The scope that a call needs.
    pub call_needs: Option<&'static str>,
    /// It is another one each time.
    pub insatiable: bool,
    pub resource_path: &'static str,
    pub resource: Value,
    /// The path of the issuer.
    pub issuer_path: &'static str,
    pub metadata_path: &'static str,
    pub metadata: Value,
    pub registration: Value,
    /// What comes with the redirect: `iss=right`, `iss=wrong`, `error=…`.
    pub redirect: &'static str,
    pub token: Value,
    /// A status instead of an answer to a refresh token.
    pub refresh_status: Option<u16>,
    /// It does not see the scopes that a token has.
    pub is_forgetful: bool,
    /// Which of the authorization servers is the right one.
    pub issuer: usize,
    /// No token is good.
    pub takes_none: bool,
    /// It is a server of 2024-11-05.
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
