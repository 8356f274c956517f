//! A file or a terminal that a thread reads or writes, and that can be called off. Unix only.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};

/// A file, a terminal, or a pipe that must stay blocking: only reads and writes tell its state.
pub(super) struct Device(File);

/// Fires when the connection lets go of its other half.
pub(super) struct Ended(PipeReader);

/// Its drop ends a thread that waits.
pub(super) struct Connected(#[expect(dead_code, reason = "it is there to be dropped")] PipeWriter);

pub(super) fn connected() -> io::Result<(Ended, Connected)> {
    let (ended, connected) = io::pipe()?;
    Ok((Ended(ended), Connected(connected)))
}

impl Device {
    pub(super) const fn new(file: File) -> Self {
        Self(file)
    }

    /// Waits until there is input. Returns `false` if the connection ends first.
    ///
    /// A blocked read cannot be called off, and would take what is typed for the next program.
    pub(super) fn is_wanted(&self, ended: &Ended) -> bool {
        let mut either = [PollFd::new(&ended.0, PollFlags::IN), PollFd::new(&self.0, PollFlags::IN)];
        // Some terminals of macOS cannot be waited for, so they are read at once.
        retry_on_intr(|| poll(&mut either, None)).is_err() || either[0].revents().is_empty()
    }

    /// Tells whether this error means that the terminal has gone.
    fn is_hangup(&self, error: &io::Error) -> bool {
        let mut this = [PollFd::new(&self.0, PollFlags::IN)];
        error.raw_os_error() == Some(Errno::IO.raw_os_error())
            && retry_on_intr(|| poll(&mut this, Some(&Timespec::default()))).is_ok()
            && this[0].revents().contains(PollFlags::HUP)
    }
}

impl Read for Device {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer) {
            Err(error) if self.is_hangup(&error) => Ok(0),
            read => read,
        }
    }
}

impl Write for Device {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if self.is_hangup(&error) => Err(io::ErrorKind::BrokenPipe.into()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
