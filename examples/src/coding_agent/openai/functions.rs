//! The functions that the model can call: each is an [`Action`].

use serde_json::{Map, Value, json};

use crate::coding_agent::planner::Action;

/// Returns the functions as the request declares them. The function for commands needs a client
/// with terminals.
pub(super) fn declarations(terminals: bool) -> Value {
    let path = json!({"type": "string", "description": "A file, relative to the working folder"});
    let text = json!({"type": "string"});
    let status = json!({"type": "string", "enum": ["pending", "in_progress", "completed"]});
    let step = json!({
        "type": "object",
        "properties": {"step": text, "status": status},
        "required": ["step", "status"],
    });
    let mut declared = vec![
        function("list_files", "List the text files of the working folder", &[], &[]),
        function("search_files", "Find a text, taken literally, in all files", &[("query", &text)], &[]),
        function("read_file", "Read a file", &[("path", &path)], &[]),
        function(
            "write_file",
            "Create a file, or replace all that it holds",
            &[("path", &path), ("content", &text)],
            &[],
        ),
        function(
            "edit_file",
            "Replace a text in a file. It has to be there exactly once, unless replace_all is true",
            &[("path", &path), ("old_string", &text), ("new_string", &text)],
            &[("replace_all", &json!({"type": "boolean"}))],
        ),
        function(
            "update_plan",
            "Show the user the steps of a longer task and how far each has come; always list all of them",
            &[("plan", &json!({"type": "array", "items": step}))],
            &[],
        ),
    ];
    if terminals {
        declared.push(function(
            "run_command",
            "Run a program in the working folder, without a shell, and read its output",
            &[("program", &text)],
            &[("args", &json!({"type": "array", "items": text}))],
        ));
    }
    Value::Array(declared)
}

fn function(
    name: &str,
    description: &str,
    required: &[(&str, &Value)],
    optional: &[(&str, &Value)],
) -> Value {
    let properties: Map<_, _> =
        required.iter().chain(optional).map(|&(name, schema)| (name.to_owned(), schema.clone())).collect();
    let required: Vec<_> = required.iter().map(|(name, _)| name).collect();
    let parameters = json!({"type": "object", "properties": properties, "required": required});
    json!({
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    })
}

/// Returns the action that a call asks for.
pub(super) fn action(name: String, arguments: &str) -> Action {
    // Models leave out the arguments of functions that need none.
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    let read = || {
        let arguments: Value = serde_json::from_str(arguments)?;
        serde_json::from_value(json!({"name": name, "arguments": arguments}))
    };
    read()
        .unwrap_or_else(|error: serde_json::Error| Action::Misunderstood { problem: error.to_string(), name })
}

/// Returns the call that an action came from, as `(name, arguments)`.
pub(super) fn call(action: &Action) -> (String, String) {
    let (name, arguments) = action.function();
    // Some servers check that arguments in the history are JSON. The arguments of a bad call may be
    // broken.
    (name, arguments.map_or_else(|| "{}".to_owned(), |arguments| arguments.to_string()))
}
