//! `cargo xtask schema replay`: the generator over the history of the protocol.
//!
//! Each release is imported over the one before, generated into a crate and compiled, with a report
//! of what changed. That shows that an update needs no edit to the generator, and that the reports
//! are readable.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use super::import::{self, Delivery};
use super::subjects::Subjects;
use super::{dialects, npm};
use crate::changes::REPORT;
use crate::codegen::emit::{self, Target};
use crate::codegen::overlay::Overlay;
use crate::codegen::version::{VERSIONS, Version};
use crate::codegen::{api_lock, second_reader};
use crate::output::{self, Mode, Output};
use crate::schema::docs::Docs;

/// From the one file of the beginning to the present.
const RELEASES: [&str; 9] =
    ["0.5.1", "0.8.0", "0.14.0", "0.20.0", "1.0.0", "1.9.0", "2.0.0", "2.2.0", "2.4.0"];

/// Where the reports and the crate are left.
const FOLDER: &str = "target/replay";

/// Replays all releases, from npm or from a folder that has each unpacked under its number.
///
/// # Errors
/// A release cannot be imported, generated or compiled; the error names it.
pub(super) fn run(root: &Path, args: &[String], out: &mut dyn Write) -> Result<()> {
    let from = match args {
        [] => None,
        [flag, folder] if flag == "--from" => Some(PathBuf::from(folder)),
        _ => bail!("usage: cargo xtask schema replay [--from <folder with a folder for each release>]"),
    };
    let folder = root.join(FOLDER);
    let scratch = tempfile::tempdir().context("cannot create a temporary folder")?;
    prepare(root, scratch.path())?;
    for release in RELEASES {
        let step = Step { root, scratch: scratch.path(), folder: &folder, release };
        step.run(from.as_deref(), out).with_context(|| format!("in release {release}"))?;
    }
    writeln!(out, "reports: {FOLDER}/<release>.md")?;
    Ok(())
}

/// The decisions of this workspace, and those that only earlier releases need.
fn prepare(root: &Path, scratch: &Path) -> Result<()> {
    fs::create_dir_all(scratch.join("schema/overlay"))?;
    for version in &VERSIONS {
        let history = root.join(format!("schema/overlay/history/{}.toml", version.name));
        let overlay = Overlay::load(&root.join(version.overlay()))?.or(Overlay::load(&history)?);
        fs::write(scratch.join(version.overlay()), overlay.to_toml()?)?;
    }
    Ok(())
}

struct Step<'r> {
    root: &'r Path,
    scratch: &'r Path,
    folder: &'r Path,
    release: &'static str,
}

impl Step<'_> {
    fn run(&self, from: Option<&Path>, out: &mut dyn Write) -> Result<()> {
        let mut delivery = match from {
            None => npm::fetch(self.release)?,
            Some(folder) => Delivery::from_folder(
                &folder.join(self.release).join("package/schema"),
                self.release.to_owned(),
                "dir".to_owned(),
            )?,
        };
        let rewrites = self.modernise(&mut delivery)?;
        import::import(self.scratch, &delivery, &mut std::io::sink())?;
        writeln!(out, "== {}", self.release)?;
        rewrites.iter().try_for_each(|name| writeln!(out, "rewritten: {name}"))?;
        self.generate(out)?;
        self.compile()?;
        writeln!(out, "generated and compiled, stable and unstable")?;
        self.keep_report(out)
    }

    fn modernise(&self, delivery: &mut Delivery) -> Result<Vec<&'static str>> {
        let parsed = delivery.files.iter().map(|(_, bytes)| serde_json::from_slice(bytes));
        let mut files: Vec<Value> = parsed.collect::<Result<_, _>>().context("a schema is not JSON")?;
        let rewrites = dialects::modernise(self.release, &mut files)?;
        for ((_, bytes), file) in delivery.files.iter_mut().zip(files) {
            *bytes = serde_json::to_vec(&file)?;
        }
        Ok(rewrites)
    }

    /// The types of all versions that the release has, into one crate.
    fn generate(&self, out: &mut dyn Write) -> Result<()> {
        let lock = fs::read_to_string(self.scratch.join(api_lock::PATH)).unwrap_or_default();
        let (mut outputs, mut schemas, mut modules) = (Vec::new(), Vec::new(), String::new());
        for version in VERSIONS.iter().filter(|version| version.is_there(self.scratch)) {
            let (types, schema) = self.version(version, &lock, out)?;
            outputs.extend(types);
            schemas.push((version.name, schema));
            modules.push_str(&format!("pub mod {};\n", version.name));
        }
        let named: Vec<_> = schemas.iter().map(|(name, schema)| (*name, schema)).collect();
        fs::write(self.scratch.join(api_lock::PATH), api_lock::render(&named))?;
        outputs.push(Output { path: "src/lib.rs".into(), text: modules });
        output::apply(self.folder, &["src".into()], &outputs, Mode::Write, "cargo xtask codegen")
    }

    fn version(
        &self,
        version: &Version,
        lock: &str,
        out: &mut dyn Write,
    ) -> Result<(Vec<Output>, crate::codegen::ir::Schema)> {
        let overlay = Overlay::load(&self.scratch.join(version.overlay()))?;
        let docs = Docs::load(&self.root.join(version.docs()))?;
        let mut schema = version.read(self.scratch, &overlay)?;
        schema.argument_order = api_lock::arguments(lock, version.name);
        let header = format!("// @generated by `cargo xtask schema replay` from release {}.\n", self.release);
        second_reader::agree(&schema, &emit::types(&schema, &docs, version, &header)?)?;
        let folder = Path::new("src").join(version.name);
        let elsewhere = std::collections::BTreeMap::new();
        let target = Target {
            folder,
            runtime: "acp_types",
            elsewhere,
            documented: false,
            version: Some(version.name),
        };
        let types = emit::types_for(&schema, &docs, &target, &header)?;
        let (name, definitions, methods) = (version.name, schema.definitions.len(), schema.methods.len());
        writeln!(out, "{name}: {definitions} definitions, {methods} methods")?;
        for entry in self.subjects(version)?.stale(&overlay) {
            writeln!(out, "{name}: nothing asks for the overlay entry {entry}")?;
        }
        Ok((types, schema))
    }

    fn subjects(&self, version: &Version) -> Result<Subjects> {
        let mut schemas = Vec::new();
        for path in version.files().map(|file| file.in_workspace(self.scratch)) {
            if path.exists() {
                schemas.push(serde_json::from_slice(&fs::read(&path)?)?);
            }
        }
        Ok(Subjects::of(&schemas))
    }

    fn compile(&self) -> Result<()> {
        let path = |name: &str| self.root.join("crates").join(name);
        let manifest = format!(
            "[package]\nname = \"replay\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [features]\nunstable = []\nschemars = [\"acp-types/schemars\"]\n\n[dependencies]\nacp-json = {{ path = {:?} }}\n\
             acp-types = {{ path = {:?} }}\n\
             serde_core = {{ version = \"1\", default-features = false, features = [\"std\"] }}\n\n[workspace]\n",
            path("acp-json"),
            path("acp-types")
        );
        fs::write(self.folder.join("Cargo.toml"), manifest)?;
        fs::copy(self.root.join("Cargo.lock"), self.folder.join("Cargo.lock"))?;
        for features in [&[][..], &["--all-features"]] {
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let output = Command::new(cargo)
                .args(["check", "--quiet", "--offline"])
                .args(features)
                .current_dir(self.folder)
                .env("CARGO_TARGET_DIR", self.folder.join("target"))
                .output()
                .context("cargo could not be started")?;
            ensure!(
                output.status.success(),
                "the types do not compile:\n{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Ok(())
    }

    /// The first release has nothing to be compared with.
    fn keep_report(&self, out: &mut dyn Write) -> Result<()> {
        let report = self.scratch.join(REPORT);
        if !report.exists() {
            return Ok(());
        }
        let text = fs::read_to_string(&report)?;
        fs::write(self.folder.join(format!("{}.md", self.release)), &text)?;
        let summary = text.lines().skip_while(|line| !line.starts_with('|'));
        let mut summary = summary.take_while(|line| line.starts_with('|'));
        summary.try_for_each(|line| writeln!(out, "{line}"))?;
        Ok(())
    }
}
