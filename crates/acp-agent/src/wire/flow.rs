//! The flow of a turn on the wire, in three steps: it was accepted, it is blocked by a question, it
//! has ended.

use std::marker::PhantomData;

use acp_rpc::{Error as RpcError, Reply, Request};
use acp_types::v1::{PromptResponse, StopReason};

use super::Wire;

/// The flow of one turn.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    wire: Wire,
}

/// A question to the user that the turn waits for, until this is dropped.
#[must_use = "dropped, the turn is not blocked any more"]
pub(crate) struct Blocked<'a>(PhantomData<&'a Flow>);

impl Flow {
    pub(crate) fn new(wire: &Wire) -> Self {
        Flow { wire: wire.clone() }
    }

    /// Sets the answer to a prompt that is cancelled before its turn is accepted.
    pub(crate) fn admitted(&self, request: &Request) {
        match self.wire {
            Wire::V1 => request.if_cancelled(Reply::new(PromptResponse::new(StopReason::Cancelled))),
        }
    }

    /// Accepts the turn: its handler is about to run. Version 1 says nothing.
    pub(crate) const fn accepted(&self) {
        match self.wire {
            Wire::V1 => {}
        }
    }

    /// Blocks the turn by a question to the user. Several may be open at once. Version 1 says
    /// nothing.
    pub(crate) const fn blocked(&self) -> Blocked<'_> {
        match self.wire {
            Wire::V1 => Blocked(PhantomData),
        }
    }

    /// Ends the turn. Version 1 answers the prompt.
    pub(crate) fn ended(&self, outcome: Result<PromptResponse, RpcError>) -> Result<Reply, RpcError> {
        match self.wire {
            Wire::V1 => outcome.map(Reply::new),
        }
    }
}
