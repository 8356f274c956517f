//! The parts of a transport, for programs that pass bytes on.

use std::fmt;
use std::pin::Pin;

#[cfg(feature = "process")]
use acp_process::ChildGuard;
use tokio::io::{AsyncRead, AsyncWrite};

use super::Transport;

/// The parts of a [`Transport`], for a program that passes bytes on and makes no connection.
///
/// ```
/// use acp_rpc::Transport;
/// use tokio::io::{AsyncReadExt, AsyncWriteExt};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let (here, there) = Transport::duplex();
/// let (mut here, mut there) = (here.into_parts(), there.into_parts());
/// here.writer.write_all(b"as it is").await?;
/// drop(here);
/// let mut passed = String::new();
/// there.reader.read_to_string(&mut passed).await?;
/// assert_eq!(passed, "as it is");
/// # Ok(()) }
/// ```
#[non_exhaustive]
pub struct TransportParts {
    /// The bytes from the peer.
    pub reader: Pin<Box<dyn AsyncRead + Send>>,
    /// The bytes to the peer. A shutdown and a drop tell it that no more come.
    pub writer: Pin<Box<dyn AsyncWrite + Send>>,
    /// The child process at the other end, if there is one (feature `process`).
    #[cfg(feature = "process")]
    pub process: Option<ChildGuard>,
}

impl Transport {
    /// Takes the transport apart.
    #[must_use]
    pub fn into_parts(self) -> TransportParts {
        TransportParts {
            reader: self.reader,
            writer: self.writer,
            #[cfg(feature = "process")]
            process: self.child.map(super::ChildLink::into_guard),
        }
    }
}

impl fmt::Debug for TransportParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransportParts").finish_non_exhaustive()
    }
}
