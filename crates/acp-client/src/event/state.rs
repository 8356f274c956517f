//! The state of a session's work, as the agent reports it.

use acp_types::v1::{StopReason, TerminalId, ToolCallId};
use acp_types::{Meta, UnknownVariant};

use crate::RpcError;

/// The state of a session's foreground work, and the work that goes on behind it. It is a snapshot:
/// an equal one reports nothing new.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct State {
    /// The state of the foreground work.
    pub kind: StateKind,
    /// The work in the background, all of it. `None` if the agent does not report it.
    pub background: Option<Vec<BackgroundWork>>,
    /// Data of extensions. At the end of a turn it is that of the turn's response.
    pub meta: Option<Meta>,
}

/// The state of a session's foreground work.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StateKind {
    /// The agent works.
    Running,
    /// The agent waits for an answer of the user, such as a permission.
    RequiresAction,
    /// The agent waits for a prompt.
    Idle {
        /// The reason why the work before has ended. `None` if the agent does not report it, and
        /// for work that has failed.
        stop_reason: Option<StopReason>,
        /// The failure that has ended the work before.
        error: Option<RpcError>,
    },
    /// A state that is not known here. Show it as work.
    Unknown(UnknownVariant),
}

/// Work that goes on while the session may be idle.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BackgroundWork {
    /// A command in this terminal.
    Terminal(TerminalId),
    /// This tool call.
    ToolCall(ToolCallId),
    /// Work of a kind that is not known here.
    Unknown(UnknownVariant),
}

impl State {
    pub(crate) const fn new(kind: StateKind) -> Self {
        Self { kind, background: None, meta: None }
    }

    /// Returns true if the agent waits for a prompt.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        matches!(self.kind, StateKind::Idle { .. })
    }
}
