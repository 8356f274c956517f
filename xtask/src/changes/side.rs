//! One side of a comparison: the schema files and the overlays of a release, from wherever they
//! are.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value as Json;

use crate::codegen::defect::Defect;
use crate::codegen::ir::Schema;
use crate::codegen::overlay::Overlay;
use crate::codegen::version::{VERSIONS, Version};
use crate::codegen::{lower, merge};
use crate::schema::{SchemaFile, Upstream, strip_prose};

/// The texts of a release.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// How the report calls it.
    pub release: String,
    files: BTreeMap<SchemaFile, String>,
    /// For each version the decisions, first those that count.
    overlays: BTreeMap<&'static str, Vec<String>>,
}

/// One version as far as it could be read.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) schema: Schema,
    pub(super) defects: Vec<Defect>,
}

impl Side {
    /// Reads `schema/` of the workspace as it is now.
    ///
    /// # Errors
    /// A file is there and cannot be read.
    pub fn of_workspace(root: &Path) -> Result<Self> {
        Self::collect(|path| read_if_there(&root.join("schema").join(path)), None, "the workspace")
    }

    /// A folder of schema files, as this workspace or as a release of upstream has it. The
    /// decisions of the workspace at `root` count for it too, so that the report is about the
    /// schemas; overlays in the folder say what those leave open.
    ///
    /// # Errors
    /// The folder has no schema, or a file cannot be read.
    pub fn of_folder(folder: &Path, root: &Path) -> Result<Self> {
        let text = |path: &str| read_if_there(&folder.join(path));
        let mut side = Self::collect(text, Some(root), "an older folder")?;
        if side.is_empty() {
            bail!("{} has no schema: neither v1/schema.json nor schema.json", folder.display());
        }
        if let (Some(package), None) = (text("../package.json")?, text("UPSTREAM.toml")?) {
            let package: Json = serde_json::from_str(&package).context("the package.json is not JSON")?;
            if let Some(version) = package.get("version").and_then(Json::as_str) {
                side.release = format!("release {version}");
            }
        }
        Ok(side)
    }

    /// `schema/` as a revision of git has it, with overlays as in [`Side::of_folder`].
    ///
    /// # Errors
    /// git does not know the revision, or it has no `schema/`.
    pub fn of_revision(root: &Path, revision: &str) -> Result<Self> {
        git(root, &["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")])?
            .with_context(|| format!("git does not know the revision {revision:?}"))?;
        let text = |path: &str| git(root, &["show", &format!("{revision}:./schema/{path}")]);
        let side = Self::collect(text, Some(root), &format!("git revision {revision}"))?;
        if side.is_empty() {
            bail!("git revision {revision} has no schema/v1/schema.json");
        }
        Ok(side)
    }

    /// Returns true if there is nothing to compare with.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns true if both sides have the same schema files.
    #[must_use]
    pub fn has_same_files(&self, other: &Self) -> bool {
        self.files == other.files
    }

    fn collect(
        text: impl Fn(&str) -> Result<Option<String>>,
        deciding: Option<&Path>,
        otherwise: &str,
    ) -> Result<Self> {
        let mut side = Self { release: otherwise.to_owned(), ..Self::default() };
        if let Some(record) = text("UPSTREAM.toml")?
            && let Some(of_v1) = Upstream::parse(&record)?.file(SchemaFile::V1)
        {
            side.release = format!("release {}", of_v1.release);
        }
        for file in SchemaFile::ALL {
            let found = match text(file.path())? {
                None => file.former_path().map(&text).transpose()?.flatten(),
                found => found,
            };
            side.files.extend(found.map(|found| (file, found)));
        }
        for version in &VERSIONS {
            let path = format!("overlay/{}.toml", version.name);
            let first = match deciding {
                Some(root) => read_if_there(&root.join("schema").join(&path))?,
                None => None,
            };
            side.overlays.insert(version.name, first.into_iter().chain(text(&path)?).collect());
        }
        Ok(side)
    }

    /// Both files of a version, lowered and merged as far as that goes. Overlay entries that match
    /// nothing are those of another release.
    pub(super) fn read(&self, version: &Version) -> Result<Option<Reading>> {
        let [stable, unstable] = version.files().map(|file| self.files.get(&file));
        let mut overlay = Overlay::parse("")?;
        for text in self.overlays.get(version.name).into_iter().flatten() {
            let next = Overlay::parse(text).with_context(|| format!("in an overlay for {}", self.release))?;
            overlay = overlay.or(next);
        }
        let lowered = |text: &String| -> Result<(Schema, Vec<Defect>)> {
            let json: Json = serde_json::from_str(text)
                .with_context(|| format!("in {} of {}", version.name, self.release))?;
            Ok(lower::lower_known(&strip_prose(&json), &overlay))
        };
        let reading = match (stable.map(lowered).transpose()?, unstable.map(lowered).transpose()?) {
            (None, None) => return Ok(None),
            (Some((schema, defects)), None) => Reading { schema, defects },
            (stable, Some((unstable, more))) => {
                let (stable, mut defects) = stable.unwrap_or_else(|| (Schema::default(), Vec::new()));
                defects.extend(more);
                let (schema, differences) = merge::merge_known(&stable, unstable);
                defects.extend(differences);
                Reading { schema, defects }
            }
        };
        Ok(Some(reading))
    }
}

fn read_if_there(path: &Path) -> Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Returns the output of git, or `None` if git fails.
fn git(root: &Path, arguments: &[&str]) -> Result<Option<String>> {
    let output =
        Command::new("git").args(arguments).current_dir(root).output().context("git could not be started")?;
    Ok(output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned()))
}
