//! A few words about a message: its content, as far as it fits beside the name.

use acp_json::Node;

/// The most characters.
const MOST: usize = 160;

/// Returns the words that tell a message from others of its method: those that were said, a title,
/// a path, or an error.
pub(super) fn about(node: &Node<'_>) -> Option<String> {
    let words = node.get("error").and_then(error).or_else(|| {
        let payload = node.get("params").or_else(|| node.get("result"))?;
        payload.get("update").and_then(update).or_else(|| of_payload(payload))
    })?;
    Some(words.chars().take(MOST).collect())
}

fn text<'n>(node: &'n Node<'_>, name: &str) -> Option<&'n str> {
    node.get(name).and_then(Node::as_str).filter(|text| !text.is_empty())
}

fn error(error: &Node<'_>) -> Option<String> {
    let code = error.get("code").and_then(Node::as_i64).map(|code| format!("{code}: ")).unwrap_or_default();
    Some(format!("{code}{}", text(error, "message")?))
}

fn update(update: &Node<'_>) -> Option<String> {
    let said = update.get("content").and_then(|content| text(content, "text"));
    let title = text(update, "title").or_else(|| text(update, "toolCallId"));
    let words = said.or(title).or_else(|| text(update, "currentModeId"))?;
    let status = text(update, "status").map(|status| format!(" ({status})")).unwrap_or_default();
    Some(format!("{words}{status}"))
}

/// The members of a payload that tell most, in the order in which they are looked for.
const TELLING: [&str; 8] =
    ["stopReason", "outcome", "path", "command", "title", "method", "sessionId", "terminalId"];

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
    TELLING.iter().find_map(|name| text(payload, name)).map(str::to_owned)
}
