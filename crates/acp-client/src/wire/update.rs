//! An update of a session.

use acp_types::v1::{SessionId, SessionNotification};

use crate::Event;
#[cfg(feature = "v2")]
use crate::wire::v2;

/// An update of a session. It is moved several times on its way, so what few updates have is boxed.
pub(crate) struct Update {
    pub(crate) session_id: SessionId,
    pub(crate) event: Event,
    /// The rest of the update, behind the event. One event has most updates.
    pub(crate) more: Option<Box<Event>>,
    /// The update as handlers get it, if there are any.
    pub(crate) handled: Option<Box<SessionNotification>>,
    #[cfg(feature = "v2")]
    pub(in crate::wire) offer: Option<v2::offers::Offer>,
}
