//! The sessions of a connection, by id.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::Error as RpcError;
use acp_types::v1::SessionId;

use crate::error::{Shown, unknown_session};
use crate::session::Session;
use crate::session::queue::busy;
use crate::turn::TurnScope;

/// The open sessions, and the ids that are about to be opened or closed.
pub(crate) struct Sessions<T> {
    slots: Mutex<HashMap<SessionId, Slot<T>>>,
}

/// The state of an id: a session, a claim, or both. An id with neither has no slot.
struct Slot<T> {
    session: Option<Session<T>>,
    claimed: Option<Purpose>,
}

/// The purpose of a claim.
#[derive(Clone, Copy)]
enum Purpose {
    Opening,
    Closing,
}

impl<T> Default for Sessions<T> {
    fn default() -> Self {
        Sessions { slots: Mutex::default() }
    }
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Slot { session: None, claimed: None }
    }
}

impl<T> Sessions<T> {
    /// Returns the session, or `-32002` with its id in the data.
    pub(crate) fn find(&self, id: &SessionId) -> Result<Session<T>, RpcError> {
        let slots = self.slots();
        let slot = slots.get(id).ok_or_else(|| unknown_session(id))?;
        match (&slot.session, slot.claimed) {
            (Some(session), _) => Ok(session.clone()),
            (None, Some(Purpose::Opening)) => Err(claimed(id, Purpose::Opening)),
            (None, _) => Err(unknown_session(id)),
        }
    }

    pub(crate) fn get(&self, id: &SessionId) -> Option<Session<T>> {
        self.slots().get(id)?.session.clone()
    }

    /// Begins a turn of a session, unless the session is being opened anew. Returns whether the
    /// turn has to wait.
    pub(crate) fn begin_turn(
        &self,
        id: &SessionId,
        may_wait: bool,
        scope: impl FnOnce(&Session<T>) -> TurnScope,
    ) -> Result<(Session<T>, Arc<TurnScope>, bool), RpcError> {
        let slots = self.slots();
        let slot = slots.get(id).ok_or_else(|| unknown_session(id))?;
        if let Some(Purpose::Opening) = slot.claimed {
            return Err(claimed(id, Purpose::Opening));
        }
        let session = slot.session.clone().ok_or_else(|| unknown_session(id))?;
        let turn = Arc::new(scope(&session));
        let waits = session.entry.turns.begin(id, &turn, may_wait)?;
        Ok((session, turn, waits))
    }

    /// Claims an id that the client names, to open its session. No turn of it runs, and none
    /// begins.
    pub(crate) fn claim_opening(self: &Arc<Self>, id: &SessionId) -> Result<Claim<T>, RpcError> {
        let mut slots = self.slots();
        if let Some(slot) = slots.get(id) {
            if let Some(purpose) = slot.claimed {
                return Err(claimed(id, purpose));
            }
            if slot.session.as_ref().is_some_and(|session| session.entry.turns.is_busy()) {
                return Err(busy(id));
            }
        }
        slots.entry(id.clone()).or_default().claimed = Some(Purpose::Opening);
        Ok(Claim { sessions: Arc::clone(self), id: id.clone() })
    }

    /// Enters a session under a claimed id. An earlier session of that id is closed.
    pub(crate) fn open(&self, session: Session<T>) {
        let id = session.id().clone();
        let before = self.slots().entry(id).or_default().session.replace(session);
        if let Some(before) = before {
            before.entry.updates.close();
            if let Some(mcp) = &before.entry.mcp {
                mcp.end_soon();
            }
        }
    }

    /// Enters a session under an id that no other may have.
    pub(crate) fn open_new(&self, session: Session<T>) -> Result<(), TakenId> {
        let mut slots = self.slots();
        if slots.contains_key(session.id()) {
            return Err(TakenId);
        }
        slots.insert(session.id().clone(), Slot { session: Some(session), claimed: None });
        Ok(())
    }

    /// Removes an open session. From here on it is unknown, and it cannot be opened while the claim
    /// is held.
    pub(crate) fn close(self: &Arc<Self>, id: &SessionId) -> Result<(Session<T>, Claim<T>), RpcError> {
        let (session, claim) = self.take(id)?;
        match (session, claim) {
            (Some(session), Some(claim)) => Ok((session, claim)),
            _ => Err(unknown_session(id)),
        }
    }

    /// Removes a session that need not be open. It needs no claim if another one is held.
    pub(crate) fn take(self: &Arc<Self>, id: &SessionId) -> Result<Taken<T>, RpcError> {
        let mut slots = self.slots();
        let slot = slots.entry(id.clone()).or_default();
        match slot.claimed {
            Some(Purpose::Opening) => Err(claimed(id, Purpose::Opening)),
            Some(Purpose::Closing) => Ok((None, None)),
            None => {
                slot.claimed = Some(Purpose::Closing);
                let session = slot.session.take();
                drop(slots);
                Ok((session, Some(Claim { sessions: Arc::clone(self), id: id.clone() })))
            }
        }
    }

    fn release(&self, id: &SessionId) {
        let mut slots = self.slots();
        if let Some(slot) = slots.get_mut(id) {
            slot.claimed = None;
            if slot.session.is_none() {
                slots.remove(id);
            }
        }
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<SessionId, Slot<T>>> {
        // Nothing under this lock can leave the map half-changed.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The session that was open, and the claim to its id.
pub(crate) type Taken<T> = (Option<Session<T>>, Option<Claim<T>>);

/// The id of a new session is another's.
pub(crate) struct TakenId;

/// The right to open or close the session of an id. It ends before the answer is sent, because the
/// client may go on as soon as it has that.
pub(crate) struct Claim<T> {
    sessions: Arc<Sessions<T>>,
    id: SessionId,
}

impl<T> Drop for Claim<T> {
    fn drop(&mut self) {
        self.sessions.release(&self.id);
    }
}

impl<T> fmt::Debug for Claim<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Returns `-32600`: the id is claimed.
fn claimed(id: &SessionId, purpose: Purpose) -> RpcError {
    let what = match purpose {
        Purpose::Opening => "opened",
        Purpose::Closing => "closed",
    };
    RpcError::invalid_request(format!("session `{}` is being {what}: wait for the answer", Shown(id)))
}
