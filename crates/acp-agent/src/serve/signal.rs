//! Signals that ask a process to end.

#[cfg(all(feature = "signal", unix))]
mod unix;

use std::future::pending;
use std::io;

#[cfg(all(feature = "signal", unix))]
use self::unix::Received;

/// The signals SIGTERM and SIGINT; elsewhere than on unix Ctrl-C.
pub(crate) struct Signals {
    #[cfg(all(feature = "signal", unix))]
    received: Option<Received>,
    #[cfg(all(feature = "signal", not(unix)))]
    received: Option<()>,
}

impl Signals {
    /// Listens from now on. The signals do not end the process by themselves any more.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Signals {
            #[cfg(all(feature = "signal", unix))]
            received: Some(unix::listen()?),
            #[cfg(all(feature = "signal", not(unix)))]
            received: Some(()),
        })
    }

    /// Does not listen.
    pub(crate) const fn none() -> Self {
        Signals {
            #[cfg(feature = "signal")]
            received: None,
        }
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) {
        #[cfg(all(feature = "signal", unix))]
        if let Some(received) = &mut self.received
            && received.recv().await.is_some()
        {
            return;
        }
        #[cfg(all(feature = "signal", not(unix)))]
        if self.received.is_some() && tokio::signal::ctrl_c().await.is_ok() {
            return;
        }
        pending().await
    }
}
