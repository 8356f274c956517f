//! Members of JSON that say how a program is started.

use std::collections::BTreeMap;

use acp_json::Node;

/// Returns a member that is text.
pub(crate) fn text(node: &Node<'_>, name: &str) -> Option<String> {
    node.get(name).and_then(Node::as_str).map(str::to_owned)
}

/// Returns a list of texts. It is empty if the member is missing.
pub(crate) fn texts(node: &Node<'_>, name: &str) -> Result<Vec<String>, String> {
    let all = match node.get(name) {
        None | Some(Node::Null) => Some(Vec::new()),
        Some(Node::Seq(items)) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        Some(_) => None,
    };
    all.ok_or_else(|| format!("`{name}` must be a list of texts"))
}

/// Returns the member `env`: texts by name.
pub(crate) fn environment(node: &Node<'_>) -> Result<BTreeMap<String, String>, String> {
    let all = match node.get("env") {
        None | Some(Node::Null) => Some(BTreeMap::new()),
        Some(Node::Map(members)) => {
            members.iter().map(|(name, value)| Some((name.to_string(), value.as_str()?.to_owned()))).collect()
        }
        Some(_) => None,
    };
    all.ok_or_else(|| "`env` must be texts by name".to_owned())
}
