//! The signals that ask a process to end.

#[cfg(all(feature = "signal", unix))]
mod unix;

use std::future::pending;
use std::io;

#[cfg(all(feature = "signal", unix))]
use self::unix::Heard;

/// SIGTERM and SIGINT; elsewhere than on unix Ctrl-C.
pub(crate) struct Signals {
    #[cfg(all(feature = "signal", unix))]
    heard: Option<Heard>,
    #[cfg(all(feature = "signal", not(unix)))]
    heard: Option<()>,
}

impl Signals {
    /// Listens from now on: they do not end the process by themselves any more.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Signals {
            #[cfg(all(feature = "signal", unix))]
            heard: Some(unix::listen()?),
            #[cfg(all(feature = "signal", not(unix)))]
            heard: Some(()),
        })
    }

    /// Does not listen.
    pub(crate) const fn none() -> Self {
        Signals {
            #[cfg(feature = "signal")]
            heard: None,
        }
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        #[cfg(all(feature = "signal", unix))]
        if let Some(heard) = &mut self.heard
            && heard.recv().await.is_some()
        {
            return;
        }
        #[cfg(all(feature = "signal", not(unix)))]
        if self.heard.is_some() && tokio::signal::ctrl_c().await.is_ok() {
            return;
        }
        pending().await
    }
}
