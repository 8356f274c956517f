//! A server that can be connected.

use std::sync::Arc;

use tokio::sync::Notify;

use super::{Input, Route};
use crate::error::McpError;
use crate::wire::{Wire, WireError};

/// A server that can be connected, more than once.
pub(crate) trait Dial: Send {
    /// Opens a connection.
    fn dial(&mut self, route: Route) -> impl Future<Output = Result<Wire, McpError>> + Send;

    /// Returns the reason why the last connection ended, if it is known.
    fn ended(&mut self) -> impl Future<Output = Option<McpError>> + Send;

    /// Returns a notice for the case that the server has lost its session while the connection goes
    /// on.
    fn renewed(&self) -> Arc<Notify> {
        Arc::default()
    }

    /// Translates an error of the transport for the negotiation.
    fn input(&self, error: &WireError) -> Input;

    /// Returns the error behind an [`Input::Unreachable`] or an [`Input::Status`].
    fn error(&self, error: &WireError) -> Option<McpError>;
}
