//! A stream whose bytes are recorded when they are read.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use super::Head;

/// Reads what another reader reads, and lets a [`Head`] hear it.
#[derive(Debug)]
pub struct TapedReader<R> {
    reader: R,
    head: Head,
}

impl Head {
    /// Hears everything that is read from a reader.
    pub fn on<R: AsyncRead + Unpin>(self, reader: R) -> TapedReader<R> {
        TapedReader { reader, head: self }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for TapedReader<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let room = buffer.remaining();
        ready!(Pin::new(&mut self.reader).poll_read(cx, buffer))?;
        let read = buffer.filled().get(before..).unwrap_or_default();
        if read.is_empty() && room > 0 {
            self.head.end();
        } else {
            self.head.hear(read);
        }
        Poll::Ready(Ok(()))
    }
}
