//! Tool calls, their content, and changes to files.

use acp_client::v1::ToolCallContent;
use acp_client::{Event, FileChanges};
use serde_json::{Value, json};

use super::{bare, call, check, check_table, events, said, update};

#[tokio::test]
async fn the_first_news_of_a_tool_call_announces_it() {
    let content = json!([{"type": "content", "content": said("a")}, {"type": "terminal", "terminalId": "t"}]);
    let rows = vec![
        ("an id", vec![call(json!({}))], vec![bare()]),
        (
            "all members",
            vec![call(
                json!({"title": "Work", "name": "work", "kind": "edit", "status": "in_progress", "content": content,
                "locations": [{"path": "/a", "line": 3}], "rawInput": {"a": 1}, "rawOutput": [2], "_meta": {"k": 1}}),
            )],
            vec![json!({"ToolCall": {"toolCallId": "c", "title": "Work", "name": "work", "kind": "edit",
                "status": "in_progress", "content": content, "locations": [{"path": "/a", "line": 3}],
                "rawInput": {"a": 1}, "rawOutput": [2], "_meta": {"k": 1}}})],
        ),
        (
            "nothing is cleared of a new one",
            vec![call(
                json!({"title": null, "name": null, "rawInput": null, "content": null, "status": null}),
            )],
            vec![bare()],
        ),
        (
            "then it changes",
            vec![call(json!({})), call(json!({"title": "Work"})), call(json!({}))],
            vec![
                bare(),
                json!({"ToolCallUpdate": {"toolCallId": "c", "title": "Work"}}),
                json!({"ToolCallUpdate": {"toolCallId": "c"}}),
            ],
        ),
        (
            "statuses and kinds of version 2, and unknown ones",
            ["paused", "cancelled", "_own"]
                .map(|status| call(json!({"status": status, "kind": "_trip", "_x": 1})))
                .into(),
            vec![
                json!({"ToolCall": {"toolCallId": "c", "title": "", "status": "paused", "kind": "_trip"}}),
                json!({"ToolCallUpdate": {"toolCallId": "c", "status": "cancelled", "kind": "_trip"}}),
                json!({"ToolCallUpdate": {"toolCallId": "c", "status": "_own", "kind": "_trip"}}),
            ],
        ),
    ];
    check_table(rows, true).await;
}

#[tokio::test]
async fn null_clears_a_member_of_a_tool_call() {
    let cleared = |members: Value, update: Value, names: Option<&str>| {
        let mut update = update;
        update["toolCallId"] = json!("c");
        let mut wanted = vec![bare(), json!({"ToolCallUpdate": update})];
        wanted.extend(names.map(|names| json!({"Cleared": ["c", names]})));
        ("cleared", vec![call(json!({})), call(members)], wanted)
    };
    let rows = vec![
        cleared(json!({"content": null, "locations": null}), json!({"content": [], "locations": []}), None),
        cleared(json!({"content": [], "locations": []}), json!({"content": [], "locations": []}), None),
        cleared(json!({"kind": null, "status": null}), json!({"kind": "other", "status": "pending"}), None),
        cleared(
            json!({"title": null, "status": "completed"}),
            json!({"status": "completed"}),
            Some("[Title]"),
        ),
        cleared(
            json!({"name": null, "rawInput": null, "rawOutput": null, "_meta": null}),
            json!({}),
            Some("[Name, RawInput, RawOutput, Meta]"),
        ),
        cleared(json!({"capabilities": null}), json!({}), None),
    ];
    check_table(rows, true).await;
}

#[tokio::test]
async fn what_is_malformed_in_a_tool_call_is_left_out_by_itself() {
    let items = json!([{"type": "content"}, 1, {"type": "content", "content": said("a")}, {"type": "diff"},
        {"type": "_own", "x": 1}, {"type": "terminal"}]);
    let places = json!([{"path": 1}, {"path": "/a", "line": 0}]);
    let rows = vec![(
        "one by one",
        vec![call(
            json!({"title": 5, "status": [], "content": items, "locations": places, "capabilities": 3}),
        )],
        vec![json!({"ToolCall": {"toolCallId": "c", "title": "",
            "content": [{"type": "content", "content": said("a")}, {"type": "_own", "x": 1}],
            "locations": [{"path": "/a"}]}})],
    )];
    check_table(rows, false).await;
}

#[tokio::test]
async fn content_of_a_tool_call_grows_item_by_item() {
    let chunk = |item: &Value| update("tool_call_content_chunk", json!({"toolCallId": "c", "content": item}));
    let items = [
        json!({"type": "content", "content": said("a"), "_meta": {"k": 1}}),
        json!({"type": "terminal", "terminalId": "t"}),
        json!({"type": "diff", "changes": [{"operation": "delete", "path": "/a"}]}),
        json!({"type": "_own", "x": 1}),
    ];
    let wanted = items.iter().map(|item| json!({"ToolContent": ["c", item]})).collect();
    check_table(vec![("items", items.iter().map(chunk).collect(), wanted)], true).await;
    // It does not announce the call.
    let rows = vec![(
        "before the call",
        vec![chunk(&items[0]), call(json!({}))],
        vec![json!({"ToolContent": ["c", items[0]]}), bare()],
    )];
    check_table(rows, true).await;
}

#[tokio::test]
async fn changes_to_files_are_read_in_the_form_of_each_version() {
    let diff = json!({"type": "diff", "_meta": {"k": 1},
        "changes": [
            {"operation": "add", "path": "/new", "fileType": "text", "mimeType": "text/plain"},
            {"operation": "delete", "path": "/gone"}, {"operation": "modify", "path": "/a", "fileType": "_odd"},
            {"operation": "move", "oldPath": "/b", "path": "/c"}, {"operation": "copy", "oldPath": "/d", "path": "/e"},
            {"operation": "_touch", "path": "/f"},
        ],
        "patch": {"format": "git_patch", "text": "diff --git /a /a\n"}});
    let sent = update("tool_call_content_chunk", json!({"toolCallId": "c", "content": diff}));
    check(&sent);
    let (events, _) = events(&[sent]).await;
    let [Event::ToolContent { item, .. }] = events.as_slice() else { panic!("{events:?}") };
    let read = FileChanges::of(item).expect("it is a diff");
    let rows: Vec<_> = read
        .changes
        .iter()
        .map(|change| {
            let kind = change.file_type.as_deref();
            (format!("{:?}", change.operation), change.old_path.as_deref(), change.path.as_str(), kind)
        })
        .collect();
    let wanted = [
        ("Add", None, "/new", Some("text")),
        ("Delete", None, "/gone", None),
        ("Modify", None, "/a", Some("_odd")),
        ("Move", Some("/b"), "/c", None),
        ("Copy", Some("/d"), "/e", None),
        ("Unknown(\"_touch\")", None, "/f", None),
    ];
    assert_eq!(rows, wanted.map(|(operation, from, to, kind)| (operation.to_owned(), from, to, kind)));
    assert_eq!(read.changes[0].mime_type.as_deref(), Some("text/plain"));
    let patch = read.patch.expect("it has one");
    assert_eq!((patch.format.as_str(), patch.text.as_str()), ("git_patch", "diff --git /a /a\n"));
    assert!(read.meta.is_some());
    // Version 1 has one file with its texts.
    for (old, operation) in [(None, "Add"), (Some("o"), "Modify")] {
        let item: ToolCallContent =
            serde_json::from_value(json!({"type": "diff", "path": "/a", "oldText": old, "newText": "n"}))
                .unwrap();
        let read = FileChanges::of(&item).expect("it is a diff");
        assert_eq!((format!("{:?}", read.changes[0].operation).as_str(), read.patch), (operation, None));
    }
    let other: ToolCallContent =
        serde_json::from_value(json!({"type": "content", "content": said("a")})).unwrap();
    assert_eq!(FileChanges::of(&other), None);
}
