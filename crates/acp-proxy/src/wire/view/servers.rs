//! The MCP servers of a session: version 2 marks those of stdio, may leave lists out, and may have
//! servers of any kind.

use serde_json::{Value, json};

use super::members::{add, each, has, remove_text};

/// The member of the view with the servers that the type of version 1 cannot hold.
const OTHERS: &str = "_otherServers";

pub(super) fn to_v1(params: &mut Value) {
    add(params, "mcpServers", json!([]));
    hide_others(params);
    each(params, "mcpServers", |server| match server.get("type").and_then(Value::as_str) {
        Some("stdio") => {
            remove_text(server, "type", "stdio");
            add(server, "args", json!([]));
            add(server, "env", json!([]));
        }
        Some("http") => add(server, "headers", json!([])),
        _ => {}
    });
}

/// Takes servers of other kinds out of the list.
fn hide_others(params: &mut Value) {
    let is_known =
        |server: &Value| matches!(server.get("type").and_then(Value::as_str), Some("stdio" | "http"));
    let Value::Object(members) = params else { return };
    let Some(Value::Array(servers)) = members.get_mut("mcpServers") else { return };
    let (known, others): (Vec<Value>, Vec<Value>) = std::mem::take(servers).into_iter().partition(is_known);
    *servers = known;
    members.insert(OTHERS.to_owned(), Value::Array(others));
}

pub(super) fn to_v2(params: &mut Value) {
    let Value::Object(members) = params else { return };
    if let Some(Value::Array(others)) = members.remove(OTHERS)
        && !others.is_empty()
        && let Some(Value::Array(servers)) = members.get_mut("mcpServers")
    {
        servers.extend(others);
    }
    each(params, "mcpServers", |server| {
        if has(server, "command") {
            add(server, "type", json!("stdio"));
        }
    });
}
