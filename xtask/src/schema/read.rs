//! A schema file, read as strictly as an import does.

use anyhow::{Result, bail};
use serde_json::Value;

use super::parse::parse;
use super::problem::Problem;
use super::strip::strip_prose;
use super::validate::validate;

/// Reads a schema as strictly as an import does, and leaves its prose out.
///
/// # Errors
/// All that is not understood, in one error.
pub fn read(name: &str, bytes: &[u8]) -> Result<Value> {
    match read_schema(name, bytes) {
        Ok(schema) => Ok(strip_prose(&schema)),
        Err(problems) => {
            let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
            bail!("schema refused, nothing was written; {} problem(s):\n{}", lines.len(), lines.join("\n"))
        }
    }
}

/// Parses and validates one schema file. `name` is how problems call it.
pub fn read_schema(name: &str, bytes: &[u8]) -> Result<Value, Vec<Problem>> {
    let schema = parse(name, bytes)?;
    validate(name, &schema)?;
    Ok(schema)
}

/// The text of an imported file: structure only, in the order of the original.
pub fn render(schema: &Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(&strip_prose(schema))? + "\n")
}

pub fn count_definitions(schema: &Value) -> usize {
    schema.get("$defs").and_then(Value::as_object).map_or(0, serde_json::Map::len)
}
