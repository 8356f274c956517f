//! The folder of installed agents, and the places in it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::InstallError;
use crate::named::folders;

/// The variable that names the folder.
pub(crate) const VARIABLE: &str = "ACP_HOME";

/// The folder of installed agents.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    folder: PathBuf,
    config: Option<PathBuf>,
}

impl Home {
    /// Finds the folder: that of `ACP_HOME`, or the user's folder of data. It need not exist.
    ///
    /// # Errors
    /// `ACP_HOME` is relative, or the user has no folder of data.
    pub(crate) fn find() -> Result<Self, InstallError> {
        match env::var_os(VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from) {
            Some(folder) if folder.is_relative() => Err(InstallError::RelativeHome(folder)),
            Some(folder) => Ok(Self { config: Some(folder.join("config.toml")), folder }),
            None => {
                let config = folders::settings().map(|folder| folder.join("config.toml"));
                Ok(Self { folder: folders::data().ok_or(InstallError::NoHome)?, config })
            }
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of settings. Returns `None` for a user without a home.
    pub(super) fn config(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// The lock file.
    pub(crate) fn lock(&self) -> PathBuf {
        self.folder.join("agents.lock")
    }

    /// The folder of an agent's versions.
    pub(crate) fn agent(&self, id: &str) -> PathBuf {
        self.folder.join("agents").join(id)
    }

    /// The copy of a list.
    pub(super) fn copy(&self, address: &str) -> PathBuf {
        let name: String = hex(&Sha256::digest(address)).chars().take(16).collect();
        self.folder.join("lists").join(format!("{name}.json"))
    }

    /// Returns a file of the folder of agents that processes lock, and makes the folder. An id has
    /// no dot, so such a file never has the name of an agent's folder.
    pub(super) fn lockable(&self, name: &str) -> Result<PathBuf, InstallError> {
        let folder = self.folder.join("agents");
        fs::create_dir_all(&folder).map_err(InstallError::file(&folder))?;
        Ok(folder.join(name))
    }
}

/// Writes bytes in hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
