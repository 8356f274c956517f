//! The program under check, and how it is started again.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::sync::{Mutex, PoisonError};

use acp_process::Command;

use crate::peer::ScriptedPeer;

type Connect = Box<dyn Fn() -> io::Result<ScriptedPeer> + Send + Sync>;

/// The agent under check. It is started again whenever a scenario needs a new connection.
pub struct Target {
    connect: Connect,
    words: Vec<String>,
}

impl Target {
    /// Checks a program that speaks over its stdin and stdout. It runs in a process group of its
    /// own, which is ended with the connection.
    pub fn command(
        program: impl Into<OsString>,
        args: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        Self::spawn(Command::new(program).args(args))
    }

    /// Checks the program of a command, with its environment and working directory.
    #[must_use]
    pub fn spawn(command: Command) -> Self {
        let words = command.words().map(|word| word.to_string_lossy().into_owned()).collect();
        let command = Mutex::new(command);
        let connect = move || {
            let command = command.lock().unwrap_or_else(PoisonError::into_inner).without_listener();
            ScriptedPeer::spawn(command)
        };
        Self { connect: Box::new(connect), words }
    }

    /// Checks an agent that this function connects to, each time anew.
    pub fn new(connect: impl Fn() -> io::Result<ScriptedPeer> + Send + Sync + 'static) -> Self {
        Self { connect: Box::new(connect), words: Vec::new() }
    }

    pub(super) fn connect(&self) -> io::Result<ScriptedPeer> {
        (self.connect)()
    }

    /// Returns the words of the command, none for a function.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target").field("words", &self.words).finish_non_exhaustive()
    }
}
