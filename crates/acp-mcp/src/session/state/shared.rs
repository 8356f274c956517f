//! The state that the tasks of a session share.

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::event::EventSender;
use super::options::Options;

/// The state that the tasks of a session share.
#[derive(Debug)]
pub(in crate::session) struct Shared {
    pub(in crate::session) options: Options,
    pub(in crate::session) events: EventSender,
    pub(in crate::session) closing: CancellationToken,
    /// The permits for connecting, which limit the servers that are being connected at the same
    /// time.
    pub(in crate::session) connecting: Semaphore,
}
