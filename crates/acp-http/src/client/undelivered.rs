//! Requests whose way to the server failed.

use acp_json::{Node, Value};
use acp_rpc::Error as RpcError;
use serde_json::json;

use super::error::Error;

/// The member of an error's `data` that says it.
const MEMBER: &str = "undelivered";

/// The reason why a request over HTTP failed on its way to the server. The connection goes on.
///
/// Such a request fails with an error of this side instead of an answer of the agent. It is never
/// repeated by itself.
///
/// ```
/// # fn run(error: &acp_rpc::Error) {
/// match acp_http::Undelivered::of(error) {
///     Some(acp_http::Undelivered::OutcomeUnknown) => println!("look whether it was done"),
///     Some(_) => println!("it was not done: try again"),
///     None => println!("the agent answered with an error"),
/// }
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undelivered {
    /// The request did not reach the server.
    NotSent,
    /// The server refused the request with this status.
    Refused(u16),
    /// The agent may have got the request, and may have done it: the outcome is unknown.
    OutcomeUnknown,
}

impl Undelivered {
    /// Finds the reason in the error that a request failed with, such as that of
    /// `CallError::Remote`. It is `None` for an error of the agent.
    #[must_use]
    pub fn of(error: &RpcError) -> Option<Self> {
        match error.data.as_ref()?.get(MEMBER)? {
            Node::Str(word) if word == "not sent" => Some(Self::NotSent),
            Node::Str(word) if word == "outcome unknown" => Some(Self::OutcomeUnknown),
            status => Some(Self::Refused(status.as_i64()?.try_into().ok()?)),
        }
    }

    /// Returns the error of a request.
    pub(super) fn error(self, problem: &Error) -> RpcError {
        let (reason, advice) = match self {
            Self::NotSent => (json!("not sent"), "it was not sent"),
            Self::Refused(status) => (json!(status), "it was not done"),
            Self::OutcomeUnknown => {
                (json!("outcome unknown"), "the agent may have done it: look before you send it again")
            }
        };
        let mut error = RpcError::new(RpcError::INTERNAL_ERROR, format!("{problem}; {advice}"));
        error.data = Value::new(&json!({ MEMBER: reason })).ok();
        error
    }
}
