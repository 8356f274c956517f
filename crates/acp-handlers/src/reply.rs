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
    label = "the operation cannot be answered with this",
    note = "every operation takes its response, and those with an empty one `Result<()>`; `#[ext]` requests return \
            anything that can be serialized",
    note = "an agent's `prompt` returns `Result<StopReason>`; operations that open a session return \
            `Result<Opened<T>>` with the `T` of `new_session`",
    note = "a client's `request_permission` returns `Result<PermissionAnswer>`, `read_text_file` returns `Result<String>`"
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
