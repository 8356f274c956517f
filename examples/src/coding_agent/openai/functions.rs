//! The functions that the model can call: each is an [`Action`], and one more for each tool of the
//! session's MCP servers.

use acp_agent::mcp::Tool;
use serde_json::{Map, Value, json};

use crate::coding_agent::planner::Action;

/// Returns the functions and these tools as the request declares them.
pub(super) fn declarations(tools: &[Tool]) -> Value {
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
        function(
            "run_command",
            "Run a program in the working folder, without a shell, and read its output",
            &[("program", &text)],
            &[("args", &json!({"type": "array", "items": text}))],
        ),
    ];
    declared.extend(tools.iter().map(declaration));
    Value::Array(declared)
}

/// Declares a tool of an MCP server.
fn declaration(tool: &Tool) -> Value {
    json!({
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.input_schema},
    })
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

/// The mark in the name of a tool of an MCP server, between the server and the tool.
const OF_SERVER: &str = "__";

/// Returns the action that a call asks for.
pub(super) fn action(name: String, arguments: &str) -> Action {
    // Models leave out the arguments of functions that need none.
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    if name.contains(OF_SERVER) {
        return Action::CallTool { name, arguments: arguments.to_owned() };
    }
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
