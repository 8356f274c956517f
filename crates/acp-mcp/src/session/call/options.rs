//! How a tool is called.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use acp_types::v1::ToolCallId;
use tokio_util::sync::CancellationToken;

use crate::wire::progress::{OnProgress, Progress};

/// How a tool is called.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct CallOptions {
    /// Cancels the call; an agent gives it the token of the turn.
    pub cancel: Option<CancellationToken>,
    /// Instead of [`Timeouts::request`](crate::Timeouts::request).
    pub timeout: Option<Duration>,
    /// The tool call of ACP that this is, for questions that the server has meanwhile.
    pub tool_call: Option<ToolCallId>,
    pub(super) on_progress: Option<OnProgress>,
}

impl CallOptions {
    /// Nothing special.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`cancel`](Self::cancel).
    #[must_use]
    pub fn cancel(mut self, token: CancellationToken) -> Self {
        self.cancel = Some(token);
        self
    }

    /// Sets [`timeout`](Self::timeout).
    #[must_use]
    pub const fn timeout(mut self, time: Duration) -> Self {
        self.timeout = Some(time);
        self
    }

    /// Sets [`tool_call`](Self::tool_call).
    #[must_use]
    pub fn tool_call(mut self, id: impl Into<ToolCallId>) -> Self {
        self.tool_call = Some(id.into());
        self
    }

    /// Is told how far the call is. It must not block.
    #[must_use]
    pub fn on_progress(mut self, on_progress: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.on_progress = Some(Arc::new(on_progress));
        self
    }
}

impl fmt::Debug for CallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOptions").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
