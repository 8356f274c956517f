//! The account of definitions: each one of a schema becomes a type, is shared, or is skipped by a
//! rule.

use std::fmt;

use anyhow::{Result, ensure};
use serde_json::Value as Json;

use super::ir::{Definition, Schema};

/// The number of a version's definitions, by their fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    pub version: &'static str,
    pub emitted: usize,
    pub shared: usize,
    pub skipped: usize,
}

impl Count {
    #[must_use]
    pub fn of(version: &'static str, schema: &Schema) -> Self {
        let definitions = definitions_of(schema).count();
        let (shared, skipped) = (schema.shared.len(), schema.skipped.len());
        Count { version, emitted: definitions - shared, shared, skipped }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count { version, emitted, shared, skipped } = self;
        let all = emitted + shared + skipped;
        write!(f, "{version}: {all} definitions = {emitted} emitted + {shared} shared + {skipped} skipped")
    }
}

/// Definitions in = types out + listed skips, one by one.
///
/// # Errors
/// Names what is lost, and what came from nowhere.
pub fn account(json: &Json, schema: &Schema) -> Result<()> {
    let definitions = json.get("$defs").and_then(Json::as_object).into_iter().flatten();
    let names: Vec<&str> = definitions.map(|(name, _)| name.as_str()).collect();
    let mut accounted: Vec<&str> =
        definitions_of(schema).map(|definition| definition.name.as_str()).collect();
    accounted.extend(schema.skipped.iter().map(|skipped| skipped.name.as_str()));
    let missing = |from: &[&str], of: &[&str]| {
        let missing: Vec<&str> = of.iter().copied().filter(|name| !from.contains(name)).collect();
        missing.join(", ")
    };
    ensure!(
        names.len() == accounted.len() && missing(&accounted, &names).is_empty(),
        "{} definitions in, {} emitted or skipped by a rule; lost: [{}], from nowhere: [{}]",
        names.len(),
        accounted.len(),
        missing(&accounted, &names),
        missing(&names, &accounted)
    );
    Ok(())
}

/// The definitions of the schema itself: unions that lie flat in an object are types of ours.
fn definitions_of(schema: &Schema) -> impl Iterator<Item = &Definition> {
    schema.definitions.iter().filter(|definition| definition.name == definition.described_by)
}
