//! The arguments that tools are called with.

use acp_mcp::QualifiedTool;
use serde_json::{Map, Value, json};

/// The arguments of every tool.
pub struct Arguments<'a> {
    tools: &'a [QualifiedTool],
    /// The calls that the conformance tool asks for. `None` means that it does not name any.
    wanted: Option<Vec<Value>>,
}

impl<'a> Arguments<'a> {
    pub fn new(tools: &'a [QualifiedTool]) -> Self {
        let context = std::env::var("MCP_CONFORMANCE_CONTEXT").ok();
        let context = context.and_then(|context| serde_json::from_str::<Value>(&context).ok());
        let wanted = context.and_then(|context| context.get("toolCalls")?.as_array().cloned());
        Self { tools, wanted }
    }

    /// The calls of a tool.
    pub fn calls<'t>(&self, tool: &'t QualifiedTool) -> Vec<(&'t QualifiedTool, Value)> {
        let arguments = match &self.wanted {
            Some(wanted) => {
                let of_tool = wanted.iter().filter(|call| call["name"].as_str() == Some(&tool.tool.name));
                of_tool.map(|call| call["arguments"].clone()).collect()
            }
            None => vec![self.made_up(tool)],
        };
        arguments.into_iter().map(|arguments| (tool, arguments)).collect()
    }

    /// Makes up the arguments that the schema requires.
    fn made_up(&self, tool: &QualifiedTool) -> Value {
        // The conformance tool compares what it gets with what it has sent.
        if tool.tool.name == "json_schema_echo" {
            let other = self.tools.iter().find(|other| other.tool.name != tool.tool.name);
            return json!({ "schema": other.map(QualifiedTool::input_schema) });
        }
        let schema = tool.input_schema();
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let members = required.map(|name| (name.to_owned(), value(&schema["properties"][name])));
        Value::Object(members.collect::<Map<_, _>>())
    }
}

fn value(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("number" | "integer") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        Some("null") => Value::Null,
        _ => json!("x"),
    }
}
