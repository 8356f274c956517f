//! A connection that is read and written at once.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};

/// A connection with two independent directions.
pub(super) trait Socket: Read + Write + Send + Sized + 'static {
    /// Returns another handle on the connection.
    fn share(&self) -> io::Result<Self>;

    /// Tells the other side that nothing more will be written.
    fn finish(&self) -> io::Result<()>;
}

impl Socket for TcpStream {
    fn share(&self) -> io::Result<Self> {
        self.try_clone()
    }

    fn finish(&self) -> io::Result<()> {
        self.shutdown(Shutdown::Write)
    }
}

#[cfg(unix)]
impl Socket for std::os::unix::net::UnixStream {
    fn share(&self) -> io::Result<Self> {
        self.try_clone()
    }

    fn finish(&self) -> io::Result<()> {
        self.shutdown(Shutdown::Write)
    }
}
