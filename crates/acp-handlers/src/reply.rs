//! The results of handlers.

use acp_rpc::Reply;
use acp_types::method;
use acp_types::op::{self, Op};
use serde_core::Serialize;

use crate::serve::ServeRequest;

/// A context in which the handler of operation `O` can return a `V` in its `Result`. Each side
/// implements it for its own context, so a type of the protocol can be a result.
#[diagnostic::on_unimplemented(
    message = "`{V}` is not a result of the operation `{O}`",
    label = "the operation cannot return this",
    note = "every operation can return a `Result` of its response, and `Result<()>` if the response is empty",
    note = "`#[ext]` requests return a `Result` of any `Serialize` type",
    note = "in an agent: `prompt` returns `Result<StopReason>`, and operations that open a session return \
            `Result<Opened<T>>` with the `T` of `new_session`",
    note = "in a client: `request_permission` can return `Result<PermissionAnswer>`, and `read_text_file` `Result<String>`"
)]
pub trait Returns<O: Op, V>: ServeRequest<O> {
    /// Makes the answer.
    fn answer(value: V) -> Self::Answer;
}

impl<T, Cx> Returns<op::Extension, T> for Cx
where
    T: Serialize + Send + 'static,
    Cx: ServeRequest<op::Extension, Answer = Reply>,
{
    fn answer(value: T) -> Reply {
        Reply::new(value)
    }
}

impl<M, T, Cx> Returns<op::Request<M>, T> for Cx
where
    M: method::Request<Params: Clone + Sync, Response = T> + 'static,
    T: Serialize + Send + 'static,
    Cx: ServeRequest<op::Request<M>, Answer = <M as method::Request>::Response>,
{
    fn answer(value: T) -> Self::Answer {
        value
    }
}
