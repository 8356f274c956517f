//! The results of handlers.

use acp_rpc::Reply;
use acp_types::method;
use serde_core::Serialize;

use crate::op;
use crate::serve::serve_op::Served;

/// A type that the handler of operation `O` can return in its `Result`.
///
/// The response of an operation always is one. These are made into a response:
///
#[doc = include_str!("../generated/results.md")]
///
/// A function with `#[ext]` returns anything that is `Serialize`. A function with `#[on]` and a
/// marker of your own returns the response that the marker names.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a result of the operation `{O}`",
    label = "the operation cannot return this",
    note = "every operation can return a `Result` of its response",
    note = "`request_permission` can also return `Result<Choice>`, and `read_text_file` `Result<String>`",
    note = "`#[ext]` requests return a `Result` of any `Serialize` type"
)]
pub trait IntoReply<O: Served> {
    /// Converts to the answer.
    fn into_reply(self) -> O::Answer;
}

impl<T: Serialize + Send + 'static> IntoReply<op::Extension> for T {
    fn into_reply(self) -> Reply {
        Reply::new(self)
    }
}

impl<M, T> IntoReply<op::Request<M>> for T
where
    M: method::Request<Params: Clone + Sync, Response = T> + 'static,
    T: Serialize + Send + 'static,
{
    fn into_reply(self) -> T {
        self
    }
}
