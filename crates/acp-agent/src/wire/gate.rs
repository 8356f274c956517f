//! What closes the way out for updates.

use std::sync::atomic::{AtomicBool, Ordering};

use acp_rpc::{CancellationToken, Encode, EncodeError};
use acp_types::v1::SessionId;
use serde_core::ser::Error as _;

use crate::error::Error;

/// Lets updates out until it is closed: that of a turn with the turn, that of a session with the session.
pub(crate) struct Gate {
    of: Of,
    /// Set before whatever no update may follow is made.
    closed: AtomicBool,
    /// Fires after that.
    done: CancellationToken,
}

enum Of {
    Turn,
    Session(SessionId),
}

impl Gate {
    pub(crate) fn of_turn() -> Self {
        Self::new(Of::Turn)
    }

    pub(crate) fn of_session(id: SessionId) -> Self {
        Self::new(Of::Session(id))
    }

    fn new(of: Of) -> Self {
        Gate { of, closed: AtomicBool::new(false), done: CancellationToken::new() }
    }

    /// From here on nothing leaves.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.done.cancel();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Waits until it is closed, and says what that means.
    pub(crate) async fn closed(&self) -> Error {
        self.done.cancelled().await;
        self.error()
    }

    /// Fires when it is closed.
    pub(crate) const fn done(&self) -> &CancellationToken {
        &self.done
    }

    /// What who comes too late is told.
    pub(crate) fn error(&self) -> Error {
        match &self.of {
            Of::Turn => Error::TurnOver,
            Of::Session(session) => Error::SessionClosed { session: session.clone() },
        }
    }

    /// The message, for as long as the gate is open.
    pub(crate) const fn guard<'a, T>(&'a self, message: &'a T) -> Guarded<'a, T> {
        Guarded { gate: self, message }
    }
}

/// Is written as long as the gate is open.
///
/// Messages are written one at a time, under the lock of the output buffer, and one that cannot be written
/// leaves nothing there. So an update that finds the gate open is in the buffer before the answer that follows
/// the closing can be, and one that comes later finds it closed: no update follows that answer, whoever sends it.
pub(crate) struct Guarded<'a, T> {
    gate: &'a Gate,
    message: &'a T,
}

impl<T: Encode> Encode for Guarded<'_, T> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        if self.gate.is_closed() {
            return Err(EncodeError::custom(self.gate.error()));
        }
        self.message.encode(buffer)
    }

    fn leaves(&self, json: &[u8]) -> Result<(), EncodeError> {
        self.message.leaves(json)
    }
}
