//! Gates, which stop updates.

use std::sync::atomic::{AtomicBool, Ordering};

use acp_rpc::{CancellationToken, Encode, EncodeError};
use acp_types::v1::SessionId;
use serde_core::ser::Error as _;

use crate::error::Error;

/// Lets updates out until it is closed. The gate of a turn closes with the turn, that of a session
/// with the session.
pub(crate) struct Gate {
    of: Of,
    /// Set before the message is made that no update may follow.
    closed: AtomicBool,
    /// Fires after `closed` is set.
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

    /// Closes the gate. Nothing leaves from here on.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.done.cancel();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Waits until the gate is closed, and returns the error of senders.
    pub(crate) async fn closed(&self) -> Error {
        self.done.cancelled().await;
        self.error()
    }

    /// Returns the token that fires when the gate is closed.
    pub(crate) const fn done(&self) -> &CancellationToken {
        &self.done
    }

    /// Returns the error of senders that come too late.
    pub(crate) fn error(&self) -> Error {
        match &self.of {
            Of::Turn => Error::TurnOver,
            Of::Session(session) => Error::SessionClosed { session: session.clone() },
        }
    }

    /// Wraps a message that is written only while the gate is open.
    pub(crate) const fn guard<'a, T>(&'a self, message: &'a T) -> Guarded<'a, T> {
        Guarded { gate: self, message }
    }
}

/// A message that is written only while its gate is open.
///
/// Messages are written one at a time, under the lock of the output buffer. One that cannot be
/// written leaves nothing there. An update that finds the gate open is therefore in the buffer
/// before the answer that follows the closing. An update that comes later finds the gate closed. So
/// no update follows that answer, whoever sends it.
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
