//! A child process on a terminal of its own.

use std::io;

use pty_process::{Error, Pts, Pty, Size};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use tokio::process::Child;

use crate::command::Command;

/// The key that ends the input of a program that reads lines.
const END_OF_INPUT: &[u8] = b"\x04";

/// Starts the process as the leader of a session, and so of a process group, with the terminal as
/// its own.
pub(crate) fn spawn(command: &Command, columns: u16, rows: u16) -> io::Result<(Child, Pty)> {
    let (pty, pts) = pty_process::open().map_err(io_error)?;
    pty.resize(Size::new(rows, columns)).map_err(io_error)?;
    set_silent(&pts)?;
    // Nobody types anything, so a program that reads must come to the end.
    rustix::io::write(&pty, END_OF_INPUT)?;
    let process = pty_process::Command::from(command.to_process());
    Ok((process.spawn(pts).map_err(io_error)?, pty))
}

/// Keeps the terminal from printing its input.
fn set_silent(pts: &Pts) -> io::Result<()> {
    let mut modes = tcgetattr(pts)?;
    modes.local_modes.remove(LocalModes::ECHO);
    Ok(tcsetattr(pts, OptionalActions::Now, &modes)?)
}

fn io_error(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        Error::Rustix(error) => error.into(),
        error => io::Error::other(error),
    }
}
