//! The child process at the other end of a transport, if there is one.

#[cfg(feature = "process")]
use acp_process::ChildGuard;

use crate::core::error::CloseReason;

/// The hold of a connection on its child process. Its drop ends the process.
#[cfg(feature = "process")]
pub(crate) struct ChildLink(ChildGuard);

/// There are no child processes.
#[cfg(not(feature = "process"))]
pub(crate) enum ChildLink {}

#[cfg(feature = "process")]
impl ChildLink {
    pub(crate) const fn new(guard: ChildGuard) -> Self {
        Self(guard)
    }

    pub(super) fn into_guard(self) -> ChildGuard {
        self.0
    }

    /// Waits for the exit of the process.
    pub(crate) fn exited(&self) -> impl Future<Output = CloseReason> + Send + use<> {
        let exited = self.0.exited();
        async { CloseReason::Exited(exited.await) }
    }

    /// Ends the process and everything it started. Its stdin has been closed already.
    pub(crate) async fn end(self) {
        self.0.end().await;
    }
}

#[cfg(not(feature = "process"))]
impl ChildLink {
    pub(crate) fn exited(&self) -> impl Future<Output = CloseReason> + Send + use<> {
        // There is none to wait for.
        std::future::pending()
    }

    pub(crate) async fn end(self) {
        match self {}
    }
}
