//! A relay between two peers that sees each line, and may change it.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

/// The side that has written a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Writer {
    /// The peer at the first stream of [`relay`].
    First,
    /// The peer at the second stream.
    Second,
}

/// Lines that leave a relay.
#[derive(Debug, Default)]
pub struct Outbox {
    to_first: Vec<u8>,
    to_second: Vec<u8>,
    closed: bool,
}

impl Outbox {
    /// Sends a line to the peer that has not written it, or any other line in its place.
    pub fn pass(&mut self, writer: Writer, line: impl AsRef<[u8]>) {
        let out = if writer == Writer::First { &mut self.to_second } else { &mut self.to_first };
        out.extend_from_slice(line.as_ref());
        out.push(b'\n');
    }

    /// Sends a line back to the peer that has written the present one.
    pub fn back(&mut self, writer: Writer, line: impl AsRef<[u8]>) {
        self.pass(if writer == Writer::First { Writer::Second } else { Writer::First }, line);
    }

    /// Sends bytes without a line end, like [`pass`](Self::pass).
    pub fn raw(&mut self, writer: Writer, bytes: &[u8]) {
        let out = if writer == Writer::First { &mut self.to_second } else { &mut self.to_first };
        out.extend_from_slice(bytes);
    }

    /// Closes both directions after the lines of this call.
    pub const fn close(&mut self) {
        self.closed = true;
    }
}

/// Carries lines between two streams until both have ended. `filter` gets each line without its
/// end, and puts into the [`Outbox`] what leaves the relay instead.
///
/// It makes a peer that breaks one rule from a correct one. A side that does not read stops both
/// directions once its stream is full, so give the streams room.
///
/// # Errors
/// Fails if a stream breaks.
pub async fn relay(
    first: impl AsyncRead + AsyncWrite + Send + 'static,
    second: impl AsyncRead + AsyncWrite + Send + 'static,
    mut filter: impl FnMut(Writer, &[u8], &mut Outbox) + Send,
) -> io::Result<()> {
    let (first, mut to_first) = tokio::io::split(first);
    let (second, mut to_second) = tokio::io::split(second);
    let (mut first, mut second) = (BufReader::new(first), BufReader::new(second));
    let (mut of_first, mut of_second) = (Vec::new(), Vec::new());
    let (mut first_open, mut second_open) = (true, true);
    while first_open || second_open {
        let (writer, read) = tokio::select! {
            read = first.read_until(b'\n', &mut of_first), if first_open => (Writer::First, read?),
            read = second.read_until(b'\n', &mut of_second), if second_open => (Writer::Second, read?),
        };
        let mut out = Outbox::default();
        let line = if writer == Writer::First { &mut of_first } else { &mut of_second };
        // A dropped read leaves its bytes in the line, so the count of this read says nothing.
        if read > 0 || !line.is_empty() {
            filter(writer, line.strip_suffix(b"\n").unwrap_or(line), &mut out);
            line.clear();
        } else if writer == Writer::First {
            first_open = false;
            to_second.shutdown().await?;
        } else {
            second_open = false;
            to_first.shutdown().await?;
        }
        write(&mut to_first, &out.to_first).await?;
        write(&mut to_second, &out.to_second).await?;
        if out.closed {
            break;
        }
    }
    // Either may have closed before.
    let _ = tokio::join!(to_first.shutdown(), to_second.shutdown());
    Ok(())
}

async fn write(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    stream.write_all(bytes).await?;
    stream.flush().await
}
