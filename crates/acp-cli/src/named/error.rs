//! Failures to find an agent by its name.

use std::fmt;
use std::io;
use std::path::PathBuf;

use acp_client::{ReadError, RegistryError};
use acp_http::InvalidRootCertificates;

#[cfg(feature = "agents")]
use crate::named::installed::error::InstallError;

/// A failure to find an agent, and the way on.
#[derive(Debug)]
pub(crate) enum NamedError {
    /// The copy of the registry is missing. It has a usual place, unless the user has no home.
    NoRegistry(Option<PathBuf>),
    /// A file cannot be read.
    File { file: PathBuf, error: io::Error },
    /// The file is not JSON.
    Json { file: PathBuf, error: ReadError },
    /// The file does not describe an agent.
    NotAnAgent { file: PathBuf, problem: String },
    /// The file is not a registry.
    NotARegistry { file: PathBuf, error: RegistryError },
    /// The registry has no agent of this id, but maybe one with a similar id.
    Unknown { id: String, registry: PathBuf, near: Option<String> },
    /// The registry's entry for the agent cannot be read.
    BadEntry { registry: PathBuf, problem: String },
    /// A list has the agent, which must be installed first.
    OnlyListed { id: String },
    /// The installed agent cannot be used.
    #[cfg(feature = "agents")]
    Installed(InstallError),
    /// The agent is a program in an archive, which must be unpacked into `folder` first.
    NotInstalled { id: String, archive: String, sha256: Option<String>, folder: Option<PathBuf> },
    /// The agent cannot be started in any way.
    NoCommand(RegistryError),
    /// The program that runs the agent's package is missing.
    NoRunner { runner: &'static str },
    /// A file of tokens cannot be used.
    Token { file: PathBuf, line: usize, problem: &'static str },
    /// A file of certificates cannot be used.
    Certificates { file: PathBuf, error: InvalidRootCertificates },
    /// An agent of another machine is named where a program must be started.
    NotHere { purpose: &'static str },
}

impl fmt::Display for NamedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRegistry(Some(usual)) => write!(
                f,
                "there is no copy of the agent registry: save its `registry.json` as {}, or name a file with \
                 `--registry FILE` or in ACP_REGISTRY",
                usual.display()
            ),
            Self::NoRegistry(None) => f.write_str(
                "there is no copy of the agent registry: name a file with `--registry FILE` or in ACP_REGISTRY",
            ),
            Self::File { file, error } => write!(f, "{} cannot be read: {error}", file.display()),
            Self::Json { file, error } => write!(f, "{} is not JSON: {error}", file.display()),
            Self::NotAnAgent { file, problem } => write!(
                f,
                "{} does not describe an agent: {problem}; it must be an entry of the registry, or have a \
                 `command`",
                file.display()
            ),
            Self::NotARegistry { file, error } => write!(f, "{}: {error}", file.display()),
            Self::Unknown { id, registry, near } => {
                write!(f, "there is no agent `{id}` in {}", registry.display())?;
                match near {
                    Some(near) => write!(f, ": did you mean `{near}`?"),
                    None => f.write_str(": a newer copy of the registry may have it"),
                }
            }
            Self::BadEntry { registry, problem } => {
                write!(f, "the agent's entry in {} cannot be used: {problem}", registry.display())
            }
            Self::OnlyListed { id } => {
                write!(f, "the agent `{id}` is not installed: `acp agents install {id}` does that")
            }
            #[cfg(feature = "agents")]
            Self::Installed(error) => error.fmt(f),
            Self::NotInstalled { id, archive, .. } if cfg!(feature = "agents") => {
                write!(f, "the agent `{id}` is not installed: `acp agents install {id}` fetches {archive}")
            }
            Self::NotInstalled { id, archive, sha256, folder } => {
                write!(f, "the agent `{id}` is not installed: unpack {archive}")?;
                if let Some(sha256) = sha256 {
                    write!(f, " (SHA-256 {sha256})")?;
                }
                match folder {
                    Some(folder) => write!(f, " into {}", folder.display()),
                    None => f.write_str(" and name its program after `--`"),
                }
            }
            Self::NoCommand(error) => error.fmt(f),
            Self::NoRunner { runner: "npx" } => f.write_str(
                "the agent is a package of npm, and there is no `npx` on the path: install Node.js first",
            ),
            Self::NoRunner { runner } => write!(
                f,
                "the agent is a package of PyPI, and there is no `{runner}` on the path: install uv first"
            ),
            Self::Token { file, line, problem } => write!(f, "{}, line {line}: {problem}", file.display()),
            Self::Certificates { file, error } => write!(f, "{}: {error}", file.display()),
            Self::NotHere { purpose } => {
                write!(f, "{purpose} starts the agent, so it cannot be on another machine: leave `--url` out")
            }
        }
    }
}

impl std::error::Error for NamedError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { error, .. } => Some(error),
            Self::Json { error, .. } => Some(error),
            Self::NotARegistry { error, .. } | Self::NoCommand(error) => Some(error),
            Self::Certificates { error, .. } => Some(error),
            #[cfg(feature = "agents")]
            Self::Installed(error) => Some(error),
            _ => None,
        }
    }
}
