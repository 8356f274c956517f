//! The results of all runs so far: `xtask/interop/results.json`, from which `docs/INTEROP.md` is
//! rendered.
//!
//! A run replaces what it was about. What it did not run, or could not, keeps its last result.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::matrix::{Column, Tried};
use super::probes::FEATURES;
use super::table;

/// The file, below the root of the project.
const FILE: &str = "xtask/interop/results.json";

/// The results of all commands.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Results {
    pub(super) agents: Vec<Agent>,
    pub(super) sdks: Vec<Tally>,
    /// Markdown.
    pub(super) conformance: String,
    /// Markdown.
    pub(super) mcp: String,
    /// Markdown.
    #[serde(default)]
    pub(super) remote: String,
}

/// The findings about a real agent.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Agent {
    pub(super) agent: String,
    pub(super) package: String,
    /// The cells of the table, by feature; empty if the agent was not tried.
    pub(super) cells: Vec<(String, String)>,
    pub(super) not_tried: Option<String>,
}

/// The results of the cases with one peer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Tally {
    pub(super) peer: String,
    /// Who talks to whom.
    pub(super) pairing: String,
    /// By name, with why it failed.
    pub(super) cases: Vec<(String, Option<String>)>,
    pub(super) not_tried: Option<String>,
}

impl Results {
    /// Reads the file.
    pub(super) fn read(root: &Path) -> anyhow::Result<Self> {
        let path = root.join(FILE);
        let json = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&json).with_context(|| format!("cannot understand {}", path.display()))
    }

    /// Changes what a run was about, and writes the file.
    pub(super) fn update(root: &Path, change: impl FnOnce(&mut Self)) -> anyhow::Result<Self> {
        let mut results = Self::read(root)?;
        change(&mut results);
        let path = root.join(FILE);
        let json = serde_json::to_string_pretty(&results)? + "\n";
        fs::write(&path, json).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(results)
    }

    /// Takes what was found out about an agent, unless it could not be tried and has been before.
    pub(super) fn add_agent(&mut self, new: Agent) {
        match self.agents.iter_mut().find(|old| old.agent == new.agent) {
            Some(old) if new.not_tried.is_some() && old.not_tried.is_none() => {}
            Some(old) => *old = new,
            None => self.agents.push(new),
        }
    }

    /// Takes what came of the cases with a peer: all that there are, or some.
    pub(super) fn add_tally(&mut self, new: Tally, is_whole: bool) {
        let old = self.sdks.iter_mut().find(|old| (&old.peer, &old.pairing) == (&new.peer, &new.pairing));
        match old {
            None => self.sdks.push(new),
            Some(old) if new.not_tried.is_some() => {
                old.not_tried = new.not_tried.filter(|_| old.cases.is_empty());
            }
            Some(old) if is_whole => *old = new,
            Some(old) => {
                old.not_tried = None;
                for case in new.cases {
                    match old.cases.iter_mut().find(|(name, _)| *name == case.0) {
                        Some(before) => *before = case,
                        None => old.cases.push(case),
                    }
                }
            }
        }
    }
}

impl Agent {
    pub(super) fn new(column: &Column) -> Self {
        let agent = column.agent.to_owned();
        match &column.tried {
            Tried::No(reason) => {
                Self { agent, package: String::new(), cells: Vec::new(), not_tried: Some(reason.clone()) }
            }
            Tried::Yes { package, found } => {
                let cell = |feature| found.get(feature).map_or_else(|| "not tried".to_owned(), table::cell);
                let cells = FEATURES.iter().map(|feature| (feature.title().to_owned(), cell(feature)));
                Self { agent, package: package.clone(), cells: cells.collect(), not_tried: None }
            }
        }
    }
}
