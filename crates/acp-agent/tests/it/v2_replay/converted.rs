//! Updates of version 2 that have no counterpart, as a client of version 1 gets them.

use std::sync::Arc;

use acp_agent::store::{MemoryStore, Record, RecordKind, SessionStore};
use acp_agent::types::SessionInfo;
use serde_json::{Value, json};

use super::{echo, replay};

/// Replays a session of version 2 with these updates to a client of version 1.
async fn converted(updates: &[Value]) -> Vec<Value> {
    let store: Arc<dyn SessionStore> = Arc::new(MemoryStore::new(1024 * 1024));
    let mut log = store.create(SessionInfo::new("s", "/work")).await.unwrap();
    let records = updates.iter().map(|update| Record::new(RecordKind::UpdateV2, update.to_string()).unwrap());
    log.append(records.collect()).await.unwrap();
    drop(log);
    replay(|| echo(Arc::clone(&store)), 1, "s").await
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn item(of: &str) -> Value {
    json!({"type": "content", "content": text(of)})
}

fn patch(members: Value) -> Value {
    let mut update = json!({"sessionUpdate": "tool_call_update", "toolCallId": "t"});
    let Value::Object(members) = members else { panic!("{members}") };
    update.as_object_mut().unwrap().extend(members);
    update
}

fn piece(kind: &str, id: &str, of: &str) -> Value {
    json!({"sessionUpdate": kind, "content": text(of), "messageId": id})
}

#[tokio::test]
async fn whole_messages_are_pieces() {
    let whole =
        |kind: &str, content: Value| json!({"sessionUpdate": kind, "messageId": "m", "content": content});
    let updates = [
        whole("user_message", json!([text("u")])),
        whole("agent_message", json!([text("a"), text("b")])),
        whole("agent_thought", json!([text("t")])),
        json!({"sessionUpdate": "agent_message", "messageId": "m"}),
        whole("agent_message", json!(null)),
        whole("agent_message", json!([])),
        piece("agent_message_chunk", "n", "c"),
        whole("agent_message", json!([text("other")])),
        piece("agent_message_chunk", "m", "more"),
        piece("agent_thought_chunk", "m", "hm"),
        json!({"sessionUpdate": "agent_message", "messageId": "m"}),
        whole("agent_message", json!([text("again")])),
    ];
    assert_eq!(
        converted(&updates).await,
        [
            piece("user_message_chunk", "m", "u"),
            piece("agent_message_chunk", "m", "a"),
            piece("agent_message_chunk", "m", "b"),
            piece("agent_thought_chunk", "m", "t"),
            piece("agent_message_chunk", "n", "c"),
            // It replaces the message, which is there already.
            piece("agent_message_chunk", "m_8", "other"),
            piece("agent_message_chunk", "m_8", "more"),
            piece("agent_thought_chunk", "m", "hm"),
            piece("agent_message_chunk", "m_12", "again"),
        ]
    );
}

#[tokio::test]
async fn tool_calls_are_made_and_changed() {
    let chunk = |of: &str| json!({"sessionUpdate": "tool_call_content_chunk", "toolCallId": "t", "content": item(of)});
    let updates = [
        patch(json!({"kind": "_dream", "status": "paused", "rawInput": 1})),
        patch(json!({"capabilities": {"cancel": {}}})),
        chunk("a"),
        chunk("b"),
        patch(json!({"title": null, "kind": null, "locations": null, "rawInput": null, "status": null})),
        patch(json!({"status": "_odd"})),
        patch(json!({"content": null})),
        chunk("c"),
        patch(json!({"status": "cancelled"})),
    ];
    assert_eq!(
        converted(&updates).await,
        [
            json!({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "other", "status": "in_progress",
                   "rawInput": 1}),
            patch(json!({"content": [item("a")]})),
            patch(json!({"content": [item("a"), item("b")]})),
            patch(json!({"kind": "other", "locations": [], "status": "pending"})),
            patch(json!({"status": "in_progress"})),
            patch(json!({"content": []})),
            patch(json!({"content": [item("c")]})),
            patch(json!({"status": "failed"})),
        ]
    );
}

#[tokio::test]
async fn changes_of_files_are_diffs_or_patches() {
    let diff = |changes: Value, patch: Option<&str>| {
        let mut diff = json!({"type": "diff", "changes": changes});
        if let Some(text) = patch {
            diff["patch"] = json!({"format": "git_patch", "text": text});
        }
        diff
    };
    let added = "diff --git /n /n\nnew file mode 100644\n--- /dev/null\n+++ /n\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n";
    let add = |path: &str| json!({"operation": "add", "path": path, "fileType": "text"});
    let updates = [patch(json!({"title": "Write", "content": [
        diff(json!([add("/n")]), Some(added)),
        diff(json!([{"operation": "delete", "path": "/d"}]), None),
        diff(json!([{"operation": "modify", "path": "/m"}]), Some("@@ -1 +1 @@\n-```\n+x\n")),
        diff(json!([add("/a"), {"operation": "move", "oldPath": "/b", "path": "/c"}]), None),
    ]}))];
    assert_eq!(
        converted(&updates).await[0]["content"],
        json!([
            {"type": "diff", "path": "/n", "newText": "a\nb"},
            {"type": "diff", "path": "/d", "newText": ""},
            item("````diff\n@@ -1 +1 @@\n-```\n+x\n````"),
            item("add /a\nmove /c"),
        ])
    );
}

#[tokio::test]
async fn terminals_are_their_last_output() {
    let shows = |ids: &[&str]| -> Value {
        ids.iter().map(|id| json!({"type": "terminal", "terminalId": id})).collect()
    };
    let output = |id: &str, data: &str| json!({"sessionUpdate": "terminal_output_chunk", "terminalId": id, "data": data});
    let updates = [
        json!({"sessionUpdate": "terminal_update", "terminalId": "one", "command": "make"}),
        patch(json!({"title": "Build", "content": shows(&["one", "two"])})),
        // An umlaut and an escape sequence, each in two pieces.
        output("one", "gone"),
        json!({"sessionUpdate": "terminal_update", "terminalId": "one", "output": {"data": "ww=="}}),
        output("one", "vBtbMw=="),
        output("one", "MW14Cg=="),
        json!({"sessionUpdate": "terminal_update", "terminalId": "one", "exitStatus": {"exitCode": -1}}),
        patch(json!({"status": "completed"})),
        output("two", "aGk="),
        json!({"sessionUpdate": "terminal_update", "terminalId": "two", "exitStatus": {"signal": "KILL"}}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "u", "title": "Watch", "content": shows(&["three"])}),
        output("three", "aGk="),
    ];
    let one = "```\nüx\nexit code -1\n```";
    assert_eq!(
        converted(&updates).await,
        [
            json!({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Build",
                   "content": [item("(terminal)"), item("(terminal)")]}),
            patch(json!({"status": "completed", "content": [item(one), item("(terminal)")]})),
            patch(json!({"content": [item(one), item("```\nhi\nended by signal KILL\n```")]})),
            json!({"sessionUpdate": "tool_call", "toolCallId": "u", "title": "Watch", "content": [item("(terminal)")]}),
            // What is left at the end.
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "u", "content": [item("```\nhi\n```")]}),
        ]
    );
}

#[tokio::test]
async fn a_terminal_without_end_costs_no_more_than_is_shown() {
    let data = "eHh4".repeat(32 * 1024);
    let mut updates =
        vec![patch(json!({"title": "Build", "content": [{"type": "terminal", "terminalId": "t"}]}))];
    let output = json!({"sessionUpdate": "terminal_output_chunk", "terminalId": "t", "data": data});
    updates.extend([output.clone(), output]);
    let converted = converted(&updates).await;
    let shown = converted.last().unwrap()["content"][0]["content"]["text"].as_str().unwrap().to_owned();
    assert_eq!(shown.len(), 64 * 1024 + "```\n\n```".len());
}

#[tokio::test]
async fn other_updates_have_the_form_of_version_1_or_none() {
    let state = |state: &str| json!({"sessionUpdate": "state_update", "state": state});
    let entries = json!([{"content": "a", "priority": "high", "status": "pending"}]);
    let updates = [
        state("running"),
        json!({"sessionUpdate": "notice", "severity": "info", "title": "soon"}),
        json!({"sessionUpdate": "config_option_update", "configOptions": []}),
        json!({"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": entries}}),
        json!({"sessionUpdate": "available_commands_update", "availableCommands": [
            {"type": "command", "name": "a", "description": "A", "input": {"type": "text", "hint": "h"}},
            {"type": "command", "name": "b", "description": "B", "input": {"type": "_form"}},
            {"type": "_macro", "name": "c", "description": "C"}]}),
        json!({"sessionUpdate": "session_info_update", "title": "T"}),
        json!({"sessionUpdate": "usage_update", "used": 1, "size": 2}),
        json!({"sessionUpdate": "compaction_update", "compactionId": "k", "status": "completed"}),
        json!({"sessionUpdate": "compaction_summary_chunk", "compactionId": "k", "content": text("s")}),
        state("idle"),
    ];
    assert_eq!(
        converted(&updates).await,
        [
            json!({"sessionUpdate": "plan", "entries": entries}),
            json!({"sessionUpdate": "available_commands_update", "availableCommands": [
                {"name": "a", "description": "A", "input": {"hint": "h"}}, {"name": "b", "description": "B"}]}),
            updates[5].clone(),
            updates[6].clone(),
            updates[7].clone(),
            updates[8].clone(),
        ]
    );
}

#[tokio::test]
async fn a_record_that_is_not_read_leaves_the_others() {
    let updates = [
        json!({"sessionUpdate": "agent_message_chunk"}),
        json!({"sessionUpdate": "tool_call_update"}),
        json!({"sessionUpdate": "terminal_update", "terminalId": 5}),
        json!({"sessionUpdate": "agent_message", "messageId": "m", "content": [5]}),
        json!([]),
        json!({"sessionUpdate": "available_commands_update", "availableCommands": 5}),
        piece("agent_message_chunk", "n", "c"),
    ];
    assert_eq!(converted(&updates).await.pop(), Some(piece("agent_message_chunk", "n", "c")));
}

/// The names by which a store of another kind keeps the records.
#[test]
fn the_version_of_a_record_is_a_part_of_its_kind() {
    use acp_agent::types::ProtocolVersion;
    for (kind, name, version) in [
        (RecordKind::Update, "update", ProtocolVersion::V1),
        (RecordKind::UpdateV2, "update_v2", ProtocolVersion::V2),
        (RecordKind::Prompt, "prompt", ProtocolVersion::V1),
    ] {
        assert_eq!((kind.name(), kind.version(), RecordKind::of_name(name)), (name, version, Some(kind)));
        assert!(!kind.is_state());
    }
}
