//! The way to an agent: a program to start, or a transport.

use acp_rpc::{Child, Command, Transport};

use crate::Error;

/// The way to an agent.
#[derive(Debug)]
pub(super) enum Start {
    /// `None` once it runs and will not be started again.
    Process(Option<Box<Command>>),
    /// `None` once it is in use. It cannot be opened again.
    Transport(Option<Box<Transport>>),
}

/// A way that is in use.
pub(super) struct Started {
    pub(super) transport: Transport,
    pub(super) child: Option<Child>,
    /// The program, if there is one.
    pub(super) program: Option<Command>,
}

impl Start {
    /// Returns the words of the command, if there is one.
    #[cfg(feature = "v2")]
    pub(super) fn name(&self) -> Option<String> {
        let Self::Process(Some(command)) = self else { return None };
        let words: Vec<_> = command.words().map(|word| word.to_string_lossy()).collect();
        // Words may have spaces in them.
        Some(words.join(" "))
    }

    /// Returns true for a program that can be started, perhaps again.
    pub(super) const fn is_process(&self) -> bool {
        matches!(self, Self::Process(Some(_)))
    }

    /// Starts the program, or gives the transport away. With `again` the program can be started
    /// again.
    pub(super) fn run(&mut self, again: bool) -> Result<Started, Error> {
        let used_up = "the way to the agent is used up: connect anew";
        match self {
            Self::Transport(transport) => match transport.take() {
                Some(transport) => Ok(Started { transport: *transport, child: None, program: None }),
                None => Err(Error::from(used_up)),
            },
            Self::Process(slot) => {
                let mut command = slot.take().ok_or(used_up)?;
                *slot = again.then(|| Box::new(command.share()));
                let program = command.without_listener();
                let name = command.program().to_string_lossy().into_owned();
                let (transport, child) =
                    Transport::process(*command).map_err(|error| Error::Start { program: name, error })?;
                Ok(Started { transport, child: Some(child), program: Some(program) })
            }
        }
    }
}
