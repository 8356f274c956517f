//! Agents of the registry: the public list of agents, of which there is a copy on this machine.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use acp_client::{Registry, RegistryAgent};

use crate::named::error::NamedError;
#[cfg(feature = "agents")]
use crate::named::installed;
use crate::named::{Found, Way, folders};
use crate::nearest::nearest;

/// Finds an agent: an installed one, or else the entry of the registry. A registry that is named
/// wins.
pub(super) fn find(id: &str, registry: Option<&Path>) -> Result<Found, NamedError> {
    if registry.is_none()
        && let Some(found) = of_lock(id, None)?
    {
        return Ok(found);
    }
    listed(id, registry).map_err(|error| match error {
        NamedError::NoRegistry(_) | NamedError::Unknown { .. } if is_in_a_copy(id) => {
            NamedError::OnlyListed { id: id.to_owned() }
        }
        error => error,
    })
}

/// Returns the way to start an installed agent, of this version if one is named.
#[cfg(feature = "agents")]
fn of_lock(id: &str, version: Option<&str>) -> Result<Option<Found>, NamedError> {
    let command = installed::start::through(id, version).map_err(NamedError::Installed)?;
    Ok(command.map(|command| Found { installed: Some(id.to_owned()), ..Found::of(command) }))
}

#[cfg(not(feature = "agents"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature it can fail")]
const fn of_lock(_: &str, _: Option<&str>) -> Result<Option<Found>, NamedError> {
    Ok(None)
}

/// Returns true if the copy of a list that is fetched has the agent.
#[cfg(feature = "agents")]
fn is_in_a_copy(id: &str) -> bool {
    installed::home::Home::find().is_ok_and(|home| installed::list::is_in_a_copy(&home, id))
}

#[cfg(not(feature = "agents"))]
const fn is_in_a_copy(_: &str) -> bool {
    false
}

fn listed(id: &str, registry: Option<&Path>) -> Result<Found, NamedError> {
    let (file, text) = read(registry)?;
    let registry: Registry =
        text.parse().map_err(|error| NamedError::NotARegistry { file: file.clone(), error })?;
    if let Some(agent) = registry.get(id) {
        let installed = agent.version.as_deref().map_or(Ok(None), |version| of_lock(id, Some(version)))?;
        return installed.map_or_else(|| start(agent), Ok);
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

/// Returns the way to start an agent: its program if that was unpacked by hand, else its
/// package.
pub(super) fn start(agent: &RegistryAgent) -> Result<Found, NamedError> {
    let folder = folders::agent(&agent.id, agent.version.as_deref());
    let unpacked = folder.as_deref().filter(|folder| folder.is_dir());
    let binary = agent.binary();
    let runner = match (&agent.distribution.npx, &agent.distribution.uvx) {
        _ if binary.is_some() && unpacked.is_some() => None,
        (Some(_), _) => Some("npx"),
        (None, Some(_)) => Some("uvx"),
        (None, None) => None,
    };
    if let (None, None, Some(binary)) = (runner, unpacked, binary) {
        return Err(NamedError::NotInstalled {
            id: agent.id.clone(),
            archive: binary.archive.clone(),
            sha256: binary.sha256.clone(),
            folder,
        });
    }
    let command = agent.command(unpacked).map_err(NamedError::NoCommand)?;
    Ok(Found { runner, ..Found::by(Way::Start(command)) })
}

/// Returns the id that may be meant.
fn near(id: &str, registry: &Registry) -> Option<String> {
    nearest(id, registry.agents.iter().map(|agent| &*agent.id)).map(str::to_owned)
}
