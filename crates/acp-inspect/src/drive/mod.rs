//! A client that a person plays from the page.

mod act;
mod desk;
mod negotiation;
mod questions;

use std::io;
use std::path::PathBuf;

use acp_testkit::recordings::{Direction, Tape};
use acp_types::v1::ProtocolVersion;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

pub(crate) use self::act::Act;
pub(crate) use self::desk::Desk;

/// The longest line of an agent, in bytes.
const LONGEST: u64 = 64 * 1024 * 1024;
/// The most lines that wait for an agent that does not read.
const WAITING: usize = 256;

/// The client of an agent, played by a person: the page says what to send. It offers neither files
/// nor terminals, so an agent uses its own. Other questions than those for permission are answered by
/// an error. It speaks version 1 of the protocol unless it is told [otherwise](Self::versions).
///
/// Give it to an inspector with [`driven_by`](crate::Inspector::driven_by) before it
/// [runs](Self::run).
#[derive(Debug)]
pub struct Driver {
    desk: Desk,
    lines: mpsc::Receiver<Vec<u8>>,
}

impl Driver {
    /// Makes a client whose sessions work in a folder.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        let (sender, lines) = mpsc::channel(WAITING);
        Self { desk: Desk::new(sender, folder, vec![ProtocolVersion::V1]), lines }
    }

    /// Sets the versions of the protocol to speak, 1 and 2. The preferred one stands first. An agent
    /// that does not speak it is asked for the next one, on the same connection.
    #[must_use]
    pub fn versions(self, versions: impl IntoIterator<Item = ProtocolVersion>) -> Self {
        self.desk.offer(versions.into_iter().collect());
        self
    }

    pub(crate) fn desk(&self) -> Desk {
        self.desk.clone()
    }

    /// Initializes an agent, and speaks with it until its stream ends. The tape hears both sides.
    ///
    /// # Errors
    /// Fails if a stream fails, if a line of the agent is longer than 64 MiB, or if the agent asks
    /// much and reads nothing.
    pub async fn run(
        self,
        tape: &Tape,
        reader: impl AsyncRead + Unpin,
        writer: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        let Self { desk, lines } = self;
        desk.initialize().map_err(io::Error::other)?;
        tokio::select! {
            read = hear(&desk, tape, reader) => read,
            written = speak(tape, lines, writer) => written,
        }
    }
}

async fn speak(
    tape: &Tape,
    mut lines: mpsc::Receiver<Vec<u8>>,
    mut writer: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let head = tape.head(Direction::Out);
    while let Some(line) = lines.recv().await {
        head.hear(&line);
        writer.write_all(&line).await?;
        writer.flush().await?;
    }
    Ok(())
}

async fn hear(desk: &Desk, tape: &Tape, reader: impl AsyncRead + Unpin) -> io::Result<()> {
    let head = tape.head(Direction::In);
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = (&mut reader).take(LONGEST).read_until(b'\n', &mut line).await?;
        // The desk knows of a message before the page does. Its replies stand behind the message.
        let heard = desk.hear(&line);
        head.hear(&line);
        heard.map_err(io::Error::other)?;
        if !line.ends_with(b"\n") {
            head.end();
            let is_end = (length as u64) < LONGEST;
            return if is_end { Ok(()) } else { Err(io::Error::other("a line of the agent has 64 MiB")) };
        }
    }
}
