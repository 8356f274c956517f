//! Changes between two releases of the schema, for the wire and for users of the Rust types.
//!
//! Two IRs are compared, so wording, wrappers and the order of members do not count.

mod change;
mod compare;
mod enums;
mod fields;
mod markdown;
mod methods;
mod renames;
mod side;
mod sides;
mod unions;

pub use change::{Api, Category, Change, Stability, Verb, VersionChanges, Wire};
pub use side::Side;

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::codegen::version::VERSIONS;

const USAGE: &str = "usage: cargo xtask schema diff [<git revision> | --dir <older schema folder>] [--write]";

/// Where `schema update` and `schema diff --write` leave their report.
pub const REPORT: &str = "schema/CHANGES.md";

/// Compares two sides, version by version; a version that neither side has is left out.
///
/// # Errors
/// A file of a side is not JSON, or an overlay is not TOML.
pub fn between(old: &Side, new: &Side) -> Result<Vec<VersionChanges>> {
    let mut all = Vec::new();
    for version in &VERSIONS {
        let (old, new) = (old.read(version)?, new.read(version)?);
        if let (None, None) = (&old, &new) {
            continue;
        }
        let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
        let mut not_compared = old.defects;
        not_compared.extend(new.defects);
        not_compared.sort_by(|one, other| {
            (&one.definition, &one.pointer, &one.message).cmp(&(
                &other.definition,
                &other.pointer,
                &other.message,
            ))
        });
        not_compared.dedup_by(|one, other| one.to_string() == other.to_string());
        let unread: Vec<&str> = not_compared.iter().map(|defect| defect.definition.as_str()).collect();
        let changes = compare::schemas(&old.schema, &new.schema, &unread);
        all.push(VersionChanges { version: version.name, changes, not_compared });
    }
    Ok(all)
}

/// The report on two sides: Markdown, the same for the same sides.
///
/// # Errors
/// See [`between`].
pub fn report(old: &Side, new: &Side) -> Result<String> {
    Ok(markdown::render(&old.release, &new.release, &between(old, new)?))
}

/// `schema diff`, in the workspace at `root`.
///
/// # Errors
/// The older side cannot be read, or the arguments are wrong.
pub fn run_in(root: &Path, args: &[String], out: &mut dyn std::io::Write) -> Result<()> {
    let (args, write) = match args {
        [rest @ .., flag] if flag == "--write" => (rest, true),
        all => (all, false),
    };
    let old = match args {
        [] => Side::of_revision(root, "HEAD")?,
        [flag, folder] if flag == "--dir" => Side::of_folder(Path::new(folder), root)?,
        [revision] if !revision.starts_with('-') => Side::of_revision(root, revision)?,
        _ => bail!(USAGE),
    };
    let text = report(&old, &Side::of_workspace(root)?)?;
    if write {
        std::fs::write(root.join(REPORT), &text).with_context(|| format!("cannot write {REPORT}"))?;
    }
    out.write_all(text.as_bytes())?;
    Ok(())
}
