//! The slash commands of a session.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_types::v1::{AvailableCommand, SessionUpdate};

use crate::error::commands_error::CommandsError;

/// The commands that have handlers. Every session of the connection has them.
#[derive(Default)]
pub(crate) struct HandledCommands {
    list: Vec<AvailableCommand>,
    /// Set if prompts without a command have a handler.
    takes_prompts: bool,
}

impl HandledCommands {
    pub(crate) const fn new(list: Vec<AvailableCommand>, takes_prompts: bool) -> Self {
        HandledCommands { list, takes_prompts }
    }
}

/// The commands of a session: first those that have handlers, then those that the agent lists at
/// run time. Whatever the client is told of commands, it is told both.
pub(crate) struct SessionCommands {
    handled: Arc<HandledCommands>,
    state: Mutex<State>,
}

struct State {
    /// The commands without handlers.
    others: Vec<AvailableCommand>,
    /// Set if the client knows this list, or is about to. It starts with an empty one.
    is_told: bool,
}

impl SessionCommands {
    pub(crate) fn new(handled: Arc<HandledCommands>) -> Self {
        let state = State { others: Vec::new(), is_told: handled.list.is_empty() };
        SessionCommands { handled, state: Mutex::new(state) }
    }

    /// Returns true if the session has a command of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        let is_named = |command: &AvailableCommand| command.name == name;
        self.handled.list.iter().any(is_named) || self.state().others.iter().any(is_named)
    }

    /// Replaces the commands without handlers by those that the session is opened with.
    pub(crate) fn set(&self, others: Vec<AvailableCommand>) -> Result<(), CommandsError> {
        self.check(&others)?;
        let mut state = self.state();
        state.is_told &= others.is_empty() && state.others.is_empty();
        state.others = others;
        Ok(())
    }

    /// Notes an update that is about to leave. If it lists commands, they replace those without
    /// handlers, and the list gets those with handlers, too.
    pub(crate) fn complete(&self, update: &mut SessionUpdate) -> Result<(), CommandsError> {
        let SessionUpdate::AvailableCommandsUpdate(update) = update else { return Ok(()) };
        let listed = &mut update.available_commands;
        self.check(listed)?;
        *self.state() = State { others: listed.clone(), is_told: true };
        listed.splice(..0, self.handled.list.iter().cloned());
        Ok(())
    }

    /// Returns all commands if the client does not know them yet. Then it is to be told.
    pub(crate) fn untold(&self) -> Option<Vec<AvailableCommand>> {
        let mut state = self.state();
        let is_told = std::mem::replace(&mut state.is_told, true);
        (!is_told).then(|| self.handled.list.iter().chain(&state.others).cloned().collect())
    }

    /// Refuses lists with commands that cannot be told apart, or cannot be called.
    fn check(&self, others: &[AvailableCommand]) -> Result<(), CommandsError> {
        let mut names = HashSet::new();
        for AvailableCommand { name, .. } in others {
            let refused = |error: fn(String) -> CommandsError| Err(error(name.clone()));
            if let Err(error) = AvailableCommand::check_name(name) {
                return Err(CommandsError::Name { name: name.clone(), error });
            }
            if self.handled.list.iter().any(|handled| handled.name == *name) {
                return refused(|name| CommandsError::Handled { name });
            }
            if !names.insert(name) {
                return refused(|name| CommandsError::Twice { name });
            }
            if !self.handled.takes_prompts {
                return refused(|name| CommandsError::NoPrompt { name });
            }
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing but assignments, reads and clones runs under this lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
