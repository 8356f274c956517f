//! The request of an agent, whichever API it comes by.

use serde_json::Value;

use super::api::Api;

/// A part of the conversation so far.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    User(String),
    /// The result of a tool call.
    Result,
    Other,
}

/// A tool of the agent.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    pub(super) name: String,
    /// The group that it belongs to, which its calls name.
    pub(super) namespace: Option<String>,
    /// The JSON Schema of its arguments.
    pub(super) schema: Value,
    /// True if its argument is one free text.
    pub(super) is_custom: bool,
}

impl Tool {
    /// Returns true for its name, alone or behind that of its namespace, as in `files__read`.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let behind = |namespace: &String| name.strip_prefix(namespace.as_str())?.strip_suffix(&self.name);
        let between = self.namespace.as_ref().and_then(behind);
        name == self.name || between.is_some_and(|it| it.chars().all(|sign| !sign.is_alphanumeric()))
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Conversation {
    pub(super) items: Vec<Item>,
    pub(super) tools: Vec<Tool>,
    /// The schema of the JSON that the answer must be.
    pub(super) form: Option<Value>,
}

impl Conversation {
    /// Reads the body of a request. Parts that are not known are passed over.
    pub(super) fn read(api: Api, body: &Value) -> Self {
        match api {
            Api::Chat => Self {
                items: list(body, "messages").map(chat_item).collect(),
                tools: list(body, "tools").filter_map(chat_tool).collect(),
                form: form(body, "/response_format", "/json_schema/schema"),
            },
            Api::Responses => Self {
                items: responses_items(body),
                tools: list(body, "tools").flat_map(responses_tools).collect(),
                form: form(body, "/text/format", "/schema"),
            },
            Api::Messages => Self {
                items: list(body, "messages").flat_map(messages_items).collect(),
                tools: list(body, "tools").filter_map(|tool| named(tool, &["input_schema"])).collect(),
                form: form(body, "/output_config/format", "/schema")
                    .or_else(|| form(body, "/output_format", "/schema")),
            },
            Api::Gemini => Self {
                items: list(body, "contents").flat_map(gemini_items).collect(),
                tools: list(body, "tools")
                    .flat_map(|tools| list(tools, "functionDeclarations"))
                    .filter_map(|tool| named(tool, &["parametersJsonSchema", "parameters"]))
                    .collect(),
                form: gemini_form(body),
            },
        }
    }
}

fn chat_item(message: &Value) -> Item {
    match text(message, "role") {
        "user" => Item::User(words(message.get("content"))),
        "tool" | "function" => Item::Result,
        _ => Item::Other,
    }
}

fn chat_tool(tool: &Value) -> Option<Tool> {
    let custom = tool.get("custom").and_then(|tool| named(tool, &[]));
    match custom {
        Some(custom) => Some(Tool { is_custom: true, ..custom }),
        None => named(tool.get("function")?, &["parameters"]),
    }
}

fn responses_items(body: &Value) -> Vec<Item> {
    if let Some(text) = body.get("input").and_then(Value::as_str) {
        return vec![Item::User(text.to_owned())];
    }
    let item = |item: &Value| match (text(item, "type"), text(item, "role")) {
        ("" | "message", "user") => Item::User(words(item.get("content"))),
        (kind, _) if kind.ends_with("_output") => Item::Result,
        _ => Item::Other,
    };
    list(body, "input").map(item).collect()
}

fn responses_tools(tool: &Value) -> Vec<Tool> {
    if text(tool, "type") == "namespace" {
        let namespace = tool.get("name").and_then(Value::as_str).map(str::to_owned);
        let inner = list(tool, "tools").flat_map(responses_tools);
        return inner.map(|tool| Tool { namespace: namespace.clone(), ..tool }).collect();
    }
    let is_custom = text(tool, "type") == "custom";
    named(tool, &["parameters"]).map(|tool| Tool { is_custom, ..tool }).into_iter().collect()
}

fn messages_items(message: &Value) -> Vec<Item> {
    if text(message, "role") != "user" {
        return vec![Item::Other];
    }
    let is_result = |part: &&Value| text(part, "type") == "tool_result";
    let mut items: Vec<Item> = list(message, "content").filter(is_result).map(|_| Item::Result).collect();
    items.push(Item::User(words(message.get("content"))));
    items
}

fn gemini_items(content: &Value) -> Vec<Item> {
    if text(content, "role") == "model" {
        return vec![Item::Other];
    }
    let is_result = |part: &&Value| part.get("functionResponse").is_some();
    let mut items: Vec<Item> = list(content, "parts").filter(is_result).map(|_| Item::Result).collect();
    items.push(Item::User(words(content.get("parts"))));
    items
}

fn gemini_form(body: &Value) -> Option<Value> {
    let config = body.get("generationConfig")?;
    if text(config, "responseMimeType") != "application/json" {
        return None;
    }
    let schema = config.get("responseJsonSchema").or_else(|| config.get("responseSchema"));
    Some(schema.cloned().unwrap_or_else(|| serde_json::json!({"type": "object"})))
}

/// Returns the schema of an answer that must be JSON.
fn form(body: &Value, at: &str, schema: &str) -> Option<Value> {
    let format = body.pointer(at)?;
    match text(format, "type") {
        "json_schema" => Some(format.pointer(schema).cloned().unwrap_or_default()),
        "json_object" => Some(serde_json::json!({"type": "object"})),
        _ => None,
    }
}

fn named(tool: &Value, schemas: &[&str]) -> Option<Tool> {
    let name = tool.get("name").or_else(|| tool.get("type"))?.as_str()?.to_owned();
    let schema = schemas.iter().find_map(|schema| tool.get(*schema)).cloned().unwrap_or_default();
    Some(Tool { name, namespace: None, schema, is_custom: false })
}

/// Returns the text of content: a string, or blocks of which some have text. The results of tools
/// are not the user's words.
fn words(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let is_words = |part: &&Value| text(part, "type") != "tool_result";
            let texts = parts.iter().filter(is_words).filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn list<'a>(value: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    value.get(member).and_then(Value::as_array).into_iter().flatten()
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}
