//! `cargo xtask map`: the pages about the house, from the `//!` lines of its files and the list of
//! floors.

pub mod page;
pub mod sentence;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::floors::import::Graph;
use crate::floors::list::List;
use crate::floors::{folder, page as floors};
use crate::output::{self, Mode, Output};
use crate::workspace;

/// The page that lists every file.
pub const MAP: &str = "docs/MAP.md";
/// The page that has the floors in it.
pub const ARCHITECTURE: &str = "docs/ARCHITECTURE.md";

const BEGIN: &str = "<!-- floors: `cargo xtask map` writes this list -->";
const END: &str = "<!-- end of floors -->";

/// Runs `map [--check]`.
///
/// # Errors
///
/// Names the pages that are not current, or the file that cannot be parsed.
pub fn run(args: &[String]) -> Result<()> {
    let root = workspace::root();
    match args {
        [] => generate(&root, Mode::Write),
        [flag] if flag == "--check" => generate(&root, Mode::Check),
        _ => bail!("usage: cargo xtask map [--check]"),
    }
}

/// Brings both pages in line with the files, or fails when they are not.
///
/// # Errors
///
/// Names the pages that are not current, or the file that cannot be parsed.
pub fn generate(root: &Path, mode: Mode) -> Result<()> {
    let list = List::read(root)?;
    let mut map = page::HEAD.to_owned();
    let mut houses = String::new();
    for (name, house) in &list.crates {
        let folder = folder(name);
        let graph = Graph::read(&root.join(&folder).join("src"), name)?;
        map.push_str(&page::of_crate(&folder, &description(root, &folder)?, &graph));
        let floors = floors::floors(&graph, house);
        let _ = writeln!(houses, "{name}");
        for (entries, files) in floors {
            let _ = writeln!(houses, "{files:>5}  {entries}");
        }
    }
    let architecture = fs::read_to_string(root.join(ARCHITECTURE)).context("reading docs/ARCHITECTURE.md")?;
    let architecture = with_floors(&architecture, &houses)
        .with_context(|| format!("{ARCHITECTURE}: no place for the floors, between {BEGIN} and {END}"))?;
    let outputs =
        [Output { path: MAP.into(), text: map }, Output { path: ARCHITECTURE.into(), text: architecture }];
    output::apply(root, &[], &outputs, mode, "cargo xtask map")
}

/// The page with another list between the two marks.
fn with_floors(page: &str, floors: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n```text\n{floors}```\n\n{END}{after}"))
}

/// The package's line about itself.
fn description(root: &Path, folder: &Path) -> Result<String> {
    let path = root.join(folder).join("Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let manifest: toml::Table = text.parse().with_context(|| format!("reading {}", path.display()))?;
    let description = manifest.get("package").and_then(|package| package.get("description"));
    Ok(description.and_then(toml::Value::as_str).unwrap_or_default().to_owned())
}
