//! Slash commands.

use acp_types::v1::{AvailableCommand, AvailableCommandInput, UnstructuredCommandInput};
use acp_types::v2;

/// Decodes the commands of a session. One of a kind that is not known here keeps its name and
/// description.
pub(super) fn commands(commands: Vec<v2::AvailableCommand>) -> Vec<AvailableCommand> {
    commands.into_iter().map(command).collect()
}

fn command(command: v2::AvailableCommand) -> AvailableCommand {
    match command {
        v2::AvailableCommand::Command(command) => {
            let mut read = AvailableCommand::new(command.name, command.description);
            read.input = command.input.and_then(input);
            read.meta = command.meta;
            read
        }
        v2::AvailableCommand::Unknown { name, description, .. } => AvailableCommand::new(name, description),
        _ => AvailableCommand::new("", ""),
    }
}

fn input(input: v2::AvailableCommandInput) -> Option<AvailableCommandInput> {
    match input {
        v2::AvailableCommandInput::Text(text) => {
            let mut read = UnstructuredCommandInput::new(text.hint);
            read.meta = text.meta;
            Some(read.into())
        }
        _ => None,
    }
}
