//! A schema without its prose.

use serde_json::{Map, Value};

/// The schema without its prose: every `description` keyword goes, everything else stays in its
/// order.
///
/// A *property* or a definition named `description` is structure and stays, and so does whatever
/// stands in a `default`, `const` or `enum`, because that is data.
pub fn strip_prose(schema: &Value) -> Value {
    let Value::Object(keywords) = schema else { return schema.clone() };
    let kept = keywords.iter().filter(|(keyword, _)| *keyword != "description");
    kept.map(|(keyword, value)| (keyword.clone(), strip_keyword(keyword, value)))
        .collect::<Map<_, _>>()
        .into()
}

fn strip_keyword(keyword: &str, value: &Value) -> Value {
    match (keyword, value) {
        ("$defs" | "properties", Value::Object(named)) => named
            .iter()
            .map(|(name, schema)| (name.clone(), strip_prose(schema)))
            .collect::<Map<_, _>>()
            .into(),
        ("anyOf" | "oneOf" | "allOf", Value::Array(arms)) => arms.iter().map(strip_prose).collect(),
        ("items" | "not" | "additionalProperties", schema) => strip_prose(schema),
        _ => value.clone(),
    }
}
