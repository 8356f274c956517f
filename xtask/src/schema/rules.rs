//! Rules over several keywords of one schema.

use std::collections::BTreeSet;

use serde_json::Value;

use super::keywords::{FORMATS, Object, Place, found, referenced};

/// The surroundings that a rule may look at beside the schema itself.
pub(super) struct Scope<'a> {
    pub(super) definitions: &'a Object,
    /// Every property of the JSON object that this schema describes, wherever it is declared.
    pub(super) declared: &'a BTreeSet<String>,
    pub(super) place: Place,
}

/// Takes the way from the schema to the offending value, and what is wrong there.
type Report<'a> = dyn FnMut(&[&str], String) + 'a;

/// Reports every broken rule of `schema`, whose keywords are known to have values of the right
/// shape.
pub(super) fn check(schema: &Object, scope: &Scope<'_>, report: &mut Report<'_>) {
    reference(schema, scope, report);
    alias(schema, scope, report);
    required(schema, scope, report);
    bounds(schema, report);
    method_and_side(schema, report);
    needed_types(schema, report);
    values_fit_type(schema, scope, report);
    discriminator(schema, report);
    distinct_tags(schema, report);
    negation(schema, scope, report);
}

/// Adds the properties that `schema` declares itself, through its arms and through what these refer
/// to.
pub(super) fn declared_properties(schema: &Object, definitions: &Object, declared: &mut BTreeSet<String>) {
    collect_declared(schema, definitions, declared, &mut BTreeSet::new());
}

fn collect_declared<'a>(
    schema: &'a Object,
    definitions: &'a Object,
    declared: &mut BTreeSet<String>,
    seen: &mut BTreeSet<&'a str>,
) {
    if let Some(properties) = object(schema, "properties") {
        declared.extend(properties.keys().cloned());
    }
    if let Some(name) = schema.get("$ref").and_then(Value::as_str).and_then(referenced)
        && seen.insert(name)
        && let Some(target) = object(definitions, name)
    {
        collect_declared(target, definitions, declared, seen);
    }
    for arm in ["anyOf", "oneOf", "allOf"].into_iter().flat_map(|keyword| arms(schema, keyword)) {
        collect_declared(arm, definitions, declared, seen);
    }
}

fn reference(schema: &Object, scope: &Scope<'_>, report: &mut Report<'_>) {
    let Some(name) = schema.get("$ref").and_then(Value::as_str).and_then(referenced) else { return };
    if !scope.definitions.contains_key(name) {
        report(&["$ref"], format!("refers to {name:?}, which is not defined in this file"));
    }
    let annotation = |keyword: &str| {
        matches!(keyword, "$ref" | "title" | "description" | "default") || keyword.starts_with("x-")
    };
    for keyword in schema.keys().filter(|keyword| !annotation(keyword)) {
        report(
            &[keyword],
            format!("{keyword:?} beside \"$ref\" has no single meaning; wrap the reference in \"allOf\""),
        );
    }
}

/// A definition that only stands for another one must arrive at one that says something.
fn alias(schema: &Object, scope: &Scope<'_>, report: &mut Report<'_>) {
    let Some(first) = aliased(schema).filter(|_| scope.place == Place::Definition) else { return };
    let mut chain = vec![first];
    while let Some(next) = chain.last().and_then(|name| aliased(object(scope.definitions, name)?)) {
        if chain.contains(&next) {
            let last = chain.last().unwrap_or(&first);
            return report(
                &["allOf"],
                format!("stands for {first:?}, which stands for {last:?} in a circle"),
            );
        }
        chain.push(next);
    }
}

/// The definition that an `allOf` of one reference stands for.
fn aliased(schema: &Object) -> Option<&str> {
    array(schema, "allOf").first()?.get("$ref")?.as_str().and_then(referenced)
}

fn bounds(schema: &Object, report: &mut Report<'_>) {
    let [least, most] =
        ["minimum", "maximum"].map(|keyword| schema.get(keyword).filter(|value| value.is_number()));
    if let (Some(least), Some(most)) = (least, most)
        && most.as_f64() < least.as_f64()
    {
        report(&["maximum"], format!("the maximum {most} lies below the minimum {least}"));
    }
}

fn required(schema: &Object, scope: &Scope<'_>, report: &mut Report<'_>) {
    for (index, name) in array(schema, "required").iter().filter_map(Value::as_str).enumerate() {
        if !scope.declared.contains(name) {
            let message = format!("requires {name:?}, which no \"properties\" of this object declares");
            report(&["required", &index.to_string()], message);
        }
    }
}

fn method_and_side(schema: &Object, report: &mut Report<'_>) {
    match (schema.contains_key("x-method"), schema.contains_key("x-side")) {
        (true, false) => {
            report(&["x-method"], "\"x-method\" needs \"x-side\", which says who handles it".to_owned())
        }
        (false, true) => {
            report(&["x-side"], "\"x-side\" needs \"x-method\", the method it is the side of".to_owned())
        }
        _ => {}
    }
}

/// Keywords that only mean something beside a certain `type`.
fn needed_types(schema: &Object, report: &mut Report<'_>) {
    let has = |kind: &str| match schema.get("type") {
        Some(Value::String(name)) => name == kind,
        Some(Value::Array(names)) => names.iter().any(|name| name == kind),
        _ => false,
    };
    for keyword in schema.keys() {
        let needed: &[&str] = match keyword.as_str() {
            "minimum" | "maximum" => &["integer", "number"],
            "minLength" | "contentEncoding" => &["string"],
            "items" | "minItems" | "x-deserialize-skip-invalid-items" => &["array"],
            "properties" | "required" | "additionalProperties" | "unevaluatedProperties" => &["object"],
            _ => &[],
        };
        if !needed.is_empty() && !needed.iter().any(|kind| has(kind)) {
            report(&[keyword], format!("{keyword:?} needs \"type\" {} beside it", quoted(needed)));
        }
    }
    if has("array") && !schema.contains_key("items") {
        report(&["type"], "a list needs \"items\", which says what it holds".to_owned());
    }
    let format = schema.get("format").and_then(Value::as_str);
    if let Some((name, kind)) = FORMATS.iter().find(|(name, _)| Some(*name) == format)
        && !has(kind)
    {
        report(&["format"], format!("format {name:?} needs \"type\" \"{kind}\" beside it"));
    }
}

fn values_fit_type(schema: &Object, scope: &Scope<'_>, report: &mut Report<'_>) {
    if let Some(value) = schema.get("const") {
        match schema.get("type") {
            None => report(&["const"], "\"const\" needs \"type\" beside it".to_owned()),
            Some(kind) if !is_of(value, kind) => {
                report(&["const"], format!("{} is not of \"type\" {kind}", found(value)));
            }
            _ => {}
        }
    }
    let bare = || schema.get("$ref")?.as_str().and_then(referenced);
    let target = aliased(schema).or_else(bare).and_then(|name| object(scope.definitions, name));
    if let Some(default) = schema.get("default")
        && let Some(kind) = schema.get("type").or_else(|| target?.get("type"))
        && !is_of(default, kind)
    {
        report(&["default"], format!("{} is not of \"type\" {kind}", found(default)));
    }
}

/// With a `discriminator` every arm states its tag, or a reader could not tell the arms apart by
/// it.
fn discriminator(schema: &Object, report: &mut Report<'_>) {
    let Some(tag) = object(schema, "discriminator").and_then(|it| it.get("propertyName")?.as_str()) else {
        return;
    };
    if !schema.contains_key("oneOf") {
        report(&["discriminator"], "\"discriminator\" needs \"oneOf\" beside it".to_owned());
    }
    for (index, arm) in arms(schema, "oneOf").enumerate() {
        let stated = object(arm, "properties")
            .and_then(|properties| object(properties, tag))
            .is_some_and(|property| property.contains_key("const"));
        let required = array(arm, "required").iter().any(|name| name == tag);
        if !stated || !required {
            let message =
                format!("the arm does not require {tag:?} with a \"const\", as the discriminator asks");
            report(&["oneOf", &index.to_string()], message);
        }
    }
}

/// No two arms of a union carry the same constant or the same tag: the second would never be read.
fn distinct_tags(schema: &Object, report: &mut Report<'_>) {
    for keyword in ["anyOf", "oneOf"] {
        let mut seen = Vec::new();
        for (index, arm) in arms(schema, keyword).enumerate() {
            let own = arm.get("const").map(|value| ("", value));
            let tags = object(arm, "properties").into_iter().flatten();
            let tags = tags.filter_map(|(name, property)| Some((name.as_str(), property.get("const")?)));
            for tag in own.into_iter().chain(tags) {
                if seen.contains(&tag) {
                    let message = format!("a second arm for the constant {}", tag.1);
                    report(&[keyword, &index.to_string()], message);
                }
                seen.push(tag);
            }
        }
    }
}

/// The only negation known is "none of these tags", on the fallback arm of an open union.
fn negation(schema: &Object, scope: &Scope<'_>, report: &mut Report<'_>) {
    if scope.place == Place::Not && !schema.contains_key("anyOf") {
        report(
            &[],
            "\"not\" needs \"anyOf\", the tags that the fallback arm leaves to the others".to_owned(),
        );
    }
}

fn is_of(value: &Value, kind: &Value) -> bool {
    match kind {
        Value::Array(kinds) => kinds.iter().any(|kind| is_of(value, kind)),
        kind => match kind.as_str() {
            Some("string") => value.is_string(),
            Some("integer") => value.is_i64() || value.is_u64(),
            Some("number") => value.is_number(),
            Some("boolean") => value.is_boolean(),
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("null") => value.is_null(),
            _ => false,
        },
    }
}

fn object<'a>(schema: &'a Object, key: &str) -> Option<&'a Object> {
    schema.get(key).and_then(Value::as_object)
}

fn array<'a>(schema: &'a Object, key: &str) -> &'a [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn arms<'a>(schema: &'a Object, keyword: &str) -> impl Iterator<Item = &'a Object> {
    array(schema, keyword).iter().filter_map(Value::as_object)
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(" or ")
}
