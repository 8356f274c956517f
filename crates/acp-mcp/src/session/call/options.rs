//! The options of a call.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use acp_types::v1::ToolCallId;
use tokio_util::sync::CancellationToken;

use crate::wire::progress::{OnProgress, Progress};

/// The options of a tool call.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct CallOptions {
    /// A token that cancels the call. An agent passes the token of the turn.
    pub cancel: Option<CancellationToken>,
    /// A time limit in place of [`Timeouts::request`](crate::Timeouts::request).
    pub timeout: Option<Duration>,
    /// The tool call of ACP, for questions of the server during the call.
    pub tool_call: Option<ToolCallId>,
    pub(super) on_progress: Option<OnProgress>,
}

impl CallOptions {
    /// Creates the default options.
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

    /// Calls `on_progress` for each report of progress. It must not block.
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
