//! The check of a message by the types of the protocol.

use acp_json::{Node, Report};
use acp_testkit::Definition;
use acp_types::{v1, v2};
use serde_json::{Value, json};

/// Returns the parts of a message that its type does not take, each as `path` and `says`. A response
/// is judged by the method of its request.
pub(super) fn findings(version: Option<u64>, method: &str, mut node: Node<'_>) -> Vec<Value> {
    let (name, methods) = match version {
        Some(2) => ("v2", v2::methods::METHODS),
        _ => ("v1", v1::methods::METHODS),
    };
    let Some(info) = methods.iter().find(|info| info.name == method) else { return Vec::new() };
    let (member, definition) = match (node.take("params"), node.take("result")) {
        (Some(params), _) => (params, Some(("params", info.params))),
        (None, Some(result)) => (result, info.response.map(|response| ("result", response))),
        (None, None) => return Vec::new(),
    };
    let Some((place, definition)) = definition else { return Vec::new() };
    let Ok(definition) = Definition::find(name, definition) else { return Vec::new() };
    let mut report = Report::default();
    match definition.round_trip(member, &mut report) {
        Ok(_) => report.notes().iter().map(|note| finding(place, &note.path, note.reason())).collect(),
        Err(error) => vec![finding(place, "", Some(error.to_string()))],
    }
}

fn finding(place: &str, path: &str, reason: Option<String>) -> Value {
    let says = reason.unwrap_or_else(|| {
        "the protocol has no such member; data of extensions goes into `_meta`".to_owned()
    });
    let path = path.replace(['.', '['], "/").replace(']', "");
    let path = format!("/{place}/{path}");
    json!({"path": path.trim_end_matches('/'), "says": says})
}
