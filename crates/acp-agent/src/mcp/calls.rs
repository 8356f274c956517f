//! Running calls of tools.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_mcp::ElicitRequest;
use acp_types::v1::ToolCallId;

use crate::turn::Turn;

/// The running calls. They tell who is asked when a server has a question.
#[derive(Clone, Default)]
pub(super) struct Calls(Arc<Mutex<Vec<RunningCall>>>);

struct RunningCall {
    call: ToolCallId,
    server: String,
    turn: Turn,
}

/// A call among those that are running.
pub(super) struct Entered {
    calls: Calls,
    call: ToolCallId,
}

impl Calls {
    pub(super) fn enter(&self, call: &ToolCallId, server: &str, turn: &Turn) -> Entered {
        let running = RunningCall { call: call.clone(), server: server.to_owned(), turn: turn.clone() };
        self.lock().push(running);
        Entered { calls: self.clone(), call: call.clone() }
    }

    /// Returns the call that a question comes from: the one that it names, or the only one of its
    /// server.
    pub(super) fn asking(&self, request: &ElicitRequest) -> Option<(ToolCallId, Turn)> {
        let running = self.lock();
        let found = match &request.tool_call {
            Some(call) => running.iter().find(|running| running.call == *call),
            None => {
                let mut of_server = running.iter().filter(|running| running.server == request.server);
                of_server.next().filter(|_| of_server.next().is_none())
            }
        };
        found.map(|running| (running.call.clone(), running.turn.clone()))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<RunningCall>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        let mut running = self.calls.lock();
        if let Some(place) = running.iter().position(|running| running.call == self.call) {
            let left = running.swap_remove(place);
            drop(running);
            // The turn's parts are dropped outside of the lock.
            drop(left);
        }
    }
}
