//! Results of handlers.

use acp_rpc::Reply;
use acp_types::method;
use acp_types::v1::AuthMethod;
use serde_core::Serialize;

use crate::handler::operation::ServeOperation;
use crate::op;

/// A type that the handler of operation `O` can return in its `Result`; `S` is what a session
/// holds.
///
/// The response of an operation always is one, except where it opens a session. These are made into
/// a response:
///
#[doc = include_str!("../generated/results.md")]
///
/// The hook `auth_methods` returns a `Vec<AuthMethod>`, and a function with `#[ext]` anything that
/// is `Serialize`. A function with `#[on]` and a marker of your own returns the response that the
/// marker names.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a result of the operation `{O}`",
    label = "the operation cannot return this",
    note = "`prompt` returns `Result<StopReason>`, and most other operations return `Result<()>`",
    note = "operations that open a session return `Result<Opened<T>>` with the `T` of `new_session`",
    note = "`#[ext]` requests return a `Result` of any `Serialize` type"
)]
pub trait IntoReply<O: ServeOperation, S: Send + Sync + 'static> {
    /// Makes the answer.
    fn into_reply(self) -> O::Answer<S>;
}

impl<S: Send + Sync + 'static> IntoReply<op::Initialize, S> for Vec<AuthMethod> {
    fn into_reply(self) -> Vec<AuthMethod> {
        self
    }
}

impl<S: Send + Sync + 'static, T: Serialize + Send + 'static> IntoReply<op::Extension, S> for T {
    fn into_reply(self) -> Reply {
        Reply::new(self)
    }
}

impl<M, S, T> IntoReply<op::Request<M>, S> for T
where
    M: method::Request<Params: Clone + Sync, Response = T> + 'static,
    S: Send + Sync + 'static,
    T: Serialize + Send + 'static,
{
    fn into_reply(self) -> T {
        self
    }
}
