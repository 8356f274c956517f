//! A scripted peer: one side of a connection, played line by line.

mod difference;
mod fault;
mod lines;
mod message;
#[cfg(feature = "process")]
mod process;
mod speak;
mod standing;

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use acp_rpc::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

pub use self::difference::Difference;
pub use self::fault::{Fault, FaultKind};
pub(crate) use self::lines::cut;
pub use self::lines::{Line, Way};
pub use self::message::Message;
use self::standing::Standing;

/// The capacity of a pipe in memory, in each direction.
const PIPE: usize = 1024 * 1024;

/// One side of a connection, played by a test: an agent for a client, or a client for an agent.
///
/// Every line of both sides is kept: see [`lines`](Self::lines). A future of it may be dropped at
/// any time; no line is lost.
pub struct ScriptedPeer {
    reader: BufReader<Pin<Box<dyn AsyncRead + Send>>>,
    writer: Option<Pin<Box<dyn AsyncWrite + Send>>>,
    /// The beginning of a line whose end has not come yet.
    partial: Vec<u8>,
    /// Lines that came while this side was writing.
    waiting: VecDeque<Line>,
    ended: bool,
    lines: Vec<Line>,
    received: usize,
    limit: usize,
    next_id: i64,
    pub(crate) patience: Duration,
    standing: Standing,
    notices: Vec<Message>,
    /// The number of lines that are kept at least.
    keep: usize,
    reads_ahead: bool,
    watch: Option<Watch>,
    #[cfg(feature = "process")]
    process: Option<process::Process>,
}

/// Sees each line, and may refuse it with a reason.
type Watch = Box<dyn FnMut(&Line) -> Result<(), String> + Send>;

impl ScriptedPeer {
    /// Plays one side over any two streams.
    pub fn new(reader: impl AsyncRead + Send + 'static, writer: impl AsyncWrite + Send + 'static) -> Self {
        Self {
            reader: BufReader::new(Box::pin(reader)),
            writer: Some(Box::pin(writer)),
            partial: Vec::new(),
            waiting: VecDeque::new(),
            ended: false,
            lines: Vec::new(),
            received: 0,
            limit: 256 * 1024 * 1024,
            next_id: 0,
            patience: Duration::from_secs(60),
            standing: Standing::default(),
            notices: Vec::new(),
            keep: usize::MAX,
            reads_ahead: true,
            watch: None,
            #[cfg(feature = "process")]
            process: None,
        }
    }

    /// Plays one side over a stream that goes both ways, such as a socket.
    pub fn from_stream(stream: impl AsyncRead + AsyncWrite + Send + 'static) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self::new(reader, writer)
    }

    /// Returns a transport for the program under test, and the scripted peer at its other end. Both
    /// are in memory, and hold a megabyte in each direction.
    #[must_use]
    pub fn pair() -> (Transport, Self) {
        Self::pair_of(PIPE)
    }

    /// Returns a pair like [`pair`](Self::pair) that holds this many bytes in each direction.
    #[must_use]
    pub fn pair_of(bytes: usize) -> (Transport, Self) {
        let (theirs, ours) = tokio::io::duplex(bytes);
        (Transport::from_stream(theirs), Self::from_stream(ours))
    }

    /// Sets the time that an expected message may take. Default 60 seconds.
    #[must_use]
    pub const fn patience(mut self, patience: Duration) -> Self {
        self.set_patience(patience);
        self
    }

    /// Changes the time that an expected message may take.
    pub const fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Sets the most bytes that the other side may write in all. Default 256 MiB.
    #[must_use]
    pub const fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Lets the requests of this side have this id and those after it. Default 1.
    #[must_use]
    pub const fn ids_from(mut self, id: i64) -> Self {
        self.next_id = id.saturating_sub(1);
        self
    }

    /// Keeps about this many of the last lines, for a conversation that is long. Default all.
    #[must_use]
    pub const fn keep(mut self, lines: usize) -> Self {
        self.keep = lines;
        self
    }

    /// Reads nothing before a step takes it, as a slow reader does.
    ///
    /// By default a peer also reads while it writes to a full pipe, so that two sides that both
    /// write do not wait for each other. With this they do.
    #[must_use]
    pub const fn reads_late(mut self) -> Self {
        self.reads_ahead = false;
        self
    }

    /// Shows each line of both sides to a function, in the order of [`lines`](Self::lines), from
    /// now on. Its error, a reason, is the [fault](FaultKind::Refused) of the step that sends or
    /// takes the line. It replaces an earlier one.
    pub fn watch(&mut self, watch: impl FnMut(&Line) -> Result<(), String> + Send + 'static) {
        self.watch = Some(Box::new(watch));
    }

    /// Ends the [watch](Self::watch) of the lines.
    pub fn unwatch(&mut self) {
        self.watch = None;
    }

    /// Returns all lines of both sides so far, in order. A received line is in it once it was
    /// taken.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Takes the next line of the other side. `None` means that it has closed the connection.
    ///
    /// # Errors
    /// Fails if no line comes in time, or if the connection breaks.
    pub async fn next_line(&mut self) -> Result<Option<Line>, Fault> {
        self.line_or("a line").await
    }

    pub(crate) async fn line_or(&mut self, expected: &str) -> Result<Option<Line>, Fault> {
        if let Some(line) = self.waiting.pop_front() {
            return self.note(line.clone()).map(|()| Some(line));
        }
        let patience = self.patience;
        let read = tokio::time::timeout(patience, self.read_line()).await;
        let Ok(read) = read else {
            return Err(self.fault(FaultKind::Silent { expected: expected.to_owned(), patience }));
        };
        let line = read.map_err(|kind| self.fault(kind))?;
        line.iter().try_for_each(|line| self.note(line.clone()))?;
        Ok(line)
    }

    /// Keeps a line, and shows it to the watch.
    fn note(&mut self, line: Line) -> Result<(), Fault> {
        let judged = self.watch.as_mut().map_or(Ok(()), |watch| watch(&line));
        let seen = if judged.is_err() { line.text().into_owned() } else { String::new() };
        self.lines.push(line);
        // Not each line moves those that are kept.
        if self.lines.len() / 2 > self.keep {
            self.lines.drain(..self.lines.len().saturating_sub(self.keep));
        }
        judged.map_err(|reason| self.fault(FaultKind::Refused { reason, seen }))
    }

    /// Takes the next message of the other side. `None` means that it has closed the connection.
    ///
    /// # Errors
    /// Fails if nothing comes in time, if the line is not JSON, or if the connection breaks.
    pub async fn next(&mut self) -> Result<Option<Message>, Fault> {
        self.message_or("a message").await
    }

    pub(crate) async fn message_or(&mut self, expected: &str) -> Result<Option<Message>, Fault> {
        let Some(line) = self.line_or(expected).await? else { return Ok(None) };
        match line.json() {
            Some(json) => Ok(Some(Message::new(json))),
            None => Err(self.fault(FaultKind::NotJson { seen: line.text().into_owned() })),
        }
    }

    async fn read_line(&mut self) -> Result<Option<Line>, FaultKind> {
        let Self { reader, partial, ended, received, limit, .. } = self;
        take_line(reader, partial, ended, received, *limit).await
    }

    /// Sends a message as a line.
    ///
    /// # Errors
    /// Fails if the connection is closed or breaks, or if the other side does not read in time.
    pub async fn send(&mut self, message: &Value) -> Result<(), Fault> {
        let mut line = message.to_string();
        line.push('\n');
        self.raw(line).await
    }

    /// Sends bytes as they are. A line must end with `\n`.
    ///
    /// # Errors
    /// Fails if the connection is closed or breaks, or if the other side does not read in time.
    pub async fn raw(&mut self, bytes: impl AsRef<[u8]>) -> Result<(), Fault> {
        let bytes = bytes.as_ref();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let text = line.strip_suffix(b"\n");
            self.note(Line::new(Way::Sent, text.unwrap_or(line).to_vec(), text.is_some()))?;
        }
        let patience = self.patience;
        match tokio::time::timeout(patience, self.write(bytes)).await {
            Ok(written) => written.map_err(|kind| self.fault(kind)),
            Err(_) => {
                let expected = "the other side reads what it is sent".to_owned();
                Err(self.fault(FaultKind::Silent { expected, patience }))
            }
        }
    }

    /// Writes, and reads what comes meanwhile, so that two sides that both write do not wait for
    /// each other.
    async fn write(&mut self, bytes: &[u8]) -> Result<(), FaultKind> {
        let Self { reader, writer, partial, ended, received, limit, waiting, reads_ahead, .. } = self;
        let Some(writer) = writer else { return Err(FaultKind::Io(std::io::ErrorKind::BrokenPipe)) };
        let written = async {
            writer.write_all(bytes).await?;
            writer.flush().await
        };
        let mut written = std::pin::pin!(written);
        loop {
            tokio::select! {
                biased;
                done = &mut written => return done.map_err(|error| FaultKind::Io(error.kind())),
                line = take_line(reader, partial, ended, received, *limit), if *reads_ahead && !*ended => {
                    waiting.extend(line?);
                }
            }
        }
    }

    /// Closes this side's direction. The other side sees the end of its input.
    pub async fn close(&mut self) {
        if let Some(mut writer) = self.writer.take() {
            // The other side may have closed before.
            let _ = writer.shutdown().await;
        }
    }

    pub(crate) fn fault(&self, kind: FaultKind) -> Fault {
        Fault::new(kind, &self.lines)
    }
}

async fn take_line(
    reader: &mut BufReader<Pin<Box<dyn AsyncRead + Send>>>,
    partial: &mut Vec<u8>,
    ended: &mut bool,
    received: &mut usize,
    limit: usize,
) -> Result<Option<Line>, FaultKind> {
    if *ended {
        return Ok(None);
    }
    loop {
        let bytes = reader.fill_buf().await.map_err(|error| FaultKind::Io(error.kind()))?;
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(bytes.len(), |end| end + 1);
        partial.extend_from_slice(bytes.get(..end.unwrap_or(taken)).unwrap_or_default());
        reader.consume(taken);
        *received += taken;
        if *received > limit {
            return Err(FaultKind::TooMuch);
        }
        if end.is_some() {
            return Ok(Some(Line::new(Way::Received, std::mem::take(partial), true)));
        }
        if taken == 0 {
            *ended = true;
            let last = std::mem::take(partial);
            return Ok((!last.is_empty()).then(|| Line::new(Way::Received, last, false)));
        }
    }
}

impl fmt::Debug for ScriptedPeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedPeer").field("lines", &self.lines.len()).finish_non_exhaustive()
    }
}
