//! `cargo xtask schema`: imports releases of the schemas, compares them, and replays the earlier
//! ones.

mod dialects;
mod import;
mod missing;
mod npm;
mod replay;
pub mod subjects;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

use crate::changes;
use crate::schema::{SchemaFile, Upstream, count_definitions, read_schema, render, verify};
use import::Delivery;

const USAGE: &str = "\
usage: cargo xtask schema update --npm <version>
       cargo xtask schema update --dir <folder with v1/ and v2/> [--release <label>]
       cargo xtask schema update --file <schema.json> [--as v1|v1-unstable|v2|v2-unstable] [--release <label>]
       cargo xtask schema diff [<git revision> | --dir <older schema folder>] [--write]
       cargo xtask schema replay [--from <folder with a folder for each release>]
       cargo xtask schema check
       cargo xtask schema missing-docs";

/// The release that is recorded when a folder or file is imported without `--release`.
const UNLABELLED: &str = "local";

/// Runs `cargo xtask schema <args>` on this workspace; what it reports goes to standard output.
pub fn run(args: &[String]) -> Result<()> {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask stands outside the workspace")?;
    run_in(root, args, &mut std::io::stdout().lock())
}

/// Runs `cargo xtask schema <args>` on the workspace at `root`; what it reports goes to `out`.
pub fn run_in(root: &Path, args: &[String], out: &mut dyn Write) -> Result<()> {
    match args {
        [command, options @ ..] if command == "update" => update(root, &delivery(options)?, out),
        [command, rest @ ..] if command == "diff" => changes::run_in(root, rest, out),
        [command, rest @ ..] if command == "replay" => replay::run(root, rest, out),
        [command] if command == "check" => check(root, out),
        [command] if command == "missing-docs" => missing::report(root, out),
        _ => bail!(USAGE),
    }
}

/// Imports a release. One that is older than the present one is most likely written in a dialect
/// of its own.
fn update(root: &Path, delivery: &Delivery, out: &mut dyn Write) -> Result<()> {
    let present = Upstream::load_or_empty(root)?.file(SchemaFile::V1).map(|record| record.release.clone());
    let earlier = present.filter(|present| is_earlier(&delivery.release, present));
    let replay = "`cargo xtask schema replay` imports, generates and compares earlier releases, without a change of \
                  this workspace";
    let imported = import::import(root, delivery, out);
    let Some(present) = earlier else { return imported };
    let release = &delivery.release;
    imported.with_context(|| {
        format!("release {release} is earlier than {present}, which is imported; {replay}")
    })?;
    writeln!(out, "release {release} is earlier than {present}; {replay}")?;
    Ok(())
}

/// Compares two releases by their numbers. A label without numbers is not earlier than anything.
fn is_earlier(release: &str, than: &str) -> bool {
    let numbers = |label: &str| -> Option<Vec<u64>> {
        let core = label.split(['-', '+']).next().unwrap_or_default();
        core.split('.').map(|number| number.parse().ok()).collect()
    };
    numbers(release).zip(numbers(than)).is_some_and(|(release, than)| release < than)
}

fn delivery(options: &[String]) -> Result<Delivery> {
    let options = UpdateOptions::parse(options)?;
    let release = options.release.unwrap_or_else(|| UNLABELLED.to_owned());
    match (options.npm, options.dir, options.file) {
        (Some(version), None, None) => npm::fetch(&version),
        (None, Some(folder), None) => Delivery::from_folder(&folder, release, "dir".to_owned()),
        (None, None, Some(path)) => {
            let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let target = options.target.unwrap_or(SchemaFile::V1);
            let source = format!("file:{name}");
            Ok(Delivery { release, source, files: vec![(target, bytes)], absent: Vec::new() })
        }
        _ => bail!("name one source: --npm, --dir or --file\n{USAGE}"),
    }
}

#[derive(Default)]
struct UpdateOptions {
    npm: Option<String>,
    dir: Option<PathBuf>,
    file: Option<PathBuf>,
    target: Option<SchemaFile>,
    release: Option<String>,
}

impl UpdateOptions {
    fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut args = args.iter();
        while let Some(option) = args.next() {
            let value = args.next().with_context(|| format!("{option} needs a value\n{USAGE}"))?;
            match option.as_str() {
                "--npm" => options.npm = Some(value.clone()),
                "--dir" => options.dir = Some(value.into()),
                "--file" => options.file = Some(value.into()),
                "--as" => {
                    let target = SchemaFile::from_label(value);
                    options.target =
                        Some(target.with_context(|| format!("--as does not know {value:?}\n{USAGE}"))?);
                }
                "--release" => options.release = Some(value.clone()),
                _ => bail!("unknown option {option}\n{USAGE}"),
            }
        }
        options.check()
    }

    fn check(self) -> Result<Self> {
        ensure!(self.target.is_none() || self.file.is_some(), "--as goes with --file\n{USAGE}");
        if let Some(label) = &self.release {
            ensure!(self.npm.is_none(), "an npm package states its own release; leave out --release");
            // The label appears in the header of generated files.
            let fits = !label.trim().is_empty() && !label.contains(char::is_control);
            ensure!(fits, "--release takes a label on one line");
        }
        Ok(self)
    }
}

/// Verifies the hashes and reads every imported file as strictly as on its import.
fn check(root: &Path, out: &mut dyn Write) -> Result<()> {
    verify(root)?;
    let mut problems = Vec::new();
    for (file, record) in Upstream::load(root)?.files() {
        let bytes =
            fs::read(file.in_workspace(root)).with_context(|| format!("cannot read {}", file.path()))?;
        match read_schema(file.path(), &bytes) {
            Ok(schema) if render(&schema)?.as_bytes() != bytes => {
                problems.push(format!("{}: not as the import writes it (prose or layout)", file.path()));
            }
            Ok(schema) if count_definitions(&schema) != record.definitions => {
                problems.push(format!("{}: the recorded number of definitions is wrong", file.path()));
            }
            Ok(_) => writeln!(
                out,
                "schema/{}: {} definitions, release {}",
                file.path(),
                record.definitions,
                record.release
            )?,
            Err(found) => problems.extend(found.iter().map(ToString::to_string)),
        }
    }
    ensure!(problems.is_empty(), "the imported schema is not usable:\n{}", problems.join("\n"));
    Ok(())
}
