//! The four canonical schema files, by name.

use std::path::{Path, PathBuf};

/// One of the four canonical schema files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SchemaFile {
    /// Protocol version 1, stable.
    V1,
    /// Protocol version 1 with everything unstable.
    V1Unstable,
    /// Protocol version 2, stable.
    V2,
    /// Protocol version 2 with everything unstable.
    V2Unstable,
}

impl SchemaFile {
    /// All four, in the order in which they are imported.
    pub const ALL: [Self; 4] = [Self::V1, Self::V1Unstable, Self::V2, Self::V2Unstable];

    /// The path below a schema folder, the same upstream and here: `v1/schema.unstable.json`.
    pub fn path(self) -> &'static str {
        match self {
            Self::V1 => "v1/schema.json",
            Self::V1Unstable => "v1/schema.unstable.json",
            Self::V2 => "v2/schema.json",
            Self::V2Unstable => "v2/schema.unstable.json",
        }
    }

    /// Where releases before there were versions had it, below the same folder.
    pub fn former_path(self) -> Option<&'static str> {
        match self {
            Self::V1 => Some("schema.json"),
            Self::V1Unstable => Some("schema.unstable.json"),
            Self::V2 | Self::V2Unstable => None,
        }
    }

    /// Where the imported file stands in the workspace at `root`.
    pub fn in_workspace(self, root: &Path) -> PathBuf {
        root.join("schema").join(self.path())
    }

    /// The name on the command line, `v1-unstable`.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V1Unstable => "v1-unstable",
            Self::V2 => "v2",
            Self::V2Unstable => "v2-unstable",
        }
    }

    pub(super) fn from_path(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|file| file.path() == path)
    }

    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|file| file.label() == label)
    }
}
