//! A few words about a message: its content, as far as it fits beside the name.

use acp_json::Node;

/// The most characters.
pub(super) const MOST: usize = 160;

/// The members of a payload that tell most, in the order in which they are looked for.
const TELLING: [&str; 9] =
    ["stopReason", "path", "command", "title", "modeId", "method", "terminalId", "output", "sessionId"];

/// Returns the words that tell a message from others of its method: those that were said, a title,
/// a path, or an error.
pub(super) fn about(node: &Node<'_>) -> Option<String> {
    let words = match node.get("error") {
        Some(error) => of_error(error),
        None => {
            let payload = node.get("params").or_else(|| node.get("result"))?;
            payload.get("update").map_or_else(|| of_payload(payload), of_update)
        }
    };
    Some(words?.chars().take(MOST).collect())
}

fn text<'n>(node: &'n Node<'_>, name: &str) -> Option<&'n str> {
    node.get(name).and_then(Node::as_str).filter(|text| !text.is_empty())
}

fn of_error(error: &Node<'_>) -> Option<String> {
    let code = error.get("code").and_then(Node::as_i64).map(|code| format!("{code}: ")).unwrap_or_default();
    Some(format!("{code}{}", text(error, "message")?))
}

fn of_update(update: &Node<'_>) -> Option<String> {
    if let Some(Node::Seq(entries)) = update.get("entries") {
        let is_done = |entry: &&Node<'_>| text(entry, "status") == Some("completed");
        return Some(format!("{} of {} done", entries.iter().filter(is_done).count(), entries.len()));
    }
    if let Some(used) = update.get("used").and_then(Node::as_u64) {
        let size = update.get("size").and_then(Node::as_u64).map(|size| format!(" of {size}"));
        return Some(format!("{used}{} tokens", size.unwrap_or_default()));
    }
    let said = update.get("content").and_then(|content| text(content, "text"));
    let titled = || text(update, "title").or_else(|| text(update, "toolCallId"));
    let words =
        said.or_else(titled).or_else(|| text(update, "currentModeId")).or_else(|| text(update, "state"));
    let status = text(update, "status").map(|status| format!(" ({status})")).unwrap_or_default();
    Some(format!("{}{status}", words?))
}

fn of_payload(payload: &Node<'_>) -> Option<String> {
    if let Some(Node::Seq(blocks)) = payload.get("prompt") {
        return blocks.iter().find_map(|block| text(block, "text")).map(str::to_owned);
    }
    if let Some(title) = payload.get("toolCall").and_then(|call| text(call, "title")) {
        return Some(title.to_owned());
    }
    if let Some(outcome) = payload.get("outcome") {
        let chosen = text(outcome, "optionId").or_else(|| text(outcome, "outcome"));
        return chosen.map(str::to_owned);
    }
    if let Some(version) = payload.get("protocolVersion").and_then(Node::as_u64) {
        let side = ["clientInfo", "agentInfo", "info"].iter().find_map(|name| payload.get(name));
        let name = side.and_then(|side| text(side, "name")).unwrap_or_default();
        return Some(format!("version {version} {name}").trim_end().to_owned());
    }
    if let Some(code) = payload.get("exitCode").and_then(Node::as_i64) {
        return Some(format!("exit code {code}"));
    }
    TELLING.iter().find_map(|name| text(payload, name)).map(str::to_owned)
}
