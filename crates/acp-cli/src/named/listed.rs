//! Agents of the registry: the public list of agents, of which there is a copy on this machine.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use acp_client::{Registry, RegistryAgent};

use crate::named::error::NamedError;
use crate::named::{Found, Way, folders};
use crate::nearest::nearest;

pub(super) fn find(id: &str, registry: Option<&Path>) -> Result<Found, NamedError> {
    let (file, text) = read(registry)?;
    let registry: Registry =
        text.parse().map_err(|error| NamedError::NotARegistry { file: file.clone(), error })?;
    if let Some(agent) = registry.get(id) {
        return start(agent);
    }
    let skipped = registry.skipped.iter().find(|problem| problem.contains(&format!("(`{id}`)")));
    Err(match skipped {
        Some(problem) => NamedError::BadEntry { registry: file, problem: problem.clone() },
        None => NamedError::Unknown { id: id.to_owned(), registry: file, near: near(id, &registry) },
    })
}

/// Reads the registry: the file that is named, that of the environment, or the copy in the cache.
fn read(named: Option<&Path>) -> Result<(PathBuf, String), NamedError> {
    let of_environment = || env::var_os("ACP_REGISTRY").filter(|file| !file.is_empty()).map(PathBuf::from);
    if let Some(file) = named.map(Path::to_owned).or_else(of_environment) {
        return match fs::read_to_string(&file) {
            Ok(text) => Ok((file, text)),
            Err(error) => Err(NamedError::File { file, error }),
        };
    }
    let file = folders::registry().ok_or(NamedError::NoRegistry(None))?;
    match fs::read_to_string(&file) {
        Ok(text) => Ok((file, text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(NamedError::NoRegistry(Some(file))),
        Err(error) => Err(NamedError::File { file, error }),
    }
}

/// Returns the way to start an agent: its program if that is installed, else its package.
pub(super) fn start(agent: &RegistryAgent) -> Result<Found, NamedError> {
    let folder = folders::agent(&agent.id, agent.version.as_deref());
    let installed = folder.as_deref().filter(|folder| folder.is_dir());
    let binary = agent.binary();
    let runner = match (&agent.distribution.npx, &agent.distribution.uvx) {
        _ if binary.is_some() && installed.is_some() => None,
        (Some(_), _) => Some("npx"),
        (None, Some(_)) => Some("uvx"),
        (None, None) => None,
    };
    if let (None, None, Some(binary)) = (runner, installed, binary) {
        return Err(NamedError::NotInstalled {
            id: agent.id.clone(),
            archive: binary.archive.clone(),
            sha256: binary.sha256.clone(),
            folder,
        });
    }
    let command = agent.command(installed).map_err(NamedError::NoCommand)?;
    Ok(Found { way: Way::Start(command), runner })
}

/// Returns the id that may be meant.
fn near(id: &str, registry: &Registry) -> Option<String> {
    nearest(id, registry.agents.iter().map(|agent| &*agent.id)).map(str::to_owned)
}
