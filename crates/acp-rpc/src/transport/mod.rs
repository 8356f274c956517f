//! Transports: the pairs of streams that carry the bytes of a connection.

mod child;
#[cfg(all(feature = "stdio", unix))]
mod device;
mod first_line;
mod messages;
mod parts;
#[cfg(all(any(feature = "process", feature = "stdio"), unix))]
mod pipe;
mod source;
#[cfg(all(feature = "stdio", unix))]
mod stdio;
#[cfg(feature = "stdio")]
mod threads;

use std::fmt;
use std::pin::Pin;

#[cfg(any(feature = "process", feature = "stdio"))]
use std::io;

#[cfg(feature = "process")]
use acp_process::{Child, Command};
use futures_core::Stream;
use futures_sink::Sink;
use tokio::io::{AsyncRead, AsyncWrite};

pub(crate) use self::child::ChildLink;
use crate::core::error::CloseReason;

pub use self::parts::TransportParts;
pub use self::source::Source;

#[cfg(all(feature = "stdio", unix))]
pub use self::stdio::{Stdio, restore_stdio};

/// The capacity of a [`Transport::duplex`] in each direction.
const DUPLEX_CAPACITY: usize = 64 * 1024;

/// A pair of byte streams: one from the peer, one to the peer.
pub struct Transport {
    pub(crate) reader: Pin<Box<dyn AsyncRead + Send>>,
    pub(crate) writer: Pin<Box<dyn AsyncWrite + Send>>,
    pub(crate) child: Option<ChildLink>,
    /// The reason of a connection whose input ends.
    pub(crate) end: CloseReason,
}

impl Transport {
    /// Creates a transport over any two streams.
    pub fn new(reader: impl AsyncRead + Send + 'static, writer: impl AsyncWrite + Send + 'static) -> Self {
        Self { reader: Box::pin(reader), writer: Box::pin(writer), child: None, end: CloseReason::Eof }
    }

    /// Creates a transport over one stream that goes both ways, such as a socket or a
    /// [`DuplexStream`](tokio::io::DuplexStream).
    pub fn from_stream(stream: impl AsyncRead + AsyncWrite + Send + 'static) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self::new(reader, writer)
    }

    /// Creates a transport over a stream and a sink of whole messages, one JSON text each, such as
    /// the two halves of a WebSocket. An error of either ends the connection.
    ///
    /// The sink must take a message only when it has room for it, or nobody notices that the peer
    /// does not read. A message of the stream is taken as it is: the stream limits its size.
    ///
    /// ```
    /// use std::convert::Infallible;
    /// use acp_rpc::Transport;
    /// use futures_util::StreamExt;
    ///
    /// let (to_peer, _) = futures_channel::mpsc::channel::<Vec<u8>>(8);
    /// let (_, from_peer) = futures_channel::mpsc::channel::<String>(8);
    /// let transport = Transport::messages(from_peer.map(Ok::<_, Infallible>), to_peer);
    /// ```
    pub fn messages<M, E>(
        incoming: impl Stream<Item = Result<M, E>> + Send + 'static,
        outgoing: impl Sink<Vec<u8>, Error: Into<messages::Cause>> + Send + 'static,
    ) -> Self
    where
        M: AsRef<[u8]> + Send + Unpin + 'static,
        E: Into<messages::Cause> + 'static,
    {
        Self::new(messages::Reader::new(incoming), messages::MessageWriter::new(outgoing))
    }

    /// Promises that the input ends only if the peer has said that it is done, as with close code
    /// 1000 of a WebSocket. A connection that is lost is an error of the input. The reason of the
    /// end is then [`CloseReason::Ended`] instead of [`CloseReason::Eof`].
    #[must_use]
    pub fn ends_in_order(mut self) -> Self {
        self.end = CloseReason::Ended;
        self
    }

    /// Creates two transports that are connected to each other, in memory.
    #[must_use]
    pub fn duplex() -> (Self, Self) {
        let (here, there) = tokio::io::duplex(DUPLEX_CAPACITY);
        (Self::from_stream(here), Self::from_stream(there))
    }

    /// Takes this process's stdin and stdout (feature `stdio`).
    ///
    /// On unix the transport keeps stdin and stdout to itself as long as it lives: file descriptor
    /// 0 reads as empty and descriptor 1 leads to stderr, so that neither a stray print nor a child
    /// process can get in between. `Stdio` (unix) can switch that off. It needs a tokio runtime
    /// with I/O enabled.
    ///
    /// # Errors
    ///
    /// Fails if a descriptor cannot be used, or if stdio already carries another connection.
    #[cfg(feature = "stdio")]
    pub fn stdio() -> io::Result<Self> {
        #[cfg(unix)]
        return Stdio::new().open();
        #[cfg(not(unix))]
        Ok(Self::new(threads::reader(io::stdin(), |_| true, ())?, threads::writer(io::stdout())?))
    }

    /// Starts a child process and takes its stdin and stdout (feature `process`).
    ///
    /// When the connection ends, or its driver is dropped, the process and everything it started is
    /// ended: see [`Command::grace`]. Needs a tokio runtime with I/O and time enabled.
    ///
    /// # Errors
    ///
    /// If the process cannot be started.
    #[cfg(feature = "process")]
    pub fn process(command: Command) -> io::Result<(Self, Child)> {
        let program = command.program().to_owned();
        let spawned = command.spawn().map_err(|error| {
            io::Error::new(error.kind(), format!("cannot start `{}`: {error}", program.display()))
        })?;
        #[cfg(unix)]
        {
            pipe::widen(&spawned.stdin);
            pipe::widen(&spawned.stdout);
        }
        let mut transport = Self::new(spawned.stdout, spawned.stdin);
        transport.child = Some(ChildLink::new(spawned.guard));
        Ok((transport, spawned.child))
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transport").field("child", &self.child.is_some()).finish_non_exhaustive()
    }
}
