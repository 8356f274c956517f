//! The way to an agent: a program to start, or a source of transports.

use acp_rpc::{Child, Command, Source, Transport};

use crate::Error;

/// The way to an agent.
#[derive(Debug)]
pub(super) enum Start {
    /// `None` once it runs and will not be started again.
    Process(Option<Box<Command>>),
    Source(Source),
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

    /// Returns true for an agent that can be started or reached, perhaps again.
    pub(super) const fn is_reopenable(&self) -> bool {
        match self {
            Self::Process(command) => command.is_some(),
            Self::Source(source) => source.is_reusable(),
        }
    }

    /// Starts the program, or opens the transport. With `again` the program can be started
    /// again.
    pub(super) async fn run(&mut self, again: bool) -> Result<Started, Error> {
        let used_up = "the way to the agent is used up: connect anew";
        match self {
            Self::Source(source) => {
                let transport = source.open().await.map_err(|error| Error::Connect { error })?;
                Ok(Started { transport, child: None, program: None })
            }
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
