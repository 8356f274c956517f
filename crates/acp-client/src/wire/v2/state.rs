//! The state of a session.

use acp_json::Map;
use acp_types::UnknownVariant;
use acp_types::v1::StopReason;
use acp_types::v2::{self, ErrorStopReason, IdleReason, IdleStateUpdate, StateUpdate};

use super::as_is;
use crate::RpcError;
use crate::event::{BackgroundWork, State, StateKind};

/// Decodes a report of the state.
pub(super) fn state(update: StateUpdate) -> State {
    let (kind, background, meta) = match update {
        StateUpdate::Running(running) => (StateKind::Running, running.background, running.meta),
        StateUpdate::RequiresAction(waiting) => (StateKind::RequiresAction, waiting.background, waiting.meta),
        StateUpdate::Idle(idle) => {
            let IdleStateUpdate { stop_reason, background, meta, .. } = *idle;
            (ended(stop_reason), background, meta)
        }
        StateUpdate::Other(unknown) => (StateKind::Unknown(unknown), None, None),
        // The types know this state and the vocabulary does not: it is unstable.
        other => (StateKind::Unknown(UnknownVariant::new(other.tag(), Map::default())), None, None),
    };
    let background = background.map(|works| works.into_iter().map(work).collect());
    State { kind, background, meta }
}

/// Decodes the end of the work before.
fn ended(reason: IdleReason) -> StateKind {
    let stop_reason = match reason {
        IdleReason::Error(reason) => {
            return StateKind::Idle { stop_reason: None, error: Some(failure(*reason)) };
        }
        IdleReason::Unspecified => None,
        IdleReason::EndTurn => Some(StopReason::EndTurn),
        IdleReason::MaxTokens => Some(StopReason::MaxTokens),
        IdleReason::MaxTurnRequests => Some(StopReason::MaxTurnRequests),
        IdleReason::Refusal => Some(StopReason::Refusal),
        IdleReason::Cancelled => Some(StopReason::Cancelled),
        other => other.tag().map(|tag| StopReason::Unknown(tag.into())),
    };
    StateKind::Idle { stop_reason, error: None }
}

fn failure(reason: ErrorStopReason) -> RpcError {
    let Some(error) = reason.error else { return RpcError::internal("the agent does not give a reason") };
    let mut failure = RpcError::new(error.code.0, error.message);
    failure.data = error.data.and_then(|data| as_is::json(&data).ok());
    failure
}

fn work(work: v2::BackgroundWork) -> BackgroundWork {
    match work {
        v2::BackgroundWork::Terminal(terminal) => BackgroundWork::Terminal(terminal.terminal_id),
        v2::BackgroundWork::ToolCall(call) => BackgroundWork::ToolCall(call.tool_call_id),
        v2::BackgroundWork::Unknown(unknown) => BackgroundWork::Unknown(unknown),
        // The types know this kind and the vocabulary does not: it is unstable.
        other => BackgroundWork::Unknown(UnknownVariant::new(other.tag(), Map::default())),
    }
}
