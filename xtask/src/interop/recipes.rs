//! Real agents, from a folder of recipes that is not a part of the project.
//!
//! The environment variable `ACP_PEERS` names it. It has `install.sh NAME`, which installs an agent
//! below `$LAB`, `agents/NAME.sh`, which starts it, and `offline.sh COMMAND…`, which runs a command
//! in a network namespace with nothing but a stand-in for a model's server.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::install;
use super::layout::Layout;

pub(crate) const VARIABLE: &str = "ACP_PEERS";

/// The agents there are recipes for.
pub(crate) const AGENTS: [&str; 5] = ["gemini", "opencode", "qwen", "codex-acp", "claude"];

const INSTALL_LIMIT: Duration = Duration::from_secs(900);

/// The folder of recipes, and where it installs.
#[derive(Debug)]
pub(crate) struct Recipes {
    folder: PathBuf,
    lab: PathBuf,
}

impl Recipes {
    /// Reads the folder from the environment; `None` if it is not set.
    pub(crate) fn find(layout: &Layout) -> anyhow::Result<Option<Self>> {
        let Some(folder) = std::env::var_os(VARIABLE) else { return Ok(None) };
        let folder = PathBuf::from(folder);
        let folder = folder.canonicalize().with_context(|| format!("{VARIABLE}={}", folder.display()))?;
        Ok(Some(Self { folder, lab: layout.installed("lab") }))
    }

    /// Makes an agent ready to run; does nothing when it already is.
    pub(crate) fn install(&self, agent: &str, layout: &Layout) -> anyhow::Result<()> {
        let modules = self.lab.join("agents").join(agent).join("node_modules");
        if !modules.is_dir() {
            fs::create_dir_all(&self.lab)?;
            let mut install = Command::new(self.folder.join("install.sh"));
            install.arg(agent).env("LAB", &self.lab);
            install::step(install, INSTALL_LIMIT, layout)?;
        }
        // The script ends well whether npm did or not.
        let is_there = fs::read_dir(&modules).is_ok_and(|mut entries| entries.next().is_some());
        ensure!(is_there, "npm has installed nothing: see npm.log in {}", modules.display());
        Ok(())
    }

    /// The package that was installed, with its version.
    pub(crate) fn package(&self, agent: &str) -> String {
        let manifest = self.lab.join("agents").join(agent).join("package.json");
        let manifest: Value = fs::read_to_string(manifest)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        let packages = manifest.get("dependencies").and_then(Value::as_object).into_iter().flatten();
        let named = packages.map(|(name, version)| {
            format!("{name} {}", version.as_str().unwrap_or_default().trim_start_matches(['^', '~']))
        });
        named.collect::<Vec<_>>().join(", ")
    }

    /// The command that starts the agent.
    pub(crate) fn agent(&self, agent: &str) -> Command {
        Command::new(self.folder.join("agents").join(format!("{agent}.sh")))
    }

    /// Runs a program without a network.
    pub(crate) fn offline(&self, program: PathBuf) -> Command {
        let mut offline = Command::new(self.folder.join("offline.sh"));
        offline.arg(program).env("LAB", &self.lab);
        offline
    }
}
