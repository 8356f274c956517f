//! The document that holds the last figures: `docs/PERFORMANCE.md`.

use std::path::Path;

use anyhow::{Context as _, Result};

/// Puts `text` between the markers of this name; what stands around them is left alone.
///
/// The markers are `<!-- table NAME -->` and `<!-- end -->`, each on a line of its own.
pub fn write_table(name: &str, text: &str) -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/PERFORMANCE.md");
    let document = std::fs::read_to_string(&path)?;
    let opening = format!("<!-- table {name} -->\n");
    let start = document.find(&opening).with_context(|| format!("no marker for the table `{name}`"))?;
    let (before, rest) = document.split_at(start + opening.len());
    let end = rest.find("<!-- end -->").with_context(|| format!("the table `{name}` has no end"))?;
    std::fs::write(&path, format!("{before}{}\n{}", text.trim_end(), &rest[end..]))?;
    Ok(())
}
