//! `cargo xtask codegen`: from the schema to the generated code.

pub mod account;
pub mod alike;
pub mod api_lock;
pub mod defect;
pub mod derives;
pub mod emit;
pub mod format;
pub mod ir;
pub mod lower;
pub mod merge;
pub mod names;
pub mod overlay;
pub mod own;
pub mod references;
pub mod second_reader;
pub mod shared;
pub mod version;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value as Json;

use crate::output::{self, Mode, Output};
use crate::schema::docs::Docs;
use crate::schema::{self, SchemaFile, Upstream};
use crate::workspace;
pub use account::{Count, account};
use ir::Schema;
use overlay::Overlay;
use version::{VERSIONS, Version};

/// `codegen [--check]`, or for a schema of one's own the options of [`own`].
pub fn run(args: &[String]) -> Result<()> {
    let mode = match args {
        [] => Mode::Write,
        [flag] if flag == "--check" => Mode::Check,
        _ if args.iter().any(|option| option == "--schema") => return own::run(args),
        _ => bail!("usage: cargo xtask codegen [--check]\nfor a schema of your own: {}", own::USAGE),
    };
    generate(&workspace::root(), mode)
}

/// Brings the generated code in line with the schema, or fails when it is not.
pub fn generate(root: &Path, mode: Mode) -> Result<()> {
    let (outputs, counts) = generated(root)?;
    if mode == Mode::Write {
        counts.iter().for_each(|count| println!("{count}"));
        let lock = outputs.iter().find(|output| output.path == Path::new(api_lock::PATH));
        let now = lock.map_or("", |output| output.text.as_str());
        // Against no lock everything is new, which nobody wants to read.
        let changed = match self::lock(root)? {
            none if none.is_empty() => Vec::new(),
            lock => api_lock::changed(&lock, now),
        };
        changed.iter().for_each(|line| println!("{}: {line}", api_lock::PATH));
    }
    let folders: Vec<PathBuf> = emit::FOLDERS.iter().map(PathBuf::from).collect();
    output::apply(root, &folders, &outputs, mode, "cargo xtask codegen")
}

/// Every generated file.
pub fn outputs(root: &Path) -> Result<Vec<Output>> {
    Ok(generated(root)?.0)
}

/// Every generated file, and what became of the definitions of each version.
fn generated(root: &Path) -> Result<(Vec<Output>, Vec<Count>)> {
    schema::verify(root).context("schema/ is not what schema/UPSTREAM.toml says")?;
    let header = header(root)?;
    let lock = lock(root)?;
    let mut outputs = Vec::new();
    let mut schemas: Vec<(&Version, Schema)> = Vec::new();
    for version in VERSIONS.iter().filter(|version| version.is_there(root)) {
        let overlay = Overlay::load(&root.join(version.overlay()))?;
        let docs = Docs::load(&root.join(version.docs()))?;
        let mut schema = version.read(root, &overlay).with_context(|| format!("in {}", version.name))?;
        schema.argument_order = api_lock::arguments(&lock, version.name);
        let earlier: Vec<_> = schemas.iter().map(|(version, schema)| (version.name, schema)).collect();
        schema.shared = shared::find(version.name, &schema, &overlay, &earlier)?;
        let mut types = emit::types(&schema, &docs, version, &header)?;
        if version.has_operations {
            outputs.extend(emit::operations(root, &schema, &overlay, &header)?);
        }
        let alike = match schemas.last() {
            Some((first, of)) => Some((*first, alike::find(of, &schema, &overlay)?)),
            None => None,
        };
        overlay.all_used().with_context(|| version.overlay())?;
        second_reader::agree(&schema, &types)?;
        if let Some((first, alike)) = &alike {
            emit::alike(&mut types, (version, &schema), (*first, alike), &header)?;
        }
        outputs.extend(types);
        schemas.push((version, schema));
    }
    outputs.push(emit::definitions(&schemas, &header)?);
    outputs.push(emit::session_methods(&schemas, &header)?);
    let named: Vec<_> = schemas.iter().map(|(version, schema)| (version.name, schema)).collect();
    outputs.push(Output { path: api_lock::PATH.into(), text: api_lock::render(&named) });
    Ok((outputs, named.iter().map(|(name, schema)| Count::of(name, schema)).collect()))
}

/// The types that are generated from one schema: all stages, without the file system.
///
/// # Errors
/// Fails on a construct that fits no shape, a definition that is neither emitted nor skipped, an
/// overlay entry that matches nothing, or a second reader that disagrees.
pub fn from_schema(json: &Json, overlay: &Overlay, docs: &Docs, header: &str) -> Result<Vec<Output>> {
    let schema = lower::lower(json, overlay)?;
    account(json, &schema)?;
    let outputs = emit::types(&schema, docs, &VERSIONS[0], header)?;
    overlay.all_used()?;
    second_reader::agree(&schema, &outputs)?;
    Ok(outputs)
}

/// The lock of the last run; the first has none.
fn lock(root: &Path) -> Result<String> {
    match std::fs::read_to_string(root.join(api_lock::PATH)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        read => read.with_context(|| format!("reading {}", api_lock::PATH)),
    }
}

fn header(root: &Path) -> Result<String> {
    let upstream = Upstream::load(root)?;
    let release = &upstream.file(SchemaFile::V1).context("schema/UPSTREAM.toml knows no v1 schema")?.release;
    Ok(format!("// @generated by `cargo xtask codegen` from ACP schema release {release}; do not edit.\n"))
}
