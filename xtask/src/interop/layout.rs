//! Where things are: the project, the git-ignored install folder, and our built binaries.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use serde_json::Value;

/// The folders an interop run works with, all absolute.
#[derive(Debug)]
pub(crate) struct Layout {
    root: PathBuf,
    target: PathBuf,
}

impl Layout {
    /// Asks cargo, which knows `CARGO_TARGET_DIR` and configuration files.
    pub(crate) fn find() -> anyhow::Result<Self> {
        let output = cargo()
            .args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
            .output()
            .context("cannot start cargo")?;
        ensure!(
            output.status.success(),
            "`cargo metadata` failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
        let metadata: Value =
            serde_json::from_slice(&output.stdout).context("unreadable `cargo metadata`")?;
        let folder = |key: &str| {
            let text = metadata.get(key).and_then(Value::as_str);
            text.map(PathBuf::from).with_context(|| format!("`cargo metadata` has no {key}"))
        };
        Ok(Self { root: folder("workspace_root")?, target: folder("target_directory")? })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The peers' sources in the project.
    pub(crate) fn sources(&self, peer_folder: &str) -> PathBuf {
        self.root.join("xtask/interop").join(peer_folder)
    }

    /// Everything that is installed, built or logged; removing it is always safe.
    pub(crate) fn installed(&self, name: &str) -> PathBuf {
        self.root.join(".interop").join(name)
    }

    /// The Python interpreter of the virtual environment.
    pub(crate) fn python(&self) -> PathBuf {
        let interpreter = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
        self.installed("venv").join(interpreter)
    }

    /// A binary of our workspace.
    pub(crate) fn our_binary(&self, name: &str) -> PathBuf {
        self.target.join("debug").join(format!("{name}{EXE_SUFFIX}"))
    }

    /// The program that is our end of the cases about MCP servers.
    pub(crate) fn mcp_driver(&self) -> PathBuf {
        self.peer_binary("mcp-driver")
    }

    /// A binary of a package outside our workspace.
    pub(crate) fn peer_binary(&self, name: &str) -> PathBuf {
        self.installed("target").join("debug").join(format!("{name}{EXE_SUFFIX}"))
    }
}

/// The cargo that runs this task, or the one on the path.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}
