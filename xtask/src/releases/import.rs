//! From received schema files to imported ones: all are checked before the first is written.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::changes::{self, REPORT, Side};
use crate::schema::{
    FileRecord, Problem, SchemaFile, Upstream, count_definitions, read_schema, record_path, render, sha256,
};

/// Schema files as they came from one source.
pub(super) struct Delivery {
    pub(super) release: String,
    pub(super) source: String,
    pub(super) files: Vec<(SchemaFile, Vec<u8>)>,
    /// Files that the source could have held and does not.
    pub(super) absent: Vec<SchemaFile>,
}

impl Delivery {
    /// The four files of a folder; the stable v1 schema must be there.
    pub(super) fn from_folder(folder: &Path, release: String, source: String) -> Result<Self> {
        let mut delivery = Self { release, source, files: Vec::new(), absent: Vec::new() };
        for file in SchemaFile::ALL {
            let former = file.former_path().map(|path| folder.join(path));
            let path = folder.join(file.path());
            let path = former.filter(|former| former.exists() && !path.exists()).unwrap_or(path);
            if file == SchemaFile::V1 || path.exists() {
                let bytes = fs::read(&path).with_context(|| {
                    format!("cannot read {}; name the folder that holds v1/schema.json", path.display())
                })?;
                delivery.files.push((file, bytes));
            } else {
                delivery.absent.push(file);
            }
        }
        Ok(delivery)
    }
}

/// Imports a delivery into the workspace at `root` and says on `out` what was written.
///
/// A problem in any file refuses the whole delivery, with all problems in one error.
pub(super) fn import(root: &Path, delivery: &Delivery, out: &mut dyn Write) -> Result<()> {
    let mut record = Upstream::load_or_empty(root)?;
    let before = Side::of_workspace(root)?;
    let mut outputs = Vec::new();
    let mut problems = Vec::new();
    for (file, bytes) in &delivery.files {
        match read_schema(file.path(), bytes) {
            Ok(schema) => {
                let text = render(&schema)?;
                record.record(
                    *file,
                    FileRecord {
                        release: delivery.release.clone(),
                        source: delivery.source.clone(),
                        upstream_sha256: sha256(bytes),
                        sha256: sha256(text.as_bytes()),
                        definitions: count_definitions(&schema),
                    },
                );
                outputs.push((file.in_workspace(root), text));
            }
            Err(found) => problems.extend(found),
        }
    }
    refuse(&problems)?;
    // Last, so that an interrupted import does not pass the hash check.
    outputs.push((record_path(root), record.render()?));
    write_all(&outputs)?;
    report(delivery, &record, out)?;
    report_changes(root, &before, out).context("the schema is imported, but what changed cannot be said")
}

fn refuse(problems: &[Problem]) -> Result<()> {
    if problems.is_empty() {
        return Ok(());
    }
    let lines: Vec<_> = problems.iter().map(Problem::to_string).collect();
    bail!("schema refused, nothing was written; {} problem(s):\n{}", lines.len(), lines.join("\n"))
}

/// Writes all files beside their destination first and renames them into place when every one is
/// there.
fn write_all(outputs: &[(PathBuf, String)]) -> Result<()> {
    let mut staged = Vec::new();
    for (path, text) in outputs {
        let folder = path.parent().context("an output has no folder")?;
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let mut file =
            staging_file(folder).with_context(|| format!("cannot write into {}", folder.display()))?;
        file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
        staged.push((file, path));
    }
    for (file, path) in staged {
        file.persist(path).with_context(|| format!("cannot replace {}", path.display()))?;
    }
    Ok(())
}

/// Reports the changes of this import. The first import has nothing to compare with, and an import
/// of the same again leaves the report of the one before.
fn report_changes(root: &Path, before: &Side, out: &mut dyn Write) -> Result<()> {
    let now = Side::of_workspace(root)?;
    if before.is_empty() || before.has_same_files(&now) {
        return Ok(());
    }
    let text = changes::report(before, &now)?;
    fs::write(root.join(REPORT), &text).with_context(|| format!("cannot write {REPORT}"))?;
    writeln!(out, "{REPORT}:\n\n{text}")?;
    Ok(())
}

fn staging_file(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    // A temporary file is private by default, and renaming would keep that.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    builder.tempfile_in(folder)
}

fn report(delivery: &Delivery, record: &Upstream, out: &mut dyn Write) -> Result<()> {
    for (file, _) in &delivery.files {
        let definitions = record.file(*file).map_or(0, |record| record.definitions);
        writeln!(out, "schema/{}: {definitions} definitions", file.path())?;
    }
    for file in &delivery.absent {
        match record.file(*file) {
            Some(kept) => {
                writeln!(out, "schema/{}: not delivered, kept as of release {}", file.path(), kept.release)?;
            }
            None => writeln!(out, "schema/{}: not delivered", file.path())?,
        }
    }
    writeln!(out, "schema/UPSTREAM.toml: release {} from {}", delivery.release, delivery.source)?;
    Ok(())
}
