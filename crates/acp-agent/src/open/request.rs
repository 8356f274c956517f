//! Requests that open a session.

use acp_types::Meta;
use acp_types::v1::{
    LoadSessionRequest, LoadSessionResponse, McpServer, NewSessionRequest, NewSessionResponse,
    SessionConfigOption, SessionId, SessionModeState,
};

use crate::op::Op;

/// An operation that opens a session.
pub trait OpensSession: Op {
    /// Set if updates wait for the answer.
    const HOLDS_UPDATES: bool;

    /// Returns the session's id, if the client names it.
    fn session_id(params: &Self::Params) -> Option<&SessionId>;
    /// Returns the session that the new one forks.
    fn forks(_: &Self::Params) -> Option<&SessionId> {
        None
    }
    /// Returns the params, for the operation whose handler also opens stored sessions again.
    fn of_request_for_new(_: NewSessionRequest) -> Option<Self::Params> {
        None
    }
    /// Returns the working directory.
    fn cwd(params: &Self::Params) -> &str;
    /// Returns the other directories.
    fn additional_directories(params: &Self::Params) -> &[String];
    /// Returns the MCP servers.
    fn mcp_servers(params: &Self::Params) -> &[McpServer];
    /// Makes the answer.
    fn response(
        id: SessionId,
        modes: Option<SessionModeState>,
        config_options: Option<Vec<SessionConfigOption>>,
        meta: Option<Meta>,
    ) -> Self::Response;
}

/// Implements the trait. The requests have the same members, except for the session's id, which a
/// new session does not have yet.
macro_rules! opens {
    (
        $marker:ident, $request:ty, named: $named:expr, holds: $holds:literal, answer: $answer:expr
        $(, of_request_for_new: $of_new:expr)? $(, forks: $forks:expr)?
    ) => {
        impl $crate::OpensSession for $crate::op::$marker {
            const HOLDS_UPDATES: bool = $holds;

            fn session_id(params: &$request) -> Option<&$crate::types::SessionId> {
                let named: fn(&$request) -> Option<&$crate::types::SessionId> = $named;
                named(params)
            }

            $(fn forks(params: &$request) -> Option<&$crate::types::SessionId> {
                let forks: fn(&$request) -> Option<&$crate::types::SessionId> = $forks;
                forks(params)
            })?

            $(fn of_request_for_new(request: $crate::types::NewSessionRequest) -> Option<$request> {
                let of_new: fn($crate::types::NewSessionRequest) -> Option<$request> = $of_new;
                of_new(request)
            })?

            fn cwd(params: &$request) -> &str {
                &params.cwd
            }

            fn additional_directories(params: &$request) -> &[String] {
                &params.additional_directories
            }

            fn mcp_servers(params: &$request) -> &[$crate::types::McpServer] {
                &params.mcp_servers
            }

            fn response(
                id: $crate::types::SessionId,
                modes: Option<$crate::types::SessionModeState>,
                config_options: Option<Vec<$crate::types::SessionConfigOption>>,
                meta: Option<$crate::Meta>,
            ) -> Self::Response {
                let answer: fn($crate::types::SessionId) -> Self::Response = $answer;
                let mut response = answer(id);
                response.modes = modes;
                response.config_options = config_options;
                response.meta = meta;
                response
            }
        }
    };
}

pub(crate) use opens;

opens!(
    NewSession, NewSessionRequest,
    named: |_| None, holds: true, answer: |id| NewSessionResponse::new(id), of_request_for_new: Some
);
opens!(
    LoadSession, LoadSessionRequest,
    named: |params| Some(&params.session_id), holds: false, answer: |_| LoadSessionResponse::new()
);
