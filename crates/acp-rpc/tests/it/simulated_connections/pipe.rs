//! One direction of a connection: bytes that come in pieces, late, and never out of order.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use testkit::Dice;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The behaviour of a pipe.
#[derive(Clone)]
pub(crate) struct Habits {
    pub(crate) dice: Dice,
    /// The most bytes that it holds.
    pub(crate) capacity: usize,
    /// Once in this many calls it makes its caller try again.
    pub(crate) reluctance: u64,
    /// Once in this many lines it adds a line that is not a message.
    pub(crate) noise: Option<u64>,
}

pub(crate) const NOISE: &[u8] = b"a stray print\n";

/// Sees each line that is written.
type Witness = Box<dyn FnMut(&[u8]) + Send>;

struct State {
    habits: Habits,
    witness: Witness,
    bytes: VecDeque<u8>,
    line: Vec<u8>,
    reader: Option<Waker>,
    writer: Option<Waker>,
    /// Nothing more is written.
    ended: bool,
    /// Nobody reads any more.
    broken: bool,
}

/// The controls of a pipe for tests.
#[derive(Clone)]
pub(crate) struct Pipe(Arc<Mutex<State>>);

pub(crate) struct Reader(Pipe);
pub(crate) struct Writer(Pipe);

impl Pipe {
    pub(crate) fn new(habits: Habits, witness: Witness) -> Self {
        let (bytes, line) = (VecDeque::new(), Vec::new());
        let state =
            State { habits, witness, bytes, line, reader: None, writer: None, ended: false, broken: false };
        Self(Arc::new(Mutex::new(state)))
    }

    pub(crate) fn ends(&self) -> (Writer, Reader) {
        (Writer(self.clone()), Reader(self.clone()))
    }

    /// Cuts it. Its content can still be read, but nothing more can be written.
    pub(crate) fn cut(&self) {
        self.end();
        self.break_off();
    }

    fn end(&self) {
        let mut state = self.0.lock().unwrap();
        state.ended = true;
        // The last line counts without its newline, because the cut may have been right there.
        let State { witness, line, .. } = &mut *state;
        if line.ends_with(b"}") {
            witness(line);
        }
        line.clear();
        state.wake();
    }

    fn break_off(&self) {
        let mut state = self.0.lock().unwrap();
        state.broken = true;
        state.wake();
    }
}

impl State {
    fn wake(&mut self) {
        self.reader.take().into_iter().chain(self.writer.take()).for_each(Waker::wake);
    }

    /// Returns true if the caller must try again. The caller is woken at once.
    fn refuses(&self, cx: &Context<'_>) -> bool {
        let refuses = self.habits.dice.one_in(self.habits.reluctance);
        if refuses {
            cx.waker().wake_by_ref();
        }
        refuses
    }

    /// Returns up to this many bytes in one piece: all of them, or some.
    fn piece(&self, length: usize) -> usize {
        let dice = &self.habits.dice;
        if dice.one_in(2) { length } else { dice.index(length) + 1 }
    }

    fn take_in(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.bytes.push_back(*byte);
            if *byte != b'\n' {
                self.line.push(*byte);
                continue;
            }
            (self.witness)(&self.line);
            self.line.clear();
            if self.habits.noise.is_some_and(|often| self.habits.dice.one_in(often)) {
                self.bytes.extend(NOISE);
            }
        }
    }
}

impl AsyncRead for Reader {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut state = self.0.0.lock().unwrap();
        if state.refuses(cx) {
            return Poll::Pending;
        }
        if state.bytes.is_empty() {
            if state.ended {
                return Poll::Ready(Ok(()));
            }
            state.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let length = state.piece(state.bytes.len().min(buffer.remaining()));
        let piece: Vec<u8> = state.bytes.drain(..length).collect();
        buffer.put_slice(&piece);
        state.writer.take().into_iter().for_each(Waker::wake);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Writer {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut state = self.0.0.lock().unwrap();
        if state.broken {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        if state.refuses(cx) {
            return Poll::Pending;
        }
        let room = state.habits.capacity.saturating_sub(state.bytes.len());
        if room == 0 {
            state.writer = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let length = state.piece(room.min(bytes.len()));
        state.take_in(&bytes[..length]);
        state.reader.take().into_iter().for_each(Waker::wake);
        Poll::Ready(Ok(length))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.0.0.lock().unwrap().refuses(cx) { Poll::Pending } else { Poll::Ready(Ok(())) }
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.end();
        Poll::Ready(Ok(()))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.break_off();
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.end();
    }
}
