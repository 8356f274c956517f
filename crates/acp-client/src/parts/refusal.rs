//! Errors that name the field and the session at fault.

use acp_json::{Map, Value};
use acp_types::v1::SessionId;

use crate::RpcError;

/// Builds -32602: the value of the field is impossible.
pub(crate) fn invalid(field: &'static str, problem: &str, session: &SessionId) -> RpcError {
    refusal(RpcError::INVALID_PARAMS, field, problem, session)
}

/// Builds an error that names the field and the session.
pub(crate) fn refusal(code: i32, field: &'static str, problem: &str, session: &SessionId) -> RpcError {
    let data = Map::from([("field", Value::from(field)), ("sessionId", Value::from(session.as_str()))]);
    RpcError::new(code, format!("`{field}` {problem} (session `{session}`)")).with_data(Value::from(data))
}
