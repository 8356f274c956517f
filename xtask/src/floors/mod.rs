//! `cargo xtask floors`: which files of a crate import which, and whether its folders stand on each
//! other.

pub mod attribute;
pub mod circle;
pub mod door;
pub mod import;
pub mod judge;
pub mod list;
pub mod mention;
pub mod name;
pub mod page;
pub mod source;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::output::files_below;
use crate::workspace;
use import::Graph;
use list::{House, LIST, List};

/// Runs `floors [--imports] [crate…]`: prints the floors, the circles and the faults.
///
/// # Errors
///
/// Names a crate that is not listed, a file that cannot be parsed, or the enforced crates that have
/// faults.
pub fn run(args: &[String]) -> Result<()> {
    let root = workspace::root();
    let list = List::read(&root)?;
    let all = args.iter().any(|arg| arg == "--imports");
    let wanted: Vec<&String> = args.iter().filter(|arg| *arg != "--imports").collect();
    if let Some(unknown) = wanted.iter().find(|name| !list.crates.contains_key(**name)) {
        bail!("{LIST} has no crate `{unknown}`; usage: cargo xtask floors [--imports] [crate…]");
    }
    let mut broken = Vec::new();
    for (name, house) in &list.crates {
        if !wanted.is_empty() && !wanted.contains(&name) {
            continue;
        }
        let survey = Survey::of(&root, name, house, &list)?;
        print!("{}", page::text(name, &survey.graph, house));
        if all {
            print!("{}", page::imports(&survey.graph));
        }
        survey.faults.iter().for_each(|fault| println!("  - {fault}"));
        if house.enforced && !survey.faults.is_empty() {
            broken.push(name.as_str());
        }
    }
    if !broken.is_empty() {
        bail!("the floors of {} do not hold", broken.join(", "));
    }
    Ok(())
}

/// A crate with the faults of its floors.
#[derive(Debug)]
pub struct Survey {
    pub graph: Graph,
    pub faults: Vec<String>,
}

impl Survey {
    /// Reads the crate `name`, and judges it by its list.
    ///
    /// # Errors
    ///
    /// Names the file that cannot be read or parsed.
    pub fn of(root: &Path, name: &str, house: &House, list: &List) -> Result<Self> {
        let folder = root.join(folder(name));
        let graph = Graph::read(&folder.join("src"), name)?;
        let mut faults = judge::faults(&graph, house, list);
        let unreached = graph.source.unreached()?;
        faults.extend(unreached.iter().map(|path| format!("src/{path} is declared by no module")));
        faults.extend(long_files(&folder, list.lines)?);
        faults.extend(door::faults(name, &graph.source, &list.door));
        Ok(Self { graph, faults })
    }
}

/// Where a crate lies, relative to the workspace's root.
#[must_use]
pub fn folder(name: &str) -> PathBuf {
    if name.starts_with("acp-") { Path::new("crates").join(name) } else { PathBuf::from(name) }
}

/// The crates of the workspace that the list lacks.
///
/// # Errors
///
/// Returns what reading the folder of the crates gave.
pub fn unlisted(root: &Path, list: &List) -> Result<Vec<String>> {
    let mut names = vec!["examples".to_owned(), "xtask".to_owned()];
    for entry in fs::read_dir(root.join("crates"))? {
        let entry = entry?;
        if entry.path().join("Cargo.toml").exists() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.retain(|name| !list.crates.contains_key(name));
    names.sort();
    Ok(names)
}

/// The hand-written files of the library and its tests that have more lines than they may have.
fn long_files(folder: &Path, limit: usize) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for path in files_below(&folder.join("src"))?.into_iter().chain(files_below(&folder.join("tests"))?) {
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let lines = text.lines().count();
        if lines > limit && !source::is_generated(&name, &text) {
            faults.push(format!("{name} has {lines} lines, {limit} is the limit"));
        }
    }
    Ok(faults)
}
