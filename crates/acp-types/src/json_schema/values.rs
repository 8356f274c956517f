//! Schemas of enums of strings and integers, and of values under a name.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::json;

use super::described;

/// Describes a `T` under a name of its own.
#[must_use]
pub fn newtype<T: JsonSchema>(generator: &mut SchemaGenerator, description: &str) -> Schema {
    described(T::json_schema(generator), description)
}

/// Describes one of these strings. Later releases may add some, and the type keeps unknown ones.
#[must_use]
pub fn closed_enum(values: &[(&str, &str)], description: &str) -> Schema {
    described(schemars::json_schema!({ "oneOf": constants(values) }), description)
}

/// Describes any string, and lists the strings that have a meaning.
#[must_use]
pub fn open_enum(values: &[(&str, &str)], description: &str) -> Schema {
    let mut arms = constants(values);
    arms.push(schemars::json_schema!({ "type": "string" }));
    described(schemars::json_schema!({ "anyOf": arms }), description)
}

fn constants(values: &[(&str, &str)]) -> Vec<Schema> {
    let constant = |(value, description): &(&str, &str)| {
        described(schemars::json_schema!({ "type": "string", "const": value }), description)
    };
    values.iter().map(constant).collect()
}

/// Describes any `T`, an integer, and lists the numbers that have a meaning.
#[must_use]
pub fn integer_enum<T: JsonSchema>(
    generator: &mut SchemaGenerator,
    values: &[(i64, &str)],
    description: &str,
) -> Schema {
    let constant = |(value, description): &(i64, &str)| {
        described(schemars::json_schema!({ "type": "integer", "const": value }), description)
    };
    let mut arms: Vec<Schema> = values.iter().map(constant).collect();
    arms.push(T::json_schema(generator));
    described(schemars::json_schema!({ "anyOf": json!(arms) }), description)
}
