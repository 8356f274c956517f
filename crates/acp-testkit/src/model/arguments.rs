//! Arguments of tools: values that fit a JSON Schema.

use serde_json::{Map, Value, json};

use super::conversation::Tool;
use super::directive::Wish;
use super::profile::Names;

/// Returns the smallest value that fits a schema. Texts hold the name of their member.
pub(super) fn least(schema: &Value, name: &str) -> Value {
    if let Some(value) = schema.get("const").or_else(|| schema.get("enum")?.get(0)) {
        return value.clone();
    }
    for group in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = schema.get(group).and_then(|group| group.get(0)) {
            return least(first, name);
        }
    }
    let default = schema.get("default").cloned();
    match kind(schema).as_str() {
        "object" => {
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let member = |name: &Value| {
                let name = name.as_str()?;
                Some((name.to_owned(), least(property(schema, name), name)))
            };
            Value::Object(required.filter_map(member).collect())
        }
        "array" => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            let count = schema.get("minItems").and_then(Value::as_u64).unwrap_or(1).clamp(1, 8);
            (0..count).map(|_| least(items, name)).collect()
        }
        "integer" | "number" => schema.get("minimum").cloned().or(default).unwrap_or_else(|| 1.into()),
        "boolean" => default.unwrap_or(Value::Bool(false)),
        _ => default.unwrap_or_else(|| format!("stub {name}").trim().into()),
    }
}

fn kind(schema: &Value) -> String {
    let named = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        kind => kind.and_then(Value::as_str),
    };
    let object = schema.get("properties").is_some();
    // Gemini writes them in capitals.
    named.unwrap_or(if object { "object" } else { "string" }).to_lowercase()
}

fn property<'a>(schema: &'a Value, name: &str) -> &'a Value {
    schema.get("properties").and_then(|properties| properties.get(name)).unwrap_or(&Value::Null)
}

/// Returns the arguments of a tool that do what is wished, as JSON, or as text for a custom tool.
pub(super) fn of(wish: &Wish, tool: &Tool, names: &Names) -> Value {
    if let Some(text) = patch(wish, tool) {
        return text;
    }
    let mut filled = least(&tool.schema, "").as_object().cloned().unwrap_or_default();
    let is_shell = matches!(wish, Wish::Shell(_));
    let mut fill = |values: &[(&[String], &str)]| {
        for (names, value) in values {
            if let Some(name) = names.iter().find(|name| !property(&tool.schema, name).is_null()) {
                filled.insert(name.clone(), fitting(property(&tool.schema, name), value, is_shell));
            }
        }
    };
    match wish {
        Wish::Shell(command) => fill(&[(&names.command, command)]),
        Wish::Read(path) => fill(&[(&names.path, path)]),
        Wish::Write(path, text) => fill(&[(&names.path, path), (&names.text, text)]),
        Wish::Edit(path, old, new) => fill(&[(&names.path, path), (&names.old, old), (&names.new, new)]),
        Wish::Plan(steps) => plan(&mut filled, steps, tool),
        Wish::Ask | Wish::Tool(..) => {}
    }
    let verb = match wish {
        Wish::Read(_) => Some("view"),
        Wish::Write(..) => Some("create"),
        Wish::Edit(..) => Some("str_replace"),
        _ => None,
    };
    // One tool for all that is done to files.
    if let (Some(verb), false) = (verb, property(&tool.schema, "command").is_null()) {
        filled.insert("command".to_owned(), verb.into());
    }
    Value::Object(filled)
}

/// Returns a text as a value of this schema: alone in a list, a command as a shell runs it.
fn fitting(schema: &Value, text: &str, is_shell: bool) -> Value {
    match (kind(schema).as_str(), is_shell) {
        ("array", true) => json!(["bash", "-lc", text]),
        ("array", false) => json!([text]),
        _ => text.into(),
    }
}

/// Returns the arguments of a tool that takes patches.
fn patch(wish: &Wish, tool: &Tool) -> Option<Value> {
    if tool.name != "apply_patch" {
        return None;
    }
    let change = match wish {
        Wish::Write(path, text) => {
            let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
            format!("*** Add File: {path}\n{lines}")
        }
        Wish::Edit(path, old, new) => format!("*** Update File: {path}\n@@\n-{old}\n+{new}\n"),
        _ => return None,
    };
    let patch = format!("*** Begin Patch\n{change}*** End Patch\n");
    if tool.is_custom {
        return Some(patch.into());
    }
    let member = ["input", "patch", "patchText"].into_iter();
    let name = member.into_iter().find(|name| !property(&tool.schema, name).is_null()).unwrap_or("input");
    Some(json!({name: patch}))
}

/// Puts steps into every list of objects that the tool takes.
fn plan(filled: &mut Map<String, Value>, steps: &[String], tool: &Tool) {
    let properties = tool.schema.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten().filter(|(_, schema)| kind(schema) == "array") {
        let item = schema.get("items").unwrap_or(&Value::Null);
        let rows = (1..).zip(steps).map(|(number, step)| row(item, number, step)).collect();
        filled.insert(name.clone(), rows);
    }
}

/// Members of a plan's entry that hold its text.
const TEXTS: [&str; 8] = ["content", "step", "description", "title", "task", "text", "activeForm", "name"];

fn row(schema: &Value, number: usize, step: &str) -> Value {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return step.into() };
    let members = properties.iter().map(|(name, schema)| {
        let value = match name.as_str() {
            "status" => status(schema, number),
            "id" if kind(schema) == "string" => number.to_string().into(),
            "id" => number.into(),
            name if TEXTS.contains(&name) => step.into(),
            name => least(schema, name),
        };
        (name.clone(), value)
    });
    Value::Object(members.collect())
}

/// The first step is done, the second under way, and the others wait.
fn status(schema: &Value, number: usize) -> Value {
    let words = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    let part = match number {
        1 => "complete",
        2 => "progress",
        _ => "pending",
    };
    let mut words = words.filter(|word| word.as_str().is_some_and(|word| word.contains(part)));
    words.next().cloned().unwrap_or_else(|| least(schema, "status"))
}
