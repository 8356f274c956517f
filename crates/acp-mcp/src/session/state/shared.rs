//! The state that the tasks of a session share.

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::event::EventSender;
use super::options::Options;

/// What the tasks of a session have in common.
#[derive(Debug)]
pub(in crate::session) struct Shared {
    pub(in crate::session) options: Options,
    pub(in crate::session) events: EventSender,
    pub(in crate::session) closing: CancellationToken,
    /// Permits of being connected: there are not more at once.
    pub(in crate::session) connecting: Semaphore,
}
