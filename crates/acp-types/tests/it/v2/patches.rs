//! Patches: absence leaves, `null` clears, a value sets.

use acp_types::v2::{
    AgentMessage, CompactionUpdate, SessionInfoUpdate, TerminalUpdate, ToolCallStatus, ToolCallUpdate,
    UsageUpdate, UserMessage,
};
use acp_types::{FromNode, Maybe, from_str, to_string};
use serde_core::Serialize;

use super::again;

#[test]
fn a_tool_call_update_tells_three_states_apart() {
    let update: ToolCallUpdate =
        from_str(r#"{"toolCallId":"c","title":null,"status":"paused","rawInput":null,"locations":[]}"#)
            .unwrap();
    assert_eq!(update.name, Maybe::Absent);
    assert_eq!(update.title, Maybe::Null);
    assert_eq!(update.status, Maybe::Value(ToolCallStatus::Paused));
    assert_eq!(update.raw_input, Maybe::Null);
    assert_eq!(update.locations, Maybe::Value(Vec::new()));

    let (mut title, mut name) = (Some("Reading".to_owned()), Some("read".to_owned()));
    update.title.apply(&mut title);
    update.name.apply(&mut name);
    assert_eq!((title, name.as_deref()), (None, Some("read")));

    let update = ToolCallUpdate::new("c").title("Reading").content(Maybe::Null);
    assert_eq!(to_string(&update), r#"{"toolCallId":"c","title":"Reading","content":null}"#);
}

#[test]
fn what_is_malformed_changes_nothing() {
    let text = r#"{"toolCallId":"c","title":7,"status":{},"content":"x","capabilities":[],"_meta":1}"#;
    assert_eq!(again::<ToolCallUpdate>(text), r#"{"toolCallId":"c"}"#);
    let text = r#"{"toolCallId":"c","locations":[{"path":"/a"},{"path":1}]}"#;
    assert_eq!(again::<ToolCallUpdate>(text), r#"{"toolCallId":"c","locations":[{"path":"/a"}]}"#);
}

#[test]
fn meta_is_patched_too() {
    let update = |text: &str| from_str::<ToolCallUpdate>(text).unwrap().meta;
    assert_eq!(update(r#"{"toolCallId":"c"}"#), Maybe::Absent);
    assert_eq!(update(r#"{"toolCallId":"c","_meta":null}"#), Maybe::Null);
    // The key that is `null` must arrive, because the side that applies the patch removes it.
    let text = r#"{"toolCallId":"c","_meta":{"vendor/a":null,"vendor/b":1}}"#;
    assert_eq!(again::<ToolCallUpdate>(text), text);
}

type Again = fn(&str) -> String;

#[test]
fn every_patch_keeps_its_nulls() {
    fn row<T: FromNode + Serialize>(text: &'static str) -> (Again, &'static str) {
        (again::<T>, text)
    }
    for (again, text) in [
        row::<ToolCallUpdate>(
            r#"{"toolCallId":"c","name":null,"title":null,"kind":null,"status":null,"content":null,"locations":null,"rawInput":null,"rawOutput":null,"capabilities":null,"_meta":null}"#,
        ),
        row::<TerminalUpdate>(
            r#"{"terminalId":"t","command":null,"cwd":null,"output":null,"exitStatus":null,"size":null,"capabilities":null,"_meta":null}"#,
        ),
        row::<UserMessage>(r#"{"messageId":"m","content":null,"_meta":null}"#),
        row::<AgentMessage>(r#"{"messageId":"m","content":null,"_meta":null}"#),
        row::<SessionInfoUpdate>(r#"{"title":null,"updatedAt":null,"_meta":null}"#),
        row::<CompactionUpdate>(
            r#"{"compactionId":"c","status":"failed","summary":null,"error":null,"_meta":null}"#,
        ),
        row::<UsageUpdate>(r#"{"used":1,"size":2,"cost":null}"#),
    ] {
        assert_eq!(again(text), text);
    }
    // These are not patches: their `_meta` is a value, and `null` is not a value of it.
    assert_eq!(again::<UsageUpdate>(r#"{"used":1,"size":2,"_meta":null}"#), r#"{"used":1,"size":2}"#);
}
