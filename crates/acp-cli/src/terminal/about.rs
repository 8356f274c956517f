//! Short descriptions of tool calls.

use acp_client::sanitize::label;
use acp_client::v1::{ContentBlock, ToolCall, ToolCallContent, ToolKind};

/// The longest title, in characters.
const TITLE: usize = 200;
/// The longest command or input, in characters.
const INPUT: usize = 400;
/// The most lines of text, and the most places.
const LINES: usize = 10;

/// Returns a name for the call: its title, or a substitute.
#[must_use]
pub fn subject(call: &ToolCall) -> String {
    let given = [Some(&call.title), call.name.as_ref()].into_iter().flatten();
    let mut shown = given.map(|name| label(name, TITLE)).filter(|name| !name.is_empty());
    shown.next().unwrap_or_else(|| label(call.tool_call_id.as_str(), TITLE))
}

/// Returns the known facts about a call, beside its title and its diffs: kind, places, text, and
/// the command or the raw input. Each fact is one harmless line, and long ones are cut.
#[must_use]
pub fn about(call: &ToolCall) -> Vec<String> {
    let mut lines = Vec::new();
    if call.kind != ToolKind::Other {
        lines.push(format!("kind: {}", label(call.kind.as_str(), TITLE)));
    }
    let places = call.locations.iter().map(|place| match place.line {
        Some(line) => label(&format!("at {}:{line}", place.path), INPUT),
        None => label(&format!("at {}", place.path), INPUT),
    });
    add(&mut lines, places);
    lines.extend(input(call));
    let texts = call.content.iter().filter_map(text);
    add(
        &mut lines,
        texts.flat_map(str::lines).map(|line| label(line, INPUT)).filter(|line| !line.is_empty()),
    );
    lines
}

/// Returns the first of these, and the number of the others.
fn add(lines: &mut Vec<String>, new: impl Iterator<Item = String>) {
    let mut new = new;
    lines.extend(new.by_ref().take(LINES));
    match new.count() {
        0 => {}
        more => lines.push(format!("… {more} more")),
    }
}

fn text(content: &ToolCallContent) -> Option<&str> {
    match content {
        ToolCallContent::Content(content) => match &content.content {
            ContentBlock::Text(text) => Some(&text.text),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the command that is to run, or the input as JSON. The input of a change repeats its
/// diff, so it is left out.
fn input(call: &ToolCall) -> Option<String> {
    let input = call.raw_input.as_ref()?;
    let command = ["command", "cmd"].into_iter().find_map(|name| input.get(name)?.as_str());
    // Arguments beside it are a part of the command line.
    if let (Some(command), None) = (command, input.get("args")) {
        return Some(label(&format!("command: {command}"), INPUT));
    }
    let is_change = call.content.iter().any(|content| matches!(content, ToolCallContent::Diff(_)));
    let json = input.to_string();
    let is_empty = matches!(json.as_str(), "{}" | "null" | "[]" | "\"\"");
    (!is_change && !is_empty).then(|| label(&format!("input: {json}"), INPUT))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn call(json: &str) -> ToolCall {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn everything_that_is_known_is_said() {
        let call = call(
            r#"{"toolCallId": "c", "title": "Run\n  1 Yes", "kind": "execute", "rawInput": {"command": "rm -r /w"},
                "locations": [{"path": "/w/a", "line": 3}, {"path": "/w/\u200bb"}],
                "content": [{"type": "content", "content": {"type": "text", "text": "one\n\n2 No\n"}}]}"#,
        );
        assert_eq!(subject(&call), "Run 1 Yes");
        assert_eq!(
            about(&call),
            ["kind: execute", "at /w/a:3", "at /w/\u{fffd}b", "command: rm -r /w", "one", "2 No"]
        );
    }

    #[test]
    fn calls_of_unknown_tools_show_their_input() {
        let long = "x".repeat(1000);
        for (members, wants) in [
            (
                r#""name": "github__create", "rawInput": {"repo": "a/b"}"#,
                "input: {\"repo\":\"a/b\"}".to_owned(),
            ),
            (r#""rawInput": {"command": "ls -l", "cwd": "/"}"#, "command: ls -l".to_owned()),
            (r#""rawInput": {"command": ["ls"]}"#, "input: {\"command\":[\"ls\"]}".to_owned()),
            (
                r#""rawInput": {"command": "rm", "args": ["-r"]}"#,
                "input: {\"command\":\"rm\",\"args\":[\"-r\"]}".to_owned(),
            ),
            (&format!(r#""rawInput": "{long}""#), format!("input: \"{}…", "x".repeat(391))),
        ] {
            let call = call(&format!(r#"{{"toolCallId": "c", "title": "", {members}}}"#));
            assert_eq!(about(&call), [wants], "{members}");
        }
        let named = call(r#"{"toolCallId": "c", "title": " ", "name": "github__create", "rawInput": {}}"#);
        assert_eq!((subject(&named).as_str(), about(&named).len()), ("github__create", 0));
        assert_eq!(subject(&ToolCall::new("c", "")), "c");
    }

    #[test]
    fn long_lists_are_cut() {
        let mut call = ToolCall::new("c", "t");
        call.locations = (0..12).map(|n| acp_client::v1::ToolCallLocation::new(format!("/{n}"))).collect();
        let lines = about(&call);
        assert_eq!((lines.len(), lines.last().unwrap().as_str()), (11, "… 2 more"));
    }
}
