//! The ways to run an agent, and those that work on this machine.

use std::env;
use std::path::Path;

use acp_client::{Registry, RegistryAgent};

use super::error::InstallError;
use super::exact::{is_exact_of_npm, is_exact_of_python};

/// A way to run an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// A program of an archive.
    Binary,
    /// A package of npm.
    Npx,
    /// A package of PyPI.
    Uvx,
}

impl Way {
    /// All ways, the preferred one first.
    pub(crate) const ALL: [Self; 3] = [Self::Binary, Self::Npx, Self::Uvx];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::Npx => "npx",
            Self::Uvx => "uvx",
        }
    }

    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.name() == name)
    }

    /// Returns true if the entry of an agent has this way, for any platform.
    pub(crate) fn is_of(self, agent: &RegistryAgent) -> bool {
        match self {
            Self::Binary => !agent.distribution.binary.is_empty(),
            Self::Npx => agent.distribution.npx.is_some(),
            Self::Uvx => agent.distribution.uvx.is_some(),
        }
    }

    /// Finds out if the agent can be run this way on this machine. The error is the reason.
    pub(crate) fn works(self, agent: &RegistryAgent) -> Result<(), String> {
        match self {
            _ if !self.is_of(agent) => Err(format!("its entry has no `{}`", self.name())),
            Self::Binary if agent.binary().is_some() => Ok(()),
            Self::Binary => Err(format!("it is not made for {}", Registry::platform())),
            Self::Npx if is_on_path("npx") => Ok(()),
            Self::Npx => Err("it needs `npx`, which comes with Node.js".to_owned()),
            Self::Uvx if is_on_path("uvx") => Ok(()),
            Self::Uvx => Err("it needs `uvx`, which comes with uv".to_owned()),
        }
    }

    /// Refuses a package whose version is not exact: it would be another one some day. The error
    /// is a sentence about the entry.
    pub(super) fn check_pinned(self, agent: &RegistryAgent) -> Result<(), String> {
        let ways = &agent.distribution;
        let (package, is_exact): (_, fn(&str) -> bool) = match self {
            Self::Binary => return Ok(()),
            Self::Npx => (&ways.npx, is_exact_of_npm),
            Self::Uvx => (&ways.uvx, is_exact_of_python),
        };
        match package {
            Some(package) if !is_exact(&package.package) => {
                Err(format!("its `package` {} does not name an exact version", package.package))
            }
            _ => Ok(()),
        }
    }

    /// Chooses the way that is asked for, or the preferred one of those that work.
    ///
    /// # Errors
    /// [`InstallError::NoWay`] if none works.
    pub(crate) fn choose(agent: &RegistryAgent, asked: Option<Self>) -> Result<Self, InstallError> {
        let offered =
            Self::ALL.into_iter().filter(|way| asked.map_or(way.is_of(agent), |asked| asked == *way));
        let mut problems = Vec::new();
        for way in offered {
            match way.works(agent) {
                Ok(()) => return Ok(way),
                Err(problem) => problems.push(problem),
            }
        }
        Err(InstallError::NoWay { id: agent.id.clone(), problem: problems.join(", and ") })
    }
}

/// Returns true if there is a program of this name on the path.
fn is_on_path(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_program = |folder: &Path| {
        let names = if cfg!(windows) { &["exe", "cmd", "bat"][..] } else { &[""] };
        names.iter().any(|extension| folder.join(name).with_extension(extension).is_file())
    };
    env::split_paths(&path).any(|folder| is_program(&folder))
}
