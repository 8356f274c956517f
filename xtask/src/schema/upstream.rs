//! `schema/UPSTREAM.toml`: which release the imported files come from, and their hashes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use sha2::{Digest as _, Sha256};

use super::schema_file::SchemaFile;

/// The record of what was imported, from where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Upstream {
    files: BTreeMap<SchemaFile, FileRecord>,
}

/// The record of one imported file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRecord {
    /// The npm version, or the label given with `--release`.
    pub release: String,
    /// `npm:<package>@<version>`, `dir`, or `file:<name>`. Never a path of the machine that
    /// imported.
    pub source: String,
    /// SHA-256 of the file as received, prose included.
    pub upstream_sha256: String,
    /// SHA-256 of the file as written here.
    pub sha256: String,
    /// The number of entries of `$defs`.
    pub definitions: usize,
}

impl Upstream {
    /// Reads `schema/UPSTREAM.toml` of the workspace at `root`.
    pub fn load(root: &Path) -> Result<Self> {
        let path = record_path(root);
        let text = fs::read_to_string(&path).with_context(|| {
            format!("cannot read {}; run `cargo xtask schema update --npm <version>`", path.display())
        })?;
        Self::parse(&text)
            .context("schema/UPSTREAM.toml is damaged; restore it or import the schema again without it")
    }

    /// Like [`Upstream::load`], for the first import, which has no record yet.
    pub fn load_or_empty(root: &Path) -> Result<Self> {
        match fs::exists(record_path(root)) {
            Ok(false) => Ok(Self::default()),
            _ => Self::load(root),
        }
    }

    /// The record of one imported file; `None` when it was never imported.
    pub fn file(&self, file: SchemaFile) -> Option<&FileRecord> {
        self.files.get(&file)
    }

    /// All imported files.
    pub fn files(&self) -> impl Iterator<Item = (SchemaFile, &FileRecord)> {
        self.files.iter().map(|(file, record)| (*file, record))
    }

    pub fn record(&mut self, file: SchemaFile, record: FileRecord) {
        self.files.insert(file, record);
    }

    pub fn parse(text: &str) -> Result<Self> {
        let table: toml::Table = text.parse()?;
        let entries = table.get("file").and_then(toml::Value::as_array).context("no [[file]] entries")?;
        let mut upstream = Self::default();
        for entry in entries {
            // A file of another release than the rest states its own.
            let of_all = |key: &str| entry.get(key).or_else(|| table.get(key));
            let text = |value: Option<&toml::Value>, key: &str| {
                let text = value.and_then(toml::Value::as_str).map(str::to_owned);
                text.ok_or_else(|| anyhow!("a [[file]] entry lacks {key:?}"))
            };
            let path = text(entry.get("path"), "path")?;
            let file =
                SchemaFile::from_path(&path).with_context(|| format!("{path:?} is not a schema file"))?;
            let definitions = entry.get("definitions").and_then(toml::Value::as_integer);
            let record = FileRecord {
                release: text(of_all("release"), "release")?,
                source: text(of_all("source"), "source")?,
                upstream_sha256: text(entry.get("upstream_sha256"), "upstream_sha256")?,
                sha256: text(entry.get("sha256"), "sha256")?,
                definitions: definitions
                    .and_then(|count| usize::try_from(count).ok())
                    .with_context(|| format!("{path:?} lacks \"definitions\""))?,
            };
            if upstream.files.insert(file, record).is_some() {
                bail!("{path:?} is recorded twice");
            }
        }
        Ok(upstream)
    }

    /// The text of the file: what most entries share stands on top.
    pub fn render(&self) -> Result<String> {
        let first = self.files.values().next().context("nothing imported")?;
        let mut text = String::from(
            "# Written by `cargo xtask schema update`. Do not edit: the generator compares the hashes.\n\n",
        );
        writeln!(text, "release = {}\nsource = {}", quoted(&first.release), quoted(&first.source))?;
        for (file, record) in &self.files {
            writeln!(text, "\n[[file]]\npath = {}", quoted(file.path()))?;
            if record.release != first.release {
                writeln!(text, "release = {}", quoted(&record.release))?;
            }
            if record.source != first.source {
                writeln!(text, "source = {}", quoted(&record.source))?;
            }
            writeln!(text, "definitions = {}", record.definitions)?;
            writeln!(text, "upstream_sha256 = {}", quoted(&record.upstream_sha256))?;
            writeln!(text, "sha256 = {}", quoted(&record.sha256))?;
        }
        Ok(text)
    }
}

/// Compares the imported files of the workspace at `root` with their record, hash by hash.
///
/// The generator calls this before it reads a schema, so that an edit by hand is never mistaken for
/// something that upstream says. All differences are listed in one error.
pub fn verify(root: &Path) -> Result<()> {
    let upstream = Upstream::load(root)?;
    let mut wrong = Vec::new();
    if upstream.file(SchemaFile::V1).is_none() {
        wrong.push(format!("{}: not recorded in schema/UPSTREAM.toml", SchemaFile::V1.path()));
    }
    for (file, record) in upstream.files() {
        match fs::read(file.in_workspace(root)) {
            Ok(bytes) if sha256(&bytes) == record.sha256 => {}
            Ok(_) => wrong.push(format!("{}: edited since it was imported", file.path())),
            Err(error) => wrong.push(format!("{}: cannot be read: {error}", file.path())),
        }
    }
    wrong.extend(strangers(root, &upstream)?);
    if wrong.is_empty() {
        return Ok(());
    }
    bail!(
        "the schema is not what schema/UPSTREAM.toml records:\n  {}\nundo the edit, or run `cargo xtask schema update`; a deviation from upstream belongs into the fixups of the generator",
        wrong.join("\n  ")
    )
}

/// SHA-256 in lowercase hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn record_path(root: &Path) -> PathBuf {
    root.join("schema").join("UPSTREAM.toml")
}

/// Files beside the imported ones, which no import wrote.
fn strangers(root: &Path, upstream: &Upstream) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in ["v1", "v2"] {
        let entries = match fs::read_dir(root.join("schema").join(folder)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries.with_context(|| format!("cannot list schema/{folder}"))?,
        };
        for entry in entries {
            let path = format!("{folder}/{}", entry?.file_name().to_string_lossy());
            if SchemaFile::from_path(&path).is_none_or(|file| upstream.file(file).is_none()) {
                found.push(format!("{path}: not recorded in schema/UPSTREAM.toml"));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn quoted(text: &str) -> toml::Value {
    toml::Value::String(text.to_owned())
}
