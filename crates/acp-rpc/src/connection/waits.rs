//! Futures that the loop of a connection waits for, and the losses that it tells.

use std::future::pending;
use std::io;
use std::pin::Pin;

use tokio::io::{AsyncRead, copy, sink};
use tokio::time::{Instant, sleep_until};

use crate::core::error::CloseReason;
use crate::transport::ChildLink;

/// Reads and drops everything. It never returns.
pub(crate) async fn discard(mut stream: Pin<Box<dyn AsyncRead + Send>>) {
    let _ = copy(&mut stream, &mut sink()).await;
    pending().await
}

/// Makes the timer only when it is polled: an unneeded timer costs nothing.
pub(crate) async fn overdue(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => pending().await,
    }
}

/// Waits for the exit of the child process, if the transport has one.
pub(crate) async fn exit_of(child: &Option<ChildLink>) -> CloseReason {
    match child {
        Some(child) => child.exited().await,
        None => pending().await,
    }
}

/// Tells whether the system could not write although somebody was there to read. A closed sink of
/// messages may return any error.
pub(crate) fn is_loss(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected};
    let is_gone = matches!(error.kind(), BrokenPipe | ConnectionReset | ConnectionAborted | NotConnected);
    error.raw_os_error().is_some() && !is_gone
}
