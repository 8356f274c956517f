//! How earlier releases said things, said as today's do: one named rewrite for each.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

/// One way of saying things, and the releases that have it. It fails where it finds nothing.
struct Rewrite {
    name: &'static str,
    releases: &'static [&'static str],
    /// Returns true if anything was rewritten.
    apply: fn(&mut Value) -> bool,
}

const REWRITES: [Rewrite; 7] = [
    Rewrite {
        name: "an enum of strings is a list of constants",
        releases: &["0.5.1", "0.8.0", "0.14.0", "0.20.0"],
        apply: enums_to_constants,
    },
    Rewrite {
        name: "an object inside a member has no name",
        releases: &["0.5.1"],
        apply: objects_inside_to_definitions,
    },
    Rewrite { name: "any JSON is `true`", releases: &["0.5.1"], apply: true_to_empty },
    Rewrite {
        name: "the arms of RequestId have no titles",
        releases: &["0.8.0"],
        apply: titles_of_request_id,
    },
    Rewrite {
        name: "the root has another union of messages",
        releases: &["0.8.0", "0.14.0", "0.20.0", "1.0.0", "1.9.0", "2.0.0", "2.2.0"],
        apply: without_root_union,
    },
    Rewrite {
        name: "a boolean that is absent means true; read as optional",
        releases: &["0.20.0", "1.0.0"],
        apply: without_true_defaults,
    },
    Rewrite { name: "a string has a pattern", releases: &["1.9.0", "2.0.0"], apply: without_patterns },
];

/// Rewrites the files of a release.
///
/// # Errors
/// A rewrite that is said to be needed finds nothing in any of them.
pub(super) fn modernise(release: &str, files: &mut [Value]) -> Result<Vec<&'static str>> {
    let mut applied = Vec::new();
    for rewrite in REWRITES.iter().filter(|rewrite| rewrite.releases.contains(&release)) {
        let found = files.iter_mut().map(|file| (rewrite.apply)(file)).filter(|found| *found).count();
        ensure!(found > 0, "release {release} has nothing of: {}; take it out of the list", rewrite.name);
        applied.push(rewrite.name);
    }
    Ok(applied)
}

/// The schemas below one, itself included, that stand where a type may stand.
fn each(schema: &mut Value, visit: &mut dyn FnMut(&mut Value) -> bool) -> bool {
    let mut found = visit(schema);
    let Some(keywords) = schema.as_object_mut() else { return found };
    for (keyword, value) in keywords {
        found |= match (keyword.as_str(), value) {
            ("$defs" | "properties", Value::Object(named)) => {
                named.values_mut().map(|inner| each(inner, visit)).filter(|found| *found).count() > 0
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(arms)) => {
                arms.iter_mut().map(|inner| each(inner, visit)).filter(|found| *found).count() > 0
            }
            ("items" | "not" | "additionalProperties", inner) => each(inner, visit),
            _ => false,
        };
    }
    found
}

fn enums_to_constants(schema: &mut Value) -> bool {
    each(schema, &mut |node| {
        let Some(Value::Array(values)) =
            node.as_object_mut().and_then(|keywords| keywords.shift_remove("enum"))
        else {
            return false;
        };
        match values.as_slice() {
            [only] => node["const"] = only.clone(),
            _ => {
                let arms = values.iter().map(|value| json!({"type": "string", "const": value}));
                *node = json!({ "oneOf": arms.collect::<Vec<_>>() });
            }
        }
        true
    })
}

/// Lifts the object of a member into a definition called after definition and member.
fn objects_inside_to_definitions(schema: &mut Value) -> bool {
    let Some(definitions) = schema.get_mut("$defs").and_then(Value::as_object_mut) else { return false };
    let mut lifted = Vec::new();
    for (owner, definition) in definitions.iter_mut().filter(|(_, one)| one.get("x-docs-ignore").is_none()) {
        let Some(members) = definition.get_mut("properties").and_then(Value::as_object_mut) else { continue };
        for (wire, member) in members.iter_mut().filter(|(_, member)| member.get("properties").is_some()) {
            let mut letters = wire.chars();
            let first = letters.next().map(|letter| letter.to_ascii_uppercase());
            let name = format!("{owner}{}{}", first.unwrap_or_default(), letters.as_str());
            let reference = json!({ "$ref": format!("#/$defs/{name}") });
            lifted.push((name, std::mem::replace(member, reference)));
        }
    }
    let found = !lifted.is_empty();
    definitions.extend(lifted);
    found
}

fn true_to_empty(schema: &mut Value) -> bool {
    each(schema, &mut |node| {
        let Some(members) = node.get_mut("properties").and_then(Value::as_object_mut) else { return false };
        let any = members.values_mut().filter(|member| **member == Value::Bool(true));
        any.map(|member| *member = json!({})).count() > 0
    })
}

fn titles_of_request_id(schema: &mut Value) -> bool {
    let arms = schema.pointer_mut("/$defs/RequestId/anyOf").and_then(Value::as_array_mut);
    let untitled = arms.into_iter().flatten().filter(|arm| arm.get("title").is_none());
    untitled.map(|arm| arm["title"] = arm["type"].clone()).count() > 0
}

/// The generator has no use for the root's union: the definitions have all that it names.
fn without_root_union(schema: &mut Value) -> bool {
    schema.as_object_mut().is_some_and(|root| root.shift_remove("anyOf").is_some())
}

/// The IR has no place for it, and today's schemas have none.
fn without_true_defaults(schema: &mut Value) -> bool {
    each(schema, &mut |node| {
        let is_true = node.get("default") == Some(&Value::Bool(true));
        if let Some(keywords) = node.as_object_mut().filter(|_| is_true) {
            keywords.shift_remove("default");
            node["type"] = json!(["boolean", "null"]);
        }
        is_true
    })
}

fn without_patterns(schema: &mut Value) -> bool {
    each(schema, &mut |node| {
        let is_string = node.get("type").is_some_and(|of| of == "string");
        is_string && node.as_object_mut().is_some_and(|keywords| keywords.shift_remove("pattern").is_some())
    })
}
