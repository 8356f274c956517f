//! Failures around installed agents, and the way on.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// A failure of `acp agents`.
#[derive(Debug)]
pub(crate) enum InstallError {
    /// The user has no home, and `ACP_HOME` does not name one.
    NoHome,
    /// `ACP_HOME` is not absolute.
    RelativeHome(PathBuf),
    /// Nobody has named a list.
    NoList { config: Option<PathBuf> },
    /// A file or a folder cannot be used.
    File { file: PathBuf, error: io::Error },
    /// A file of ours has other content than it should have.
    Content { file: PathBuf, problem: String },
    /// The address of a list or of an archive cannot be used.
    Address { address: String, problem: String },
    /// A list cannot be read, and has no copy.
    List { list: String, problem: String },
    /// No list has the id, but maybe one has a similar id.
    Unknown { id: String, lists: Vec<String>, near: Option<String> },
    /// The entry of a list cannot be used.
    Entry { id: String, list: String, problem: String },
    /// The list has another version than the one that is asked for.
    Version { id: String, asked: String, listed: String },
    /// The agent cannot be started here.
    NoWay { id: String, problem: String },
    /// The archive cannot be downloaded.
    Download { id: String, address: String, problem: String },
    /// The archive is not the one that the list describes.
    Checksum { id: String, address: String, listed: String, found: String },
    /// The archive of this version was another one before.
    Changed { id: String, version: String, before: String, found: String, lock: PathBuf },
    /// The archive cannot be unpacked.
    Archive { id: String, address: String, problem: String },
    /// A process uses the agent.
    InUse { id: String },
    /// The agent is not installed.
    NotInstalled { id: String },
    /// The agent was installed from another list.
    OtherList { id: String, recorded: String, found: String },
    /// The program of the agent cannot be started.
    Start { id: String, problem: String },
}

impl InstallError {
    /// Returns a function that makes an error about this file.
    pub(super) fn file(file: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let file = file.into();
        move |error| Self::File { file, error }
    }
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHome => f.write_str("there is no home folder: name a folder for agents in ACP_HOME"),
            Self::RelativeHome(folder) => {
                write!(f, "ACP_HOME is `{}`: it must be an absolute path", folder.display())
            }
            Self::NoList { config } => {
                f.write_str("there is no list of agents: name one with `--registry FILE|URL`, in ACP_REGISTRY (a file) \
                             or ACP_REGISTRY_URL")?;
                match config {
                    Some(file) => write!(f, ", or as `registries = [\"…\"]` in {}", file.display()),
                    None => Ok(()),
                }
            }
            Self::File { file, error } => write!(f, "{}: {error}", file.display()),
            Self::Content { file, problem } => write!(f, "{}: {problem}", file.display()),
            Self::Address { address, problem } => {
                write!(f, "the address `{address}` cannot be used: {problem}")
            }
            Self::List { list, problem } => write!(f, "the list {list} cannot be read: {problem}"),
            Self::Unknown { id, lists, near } => {
                write!(f, "there is no agent `{id}` in {}", lists.join(" and "))?;
                near.as_ref().map_or(Ok(()), |near| write!(f, ": did you mean `{near}`?"))
            }
            Self::Entry { id, list, problem } => {
                write!(f, "the entry of `{id}` in {list} cannot be used: {problem}")
            }
            Self::Version { id, asked, listed } => write!(
                f,
                "the list has version {listed} of `{id}`, and not {asked}: a list has one version of an agent"
            ),
            Self::NoWay { id, problem } => write!(f, "the agent `{id}` does not run here: {problem}"),
            Self::Download { id, address, problem } => {
                write!(f, "the archive of `{id}` cannot be downloaded from {address}: {problem}")
            }
            Self::Checksum { id, address, listed, found } => write!(
                f,
                "{address} is not the archive of `{id}` that the list describes: its SHA-256 is {found}, and the list \
                 has {listed}. Nothing was installed: tell the agent's makers"
            ),
            Self::Changed { id, version, before, found, lock } => write!(
                f,
                "the archive of `{id}` {version} has changed: its SHA-256 was {before} and is {found}. A version must \
                 not change, so nothing was installed. If you know why it has, remove its `[[seen]]` from {}",
                lock.display()
            ),
            Self::Archive { id, address, problem } => {
                write!(f, "the archive of `{id}`, {address}, cannot be unpacked: {problem}")
            }
            Self::InUse { id } => write!(f, "the agent `{id}` is running: end its sessions first"),
            Self::NotInstalled { id } => {
                write!(f, "the agent `{id}` is not installed: `acp agents install {id}` does that")
            }
            Self::OtherList { id, recorded, found } => write!(
                f,
                "the agent `{id}` was installed from {recorded}, and {found} has the id now: to take it from there, \
                 `acp agents remove {id}` and install it again"
            ),
            Self::Start { id, problem } => write!(f, "the agent `{id}` cannot be started: {problem}"),
        }
    }
}

impl std::error::Error for InstallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { error, .. } => Some(error),
            _ => None,
        }
    }
}
