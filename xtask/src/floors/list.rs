//! `xtask/floors.toml`: the floors of each crate, in the order in which they stand on each other.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::door::Door;

/// Where the list lies, relative to the workspace's root.
pub const LIST: &str = "xtask/floors.toml";

/// The whole list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// How many lines a file may have.
    pub lines: usize,
    /// How many entries the root of a crate may have, apart from `lib.rs`, `main.rs` and what is
    /// generated.
    pub entries: usize,
    /// How many files may import each other in a circle.
    pub circle: usize,
    /// The folder that alone knows the wire.
    #[serde(default)]
    pub door: Door,
    #[serde(rename = "crate")]
    pub crates: BTreeMap<String, House>,
}

/// The floors of one crate.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct House {
    /// If true, the test fails on a fault of the crate; otherwise it prints the fault.
    pub enforced: bool,
    /// The entries of `src`, the lowest first. `lib.rs` and `main.rs` stand above all of them.
    pub floors: Vec<Floor>,
    /// The order within folders, by their path. `mod.rs` stands above what is not listed after it.
    #[serde(default)]
    pub inside: BTreeMap<String, Vec<Floor>>,
    /// The folders that may name `acp_types::v2`.
    #[serde(default = "wire")]
    pub second_version: Vec<String>,
}

/// One floor: an entry, or files that may import each other.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Floor {
    One(String),
    Files(Vec<String>),
}

impl Floor {
    #[must_use]
    pub fn entries(&self) -> &[String] {
        match self {
            Self::One(entry) => std::slice::from_ref(entry),
            Self::Files(entries) => entries,
        }
    }
}

fn wire() -> Vec<String> {
    vec!["wire".to_owned()]
}

impl List {
    /// Reads the list of a workspace.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the file.
    pub fn read(root: &Path) -> Result<Self> {
        let text = fs::read_to_string(root.join(LIST)).with_context(|| format!("reading {LIST}"))?;
        toml::from_str(&text).with_context(|| format!("reading {LIST}"))
    }
}

/// The number of the floor of `entry`; the roof is above all that are listed.
#[must_use]
pub fn number(floors: &[Floor], entry: &str) -> Option<usize> {
    // `name.rs` beside `name/` is the folder's own file.
    let is =
        |listed: &String| listed == entry || entry.strip_suffix(".rs").is_some_and(|name| listed == name);
    let listed = floors.iter().position(|floor| floor.entries().iter().any(is));
    let roof = ["lib.rs", "main.rs", "mod.rs"].contains(&entry);
    listed.or_else(|| roof.then_some(floors.len()))
}
