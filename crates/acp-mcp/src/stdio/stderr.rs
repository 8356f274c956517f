//! The stderr of a server: its last bytes, and its lines for those who want them.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// A longer line is handed over in pieces of this size.
const LONGEST_LINE: usize = 8 * 1024;

/// The last bytes of a stream.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    limit: usize,
}

impl Tail {
    pub(super) fn new(limit: usize) -> Self {
        Self { bytes: Arc::default(), limit }
    }

    pub(super) fn text(&self) -> String {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: &[u8] = bytes.make_contiguous();
        // A character that was cut in two at the front is left out.
        let whole = bytes.iter().position(|byte| !(0x80..0xC0).contains(byte)).unwrap_or(0);
        String::from_utf8_lossy(bytes.get(whole..).unwrap_or_default()).into_owned()
    }

    fn push(&self, chunk: &[u8]) {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend(chunk);
        let excess = bytes.len().saturating_sub(self.limit);
        bytes.drain(..excess);
    }
}

/// Reads to the end, so that the server never blocks on it. A listener that panics is not asked
/// again.
pub(super) async fn drain(
    mut stream: impl AsyncRead + Unpin,
    tail: Tail,
    mut on_line: Option<impl Fn(&str)>,
) {
    let (mut chunk, mut line) = ([0; 2048], Vec::new());
    while let Ok(length @ 1..) = stream.read(&mut chunk).await {
        let read = chunk.get(..length).unwrap_or_default();
        tail.push(read);
        for piece in read.split_inclusive(|byte| *byte == b'\n') {
            if on_line.is_none() {
                break;
            }
            line.extend_from_slice(piece);
            if piece.ends_with(b"\n") || line.len() >= LONGEST_LINE {
                hand_over(&mut line, &mut on_line);
            }
        }
    }
    hand_over(&mut line, &mut on_line);
}

fn hand_over(line: &mut Vec<u8>, on_line: &mut Option<impl Fn(&str)>) {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches(['\r', '\n']);
    if let Some(told) = on_line
        && !text.is_empty()
        && catch_unwind(AssertUnwindSafe(|| told(text))).is_err()
    {
        // What it holds may panic as well.
        let _ = catch_unwind(AssertUnwindSafe(|| *on_line = None));
    }
    line.clear();
}
