//! A recorded side, played against a live one.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};
use tokio::time::{Instant, sleep_until};

use super::replayed::Replayed;
use super::script::{Script, Scripted};
use super::{Direction, Kind, Record, RecordingError};
use crate::transport::Transport;
use crate::wire::codec::{Framer, Line};

/// The capacity of the transport in each direction, and of the output that is written ahead.
const CAPACITY: usize = 64 * 1024;

/// Plays the lines that went in one direction of a recording. [`Direction::In`] plays the peer of
/// the side that recorded, [`Direction::Out`] that side itself. The transport is for the live side.
///
/// Each line is sent when everything has come that the live side had sent before it, so the order
/// is that of the recording, as fast as possible. Messages of the live side are matched with
/// recorded ones: a request or notification with the first one of its method that has not been
/// matched, preferably with equal params but for ids, `cwd`, `_meta` and the names of both
/// programs; a response by its id. Responses are sent under the live
/// side's ids. If a result of the live side has other strings in its `id` and `…Id` members than
/// the recorded one, such as a session's id, later lines are sent with the live ones. Notifications
/// `$/…` are not waited for. A request that was not recorded is answered with `-32603`. Stray
/// prints whose text was not recorded are left out.
///
/// After the last line the played side hangs up. [`Replay::lasting`] and [`Replay::paced`] change
/// that, and the speed.
///
/// ```no_run
/// use acp_rpc::tap::{Direction, Recording, replay};
///
/// # async fn test() -> Result<(), Box<dyn std::error::Error>> {
/// let (transport, replay) = replay(Recording::open("tests/turn.ndjson")?, Direction::In)?;
/// let played = tokio::spawn(replay);
/// // … connect to `transport`, do what was recorded, close the connection …
/// let played = played.await?;
/// assert!(played.is_faithful(), "{played}");
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// Fails if the recording cannot be read, has gaps, or lacks the text of a line to play.
pub fn replay(
    recording: impl IntoIterator<Item = Result<Record, RecordingError>>,
    plays: Direction,
) -> Result<(Transport, Replay), ReplayError> {
    let mut script = Script::default();
    for (record, number) in recording.into_iter().zip(1..) {
        match record.map_err(ReplayError::Recording)? {
            Record::Dropped { count, .. } => return Err(ReplayError::Gap { count }),
            Record::Line(entry) => script
                .add(entry, plays)
                .map_err(|(kind, method)| ReplayError::NoBody { record: number, kind, method })?,
            Record::Start { .. } | Record::End { .. } => {}
        }
    }
    let (live, ours) = tokio::io::duplex(CAPACITY);
    let (reader, writer) = tokio::io::split(ours);
    let player = Player {
        script,
        reader,
        writer,
        output: Vec::new(),
        hung_up: false,
        is_lasting: false,
        is_paced: false,
        moved: None,
        due: None,
    };
    Ok((Transport::from_stream(live), Replay { state: State::Ready(Box::new(player)) }))
}

/// A recorded side at work. It resolves when the live side has closed the connection. It does
/// nothing unless it is spawned or awaited.
#[must_use = "a replay does nothing unless it is spawned or awaited"]
pub struct Replay {
    state: State,
}

enum State {
    Ready(Box<Player>),
    Playing(Pin<Box<dyn Future<Output = Replayed> + Send>>),
    /// Between the two.
    Begun,
}

impl Replay {
    /// Waits before each line as long as the side waited in the recording. It needs a tokio runtime
    /// with time enabled.
    pub fn paced(mut self) -> Self {
        if let State::Ready(player) = &mut self.state {
            player.is_paced = true;
        }
        self
    }

    /// Does not hang up after the last line: the live side ends the connection.
    pub fn lasting(mut self) -> Self {
        if let State::Ready(player) = &mut self.state {
            player.is_lasting = true;
        }
        self
    }
}

impl Future for Replay {
    type Output = Replayed;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Replayed> {
        loop {
            match std::mem::replace(&mut self.state, State::Begun) {
                State::Ready(player) => self.state = State::Playing(Box::pin(player.run())),
                State::Playing(mut playing) => {
                    let polled = playing.as_mut().poll(cx);
                    self.state = State::Playing(playing);
                    return polled;
                }
                // Nobody sees it: each poll leaves a state behind.
                State::Begun => return Poll::Pending,
            }
        }
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").finish_non_exhaustive()
    }
}

/// The reason why a recording cannot be played.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReplayError {
    /// The recording cannot be read.
    Recording(RecordingError),
    /// Lines are missing: record again with a larger [budget](super::Recorder::budget).
    Gap {
        /// The number of missing lines.
        count: u64,
    },
    /// A line to play was recorded without its text.
    NoBody {
        /// The number of its record, from 1.
        record: usize,
        /// Its kind.
        kind: Kind,
        /// Its method, of a request or notification.
        method: Option<String>,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recording(error) => error.fmt(f),
            Self::Gap { count } => write!(
                f,
                "{count} lines are missing from the recording, so it cannot be played: \
                 record again with a larger budget"
            ),
            Self::NoBody { record, kind, method } => {
                let method = method.as_deref().map(|method| format!(" `{method}`")).unwrap_or_default();
                write!(f, "record {record} ({kind:?}{method}) has no `body`, so it cannot be played")
            }
        }
    }
}

impl std::error::Error for ReplayError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Recording(error) => error.source(),
            Self::Gap { .. } | Self::NoBody { .. } => None,
        }
    }
}

struct Player {
    script: Script,
    reader: ReadHalf<DuplexStream>,
    writer: WriteHalf<DuplexStream>,
    output: Vec<u8>,
    hung_up: bool,
    is_lasting: bool,
    is_paced: bool,
    /// The time when something was sent or came for the last time.
    moved: Option<Instant>,
    /// The time when the next line is to be sent.
    due: Option<Instant>,
}

impl Player {
    async fn run(mut self: Box<Self>) -> Replayed {
        let mut framer = Framer::new(usize::MAX);
        loop {
            self.advance().await;
            let Self { reader, writer, output, hung_up, due, .. } = &mut *self;
            let may_write = !output.is_empty() && !*hung_up;
            let pause = async {
                match *due {
                    Some(due) => sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = pause => {}
                read = reader.read_buf(framer.space()) => {
                    if !matches!(read, Ok(1..)) {
                        return self.script.outcome();
                    }
                    if self.is_paced {
                        self.moved = Some(Instant::now());
                    }
                    while let Some(line) = framer.next_line() {
                        if let Line::Whole(line) = line {
                            self.script.receive(line, &mut self.output);
                        }
                    }
                }
                wrote = writer.write(output), if may_write => match wrote {
                    Ok(written @ 1..) => drop(output.drain(..written)),
                    // The live side reads no more, but may still send something.
                    Ok(0) | Err(_) => self.hung_up = true,
                },
            }
        }
    }

    /// Puts the next lines to send into the output. After the last line it hangs up.
    async fn advance(&mut self) {
        self.due = None;
        while !self.hung_up && self.output.len() < CAPACITY {
            match self.script.next() {
                Scripted::Send(pause) => {
                    if self.is_paced && !self.is_due(pause) {
                        return;
                    }
                    self.script.send(&mut self.output);
                }
                Scripted::Waiting => return,
                Scripted::Over if self.output.is_empty() && !self.is_lasting => {
                    self.hung_up = true;
                    // A live side that is gone needs no goodbye.
                    let _ = self.writer.shutdown().await;
                }
                Scripted::Over => return,
            }
        }
    }

    /// Returns true if it is time for a line that came `pause` after the one before it. Otherwise
    /// it is due later.
    fn is_due(&mut self, pause: Duration) -> bool {
        let now = Instant::now();
        let due = *self.moved.get_or_insert(now) + pause;
        if due > now {
            self.due = Some(due);
            return false;
        }
        self.moved = Some(now);
        true
    }
}
