//! The page of all files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::sentence;
use crate::floors::import::Graph;

/// How the page begins.
pub const HEAD: &str = "\
<!-- `cargo xtask map` writes this page from the `//!` lines of the files. -->

# Map

Every hand-written file of the libraries and tools, with the first sentence of its documentation.
[ARCHITECTURE.md](ARCHITECTURE.md) says how they belong together. Each folder begins with the line of its `mod.rs`.
";

/// The files of a crate, folder by folder.
#[must_use]
pub fn of_crate(folder: &Path, description: &str, graph: &Graph) -> String {
    let mut page = format!("\n## {}\n\n{description}.\n", folder.display());
    let mut folders: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
    for file in graph.files() {
        let path = graph.path(file);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let line = sentence::first(&graph.source.files[file].documentation);
        folders.entry(folder).or_default().insert(name, line);
    }
    for (folder, mut files) in folders {
        files.remove("lib.rs");
        let front = files.remove("mod.rs").unwrap_or_default();
        if !folder.is_empty() {
            let separator = if front.is_empty() { "" } else { ": " };
            let _ = write!(page, "\n**`{folder}/`**{separator}{front}\n");
        }
        if !files.is_empty() {
            page.push('\n');
        }
        for (name, line) in files {
            let separator = if line.is_empty() { "" } else { ": " };
            let _ = writeln!(page, "- `{name}`{separator}{line}");
        }
    }
    page
}
