//! The line protocol of the binary `roundtrip`.

use acp_json::Node;

use super::round_trip;

/// Answers one line `{"version":"v1","def":"ContentBlock","value":…}` with `{"ok":<value written
/// again>}` or `{"error":"<message>"}`, without a line end. Returns `None` for a blank line.
///
/// ```
/// let line = br#"{"version":"v1","def":"Role","value":"user"}"#;
/// assert_eq!(acp_testkit::answer(line).as_deref(), Some(r#"{"ok":"user"}"#));
/// assert_eq!(acp_testkit::answer(b" \r\n"), None);
/// ```
#[must_use]
pub fn answer(line: &[u8]) -> Option<String> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return None;
    }
    Some(match written_again(line) {
        Ok(value) => format!(r#"{{"ok":{value}}}"#),
        Err(message) => format!(r#"{{"error":{}}}"#, acp_json::to_string(&message)),
    })
}

fn written_again(line: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(line).map_err(|error| format!("the line is not UTF-8: {error}"))?;
    let mut line = acp_json::parse(text).map_err(|error| format!("the line is {error}"))?;
    if !matches!(line, Node::Map(_)) {
        return Err(format!("the line must hold an object, not {}", line.kind()));
    }
    let value = line.take("value").ok_or("the line has no `value`")?;
    let text = |name| {
        let member = line.get(name).ok_or_else(|| format!("the line has no `{name}`"))?;
        member.as_str().ok_or_else(|| format!("`{name}` of the line must be a string, not {}", member.kind()))
    };
    round_trip(text("version")?, text("def")?, value).map_err(|failure| failure.to_string())
}
