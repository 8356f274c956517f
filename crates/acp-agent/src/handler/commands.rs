//! Handlers of slash commands.

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use acp_handlers::ServeKeyed;
use acp_types::v1::{AvailableCommand, PromptResponse};

use crate::error::Result;
use crate::handler::scope::{Call, Handlers, Scope};
use crate::op;
use crate::turn::command::SlashCommand;

/// The handlers of an agent's commands, as they are registered.
pub struct Commands<S: Send + Sync + 'static> {
    registered: Vec<(AvailableCommand, CommandHandler<S>)>,
    table: CommandTable<S>,
}

/// The handlers of all commands by name, once all are registered. `session/prompt` is registered
/// before or behind them.
pub(crate) struct CommandTable<S: Send + Sync + 'static>(Arc<OnceLock<HashMap<String, CommandHandler<S>>>>);

type CommandHandler<S> = Box<dyn Fn(Call<op::Command, S>) -> Answering + Send + Sync>;

type Answering = Pin<Box<dyn Future<Output = Result<PromptResponse>> + Send>>;

impl<S: Send + Sync + 'static> Commands<S> {
    /// Returns the table, which [`seal`](Self::seal) fills.
    pub(crate) fn table(&self) -> CommandTable<S> {
        CommandTable(Arc::clone(&self.table.0))
    }

    /// Ends the registration. Returns the commands in the order in which they were registered.
    pub(crate) fn seal(&mut self) -> Vec<AvailableCommand> {
        let registered = std::mem::take(&mut self.registered);
        let list = registered.iter().map(|(command, _)| command.clone()).collect();
        let by_name = registered.into_iter().map(|(command, handler)| (command.name, handler));
        // Each connection seals its own table, once.
        let _ = self.table.0.set(by_name.collect());
        list
    }
}

impl<S: Send + Sync + 'static> CommandTable<S> {
    /// Calls the handler of the command that the prompt names, or else the one of prompts.
    pub(crate) fn call<F>(
        &self,
        call: Call<op::Prompt, S>,
        prompt: &dyn Fn(Call<op::Prompt, S>) -> F,
    ) -> Answering
    where
        F: Future<Output = Result<PromptResponse>> + Send + 'static,
    {
        match self.find(&call) {
            Some(handler) => handler(call.into_call_of()),
            None => Box::pin(prompt(call)),
        }
    }

    fn find(&self, call: &Call<op::Prompt, S>) -> Option<&CommandHandler<S>> {
        let handlers = self.0.get().filter(|handlers| !handlers.is_empty())?;
        handlers.get(SlashCommand::of(&call.params().prompt)?.name)
    }
}

impl<S: Send + Sync + 'static> ServeKeyed<op::Command> for Scope<S> {
    type Key = AvailableCommand;

    fn enter_keyed<F>(
        handlers: &mut Handlers<S>,
        command: AvailableCommand,
        handler: impl Fn(Call<op::Command, S>) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<PromptResponse>> + Send + 'static,
    {
        handlers.claim(&format!("/{}", command.name));
        let handler: CommandHandler<S> = Box::new(move |call| Box::pin(handler(call)));
        handlers.special.registered.push((command, handler));
    }
}

impl<S: Send + Sync + 'static> Default for Commands<S> {
    fn default() -> Self {
        Commands { registered: Vec::new(), table: CommandTable(Arc::default()) }
    }
}

impl<S: Send + Sync + 'static> fmt::Debug for Commands<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.registered.iter().map(|(command, _)| &command.name);
        f.debug_list().entries(names).finish()
    }
}
