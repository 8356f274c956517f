//! What carries the bytes of a connection.

mod group;
pub(crate) mod process;
mod stderr;
#[cfg(unix)]
mod stdio;
mod threads;

use std::fmt;
use std::io;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};

use self::process::{Child, ChildLink, Command};

#[cfg(unix)]
pub use self::stdio::Stdio;

/// How much a [`Transport::duplex`] holds in each direction.
const DUPLEX_CAPACITY: usize = 64 * 1024;

/// A pair of byte streams: what the peer sends, and what is sent to the peer.
pub struct Transport {
    pub(crate) reader: Pin<Box<dyn AsyncRead + Send>>,
    pub(crate) writer: Pin<Box<dyn AsyncWrite + Send>>,
    pub(crate) child: Option<ChildLink>,
}

impl Transport {
    /// A transport over any two streams.
    pub fn new(reader: impl AsyncRead + Send + 'static, writer: impl AsyncWrite + Send + 'static) -> Self {
        Self { reader: Box::pin(reader), writer: Box::pin(writer), child: None }
    }

    /// A transport over one stream that goes both ways, such as a socket or a
    /// [`DuplexStream`](tokio::io::DuplexStream).
    pub fn from_stream(stream: impl AsyncRead + AsyncWrite + Send + 'static) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self::new(reader, writer)
    }

    /// Two transports that are connected to each other, in memory.
    pub fn duplex() -> (Self, Self) {
        let (here, there) = tokio::io::duplex(DUPLEX_CAPACITY);
        (Self::from_stream(here), Self::from_stream(there))
    }

    /// This process's stdin and stdout.
    ///
    /// On unix, stdin and stdout are kept privately as long as the transport lives: file descriptor 0 reads
    /// as empty and descriptor 1 leads to stderr, so that neither a stray print nor a child process can get
    /// in between. `Stdio` (unix) has the choice. Needs a tokio runtime with I/O enabled.
    ///
    /// # Errors
    ///
    /// If a descriptor cannot be used, or if stdio already carries another connection.
    pub fn stdio() -> io::Result<Self> {
        #[cfg(unix)]
        return Stdio::new().open();
        #[cfg(not(unix))]
        Ok(Self::new(threads::reader(io::stdin())?, threads::writer(io::stdout())?))
    }

    /// Starts a child process; the transport is its stdin and stdout.
    ///
    /// When the connection ends, or its driver is dropped, the process and everything it started is ended:
    /// see [`Command::grace`]. Needs a tokio runtime with I/O and time enabled.
    ///
    /// # Errors
    ///
    /// If the process cannot be started.
    pub fn process(command: Command) -> io::Result<(Self, Child)> {
        process::spawn(command)
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transport").field("child", &self.child.is_some()).finish_non_exhaustive()
    }
}
