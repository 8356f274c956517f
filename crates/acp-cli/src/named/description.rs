//! Files that describe an agent: an entry of the registry, or a command as editors have it in their
//! settings.

use std::fs;
use std::path::Path;

use acp_client::{Command, RegistryAgent, RegistryError};
use acp_json::Node;

use crate::named::error::NamedError;
use crate::named::{Found, listed};

pub(super) fn find(file: &Path) -> Result<Found, NamedError> {
    let text = fs::read_to_string(file).map_err(|error| NamedError::File { file: file.to_owned(), error })?;
    let node = acp_json::parse(&text).map_err(|error| NamedError::Json { file: file.to_owned(), error })?;
    let no_agent = |problem| NamedError::NotAnAgent { file: file.to_owned(), problem };
    if node.get("command").is_some() {
        return command(&node).map(Found::of).map_err(|problem| no_agent(problem.to_owned()));
    }
    match text.parse::<RegistryAgent>() {
        Ok(agent) => listed::start(&agent),
        Err(RegistryError::NoEntry(problem)) => Err(no_agent(problem)),
        Err(error) => Err(no_agent(error.to_string())),
    }
}

/// Reads `{"command": "…", "args": […], "env": {…}}`.
fn command(node: &Node<'_>) -> Result<Command, &'static str> {
    let program = node.get("command").and_then(Node::as_str).filter(|program| !program.is_empty());
    let mut command = Command::new(program.ok_or("`command` must be a text")?);
    match node.get("args") {
        None | Some(Node::Null) => {}
        Some(Node::Seq(args)) => {
            for arg in args {
                command = command.arg(arg.as_str().ok_or("`args` must be a list of texts")?);
            }
        }
        Some(_) => return Err("`args` must be a list of texts"),
    }
    match node.get("env") {
        None | Some(Node::Null) => {}
        Some(Node::Map(members)) => {
            for (name, value) in members {
                command = command.env(&**name, value.as_str().ok_or("`env` must be texts by name")?);
            }
        }
        Some(_) => return Err("`env` must be texts by name"),
    }
    Ok(command)
}
