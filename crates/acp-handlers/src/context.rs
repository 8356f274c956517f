//! The context of a call, which each side has its own of.

use std::fmt;

use acp_json::{Node, ReadError};
use acp_rpc::Error as RpcError;
use acp_types::op::Op;

/// The context of a call: everything that a side knows of it beside the params.
pub trait CallContext: Clone + Send + Sync + 'static {
    /// The error of handlers.
    type Error: From<RpcError> + fmt::Display + Send + 'static;
    /// The part of [`Handlers`](crate::Handlers) that only this side has.
    type Special: Default;

    /// Returns the error object that answers a request.
    fn into_rpc(error: Self::Error) -> RpcError;

    /// Reads the params of a message.
    ///
    /// # Errors
    /// They do not fit.
    fn read<O: Op>(&self, params: Node<'_>) -> Result<O::Params, ReadError>;

    /// Runs the handler of a request, as long as the side lets it.
    fn run<T: Send>(
        &self,
        handler: impl Future<Output = Result<T, Self::Error>> + Send,
    ) -> impl Future<Output = Result<T, Self::Error>> + Send {
        handler
    }

    /// Reports a notification without effect. Its sender cannot be told.
    fn ignored(&self, method: &str, reason: &str);
}
