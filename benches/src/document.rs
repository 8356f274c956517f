//! The pages with the last figures: `docs/PERFORMANCE.md`, and `README.md` with a few of them.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

const END: &str = "<!-- end -->";

/// Puts `text` between the markers of this name, and leaves the text around them alone.
///
/// The markers are `<!-- table NAME -->` and `<!-- end -->`, each on a line of its own.
pub fn write_table(name: &str, text: &str) -> Result<()> {
    let text = format!("{}\n", text.trim_end());
    replace("docs/PERFORMANCE.md", &format!("<!-- table {name} -->\n"), &text)
}

/// Puts a figure into `README.md`, between `<!-- figure NAME -->` and `<!-- end -->` within a line.
pub fn write_figure(name: &str, text: &str) -> Result<()> {
    replace("README.md", &format!("<!-- figure {name} -->"), text)
}

fn replace(document: &str, opening: &str, text: &str) -> Result<()> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(document);
    let before = std::fs::read_to_string(&path)?;
    let marker = opening.trim_end();
    let start = before.find(opening).with_context(|| format!("{document} has no {marker}"))?;
    let (head, rest) = before.split_at(start + opening.len());
    let end = rest.find(END).with_context(|| format!("{document}: {marker} has no end"))?;
    std::fs::write(&path, format!("{head}{text}{}", &rest[end..]))?;
    Ok(())
}
