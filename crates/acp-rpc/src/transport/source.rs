//! The ways to a transport.

use std::fmt;
use std::io;
use std::pin::Pin;

use super::Transport;

/// A transport about to be made.
type Dialed = Pin<Box<dyn Future<Output = io::Result<Transport>> + Send>>;

/// A way to a transport: one that exists, or one that is made when it is needed.
///
/// ```
/// use acp_rpc::{Source, Transport};
/// use tokio::net::TcpStream;
///
/// let source = Source::dial(|| {
///     Box::pin(async { Ok(Transport::from_stream(TcpStream::connect("127.0.0.1:7000").await?)) })
/// });
/// assert!(source.is_reusable());
/// ```
pub struct Source(Inner);

enum Inner {
    /// `None` once it is in use.
    Made(Option<Box<Transport>>),
    Dial(Box<dyn Fn() -> Dialed + Send + Sync>),
}

impl Source {
    /// Creates a source that makes a new transport each time it is asked, such as over the network.
    pub fn dial(dial: impl Fn() -> Dialed + Send + Sync + 'static) -> Self {
        Self(Inner::Dial(Box::new(dial)))
    }

    /// Returns true if it can make more than one transport.
    #[must_use]
    pub const fn is_reusable(&self) -> bool {
        matches!(self.0, Inner::Dial(_))
    }

    /// Returns a transport.
    ///
    /// # Errors
    ///
    /// Fails if none can be made, or if the only one has been taken before.
    pub async fn open(&mut self) -> io::Result<Transport> {
        match &mut self.0 {
            Inner::Made(transport) => match transport.take() {
                Some(transport) => Ok(*transport),
                None => Err(io::Error::other("the way to the peer is used up: connect anew")),
            },
            Inner::Dial(dial) => dial().await,
        }
    }
}

impl From<Transport> for Source {
    fn from(transport: Transport) -> Self {
        Self(Inner::Made(Some(Box::new(transport))))
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("is_reusable", &self.is_reusable()).finish_non_exhaustive()
    }
}
