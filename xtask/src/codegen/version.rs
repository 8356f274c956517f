//! The versions of the protocol, and where their parts are.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value as Json;

use super::account::account;
use super::ir::Schema;
use super::overlay::Overlay;
use super::{lower, merge};
use crate::schema::SchemaFile;

/// One version of the protocol: two schema files, an overlay, a folder of wording, a module of
/// types.
#[derive(Debug)]
pub struct Version {
    pub name: &'static str,
    /// The feature that its types are behind; `None` for the version that everybody has.
    pub feature: Option<&'static str>,
    /// If true, the operations of agents and clients are made from it.
    pub has_operations: bool,
    stable: SchemaFile,
    unstable: SchemaFile,
}

/// All of them, oldest first.
pub const VERSIONS: [Version; 2] = [
    Version {
        name: "v1",
        feature: None,
        has_operations: true,
        stable: SchemaFile::V1,
        unstable: SchemaFile::V1Unstable,
    },
    Version {
        name: "v2",
        feature: Some("v2"),
        has_operations: false,
        stable: SchemaFile::V2,
        unstable: SchemaFile::V2Unstable,
    },
];

impl Version {
    #[must_use]
    pub fn overlay(&self) -> String {
        format!("schema/overlay/{}.toml", self.name)
    }

    #[must_use]
    pub fn docs(&self) -> String {
        format!("schema/docs/{}", self.name)
    }

    /// The stable and the unstable schema.
    #[must_use]
    pub fn files(&self) -> [SchemaFile; 2] {
        [self.stable, self.unstable]
    }

    /// Where its types are generated into.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        Path::new("crates/acp-types/src").join(self.name).join("generated")
    }

    /// Returns true if the version has been imported.
    #[must_use]
    pub fn is_there(&self, root: &Path) -> bool {
        self.stable.in_workspace(root).exists()
    }

    /// Both files, lowered and merged; older releases have no unstable one.
    ///
    /// # Errors
    /// Fails if a definition of the files fits no shape, or is lost on the way.
    pub fn read(&self, root: &Path, overlay: &Overlay) -> Result<Schema> {
        let stable = lowered(root, self.stable, overlay)?;
        if !self.unstable.in_workspace(root).exists() {
            return Ok(stable);
        }
        let unstable = lowered(root, self.unstable, overlay)?;
        Ok(merge::merge(&stable, unstable)?)
    }
}

fn lowered(root: &Path, file: SchemaFile, overlay: &Overlay) -> Result<Schema> {
    let path = file.in_workspace(root);
    let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let json: Json = serde_json::from_str(&text).with_context(|| format!("parsing {}", path.display()))?;
    let schema = lower::lower(&json, overlay).with_context(|| format!("in {}", path.display()))?;
    account(&json, &schema)?;
    Ok(schema)
}
