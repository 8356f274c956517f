//! The events of each update of version 2. Every update that counts as well-formed here is what the
//! schema of version 2 allows.

use std::path::Path;
use std::sync::LazyLock;

use acp_client::v1::ToolCallContent;
use acp_client::{Cleared, Event, FileChanges, PlanContent, Session, TerminalChange};
use jsonschema::ValidatorMap;
use serde::Serialize;
use serde_json::{Value, json};

use super::{text, with_session};
use crate::common::Wire;

static SCHEMA: LazyLock<ValidatorMap> = LazyLock::new(|| {
    let file = if cfg!(feature = "unstable") { "schema.unstable.json" } else { "schema.json" };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/v2").join(file);
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::validator_map_for(&schema).unwrap()
});

/// Checks that the schema allows an update.
pub(super) fn check(update: &Value) {
    let params = json!({"sessionId": "s1", "update": update});
    let validator = SCHEMA.get("#/$defs/UpdateSessionNotification").expect("the schema has it");
    if let Err(error) = validator.validate(&params) {
        panic!("{error}: {params}");
    }
}

/// Sends updates, and returns their events.
async fn read(session: &Session, wire: &mut Wire, updates: &[Value]) -> Vec<Event> {
    let mut stream = session.updates();
    for update in updates {
        wire.update("s1", update.clone()).await;
    }
    wire.update("s1", text("m9", "mark")).await;
    let mut events = Vec::new();
    loop {
        let event = stream.next().await.expect("an event");
        if event.text() == Some("mark") {
            return events;
        }
        events.push(event);
    }
}

/// Returns the events of the updates of a fresh session, and the faults of the agent.
pub(super) async fn events(updates: &[Value]) -> (Vec<Event>, usize) {
    let (session, mut wire) = with_session().await;
    let events = read(&session, &mut wire, updates).await;
    (events, session.agent().faults().len())
}

fn of<T: Serialize>(name: &str, value: &T) -> Value {
    json!({name: value})
}

/// Returns the members of an event, by the name of its variant.
fn shown(event: &Event) -> Value {
    match event {
        Event::Message(chunk) => of("Message", chunk),
        Event::Thought(chunk) => of("Thought", chunk),
        Event::UserMessage(chunk) => of("UserMessage", chunk),
        Event::MessageReplaced { kind, id, content, meta, .. } => {
            let meta = format!("{meta:?}");
            let meta = meta.split(['(', '{']).next().unwrap_or_default();
            json!({"MessageReplaced": [kind.as_str(), id, content, meta]})
        }
        Event::ToolCall(call) => of("ToolCall", call),
        Event::ToolCallUpdate(update) => of("ToolCallUpdate", update),
        Event::ToolContent { id, item, .. } => json!({"ToolContent": [id, item]}),
        Event::Terminal { id, change, .. } => match &**change {
            TerminalChange::Output { bytes, .. } => json!({"Terminal": [id, bytes]}),
            other => json!({"Terminal": [id, format!("{other:?}")]}),
        },
        Event::Plan(plan) => of("Plan", plan),
        Event::NamedPlan { id, plan: PlanContent::Items(plan), .. } => json!({"NamedPlan": [id, plan]}),
        Event::NamedPlan { id, plan: PlanContent::Unknown(plan), .. } => {
            json!({"NamedPlan": [id, plan.tag(), plan.members()]})
        }
        Event::PlanRemoved { id, .. } => json!({"PlanRemoved": id}),
        Event::Commands(commands) => of("Commands", commands),
        Event::Config(options) => of("Config", options),
        Event::Info(info) => of("Info", info),
        Event::Usage(usage) => of("Usage", usage),
        Event::Cleared(Cleared::ToolCall { id, members, .. }) => {
            json!({"Cleared": [id, format!("{members:?}")]})
        }
        Event::Cleared(cleared) => json!({"Cleared": format!("{cleared:?}")}),
        Event::State(state) => json!({"State": format!("{:?}", state)}),
        Event::Unknown(unknown) => json!({"Unknown": [unknown.tag(), unknown.members()]}),
        other => panic!("not expected: {other:?}"),
    }
}

/// Compares the events of each row with those that are named. `are_allowed` is true if the schema
/// allows the updates.
async fn check_table(rows: Vec<(&str, Vec<Value>, Vec<Value>)>, are_allowed: bool) {
    for (name, updates, wanted) in rows {
        if are_allowed {
            updates.iter().for_each(check);
        }
        let (events, faults) = events(&updates).await;
        let shown: Vec<_> = events.iter().map(shown).collect();
        assert_eq!(shown, wanted, "{name}");
        assert_eq!(faults, 0, "{name}");
    }
}

fn update(kind: &str, members: Value) -> Value {
    let mut update = json!({"sessionUpdate": kind});
    update.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    update
}

fn call(members: Value) -> Value {
    let mut update = update("tool_call_update", members);
    update["toolCallId"] = json!("c");
    update
}

fn said(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// The event of a tool call of which only the id is known.
fn bare() -> Value {
    json!({"ToolCall": {"toolCallId": "c", "title": ""}})
}

#[tokio::test]
async fn messages_are_replaced_as_a_whole() {
    let rows = ["user_message", "agent_message", "agent_thought"].into_iter().flat_map(|kind| {
        let replaced = |members: Value, content: Value, meta: &str| {
            let mut sent = update(kind, members);
            sent["messageId"] = json!("m");
            (kind, vec![sent], vec![json!({"MessageReplaced": [kind, "m", content, meta]})])
        };
        [
            replaced(json!({"content": [said("a"), said("b")]}), json!([said("a"), said("b")]), "Absent"),
            replaced(json!({"content": [], "_meta": null}), json!([]), "Null"),
            replaced(json!({"content": null, "_meta": {"k": 1}}), json!([]), "Value"),
            replaced(json!({"_own": 1}), Value::Null, "Absent"),
        ]
    });
    check_table(rows.collect(), true).await;
    let malformed = json!([said("a"), {"type": "text"}, 5, {"type": "_own", "x": 1}, {}]);
    let sent = update("agent_message", json!({"messageId": "m", "content": malformed}));
    let kept = json!([said("a"), {"type": "_own", "x": 1}]);
    let wanted = json!({"MessageReplaced": ["agent_message", "m", kept, "Absent"]});
    check_table(vec![("one by one", vec![sent], vec![wanted])], false).await;
}

#[tokio::test]
async fn blocks_keep_their_members() {
    let note = json!({"audience": ["user", "_x"], "priority": 0.5, "lastModified": "2026-01-01T00:00:00Z", "_meta": {"a": 1}});
    let blocks = [
        json!({"type": "text", "text": "a", "annotations": note, "_meta": {"b": 1}}),
        json!({"type": "image", "data": "AA==", "mimeType": "image/png", "uri": "file:///a", "annotations": note}),
        json!({"type": "audio", "data": "AA==", "mimeType": "audio/wav", "_meta": {"b": 1}}),
        json!({"type": "resource_link", "name": "a", "uri": "file:///a", "title": "A", "description": "d", "mimeType": "text/plain", "size": 3, "annotations": note}),
        json!({"type": "resource", "resource": {"text": "t", "uri": "file:///a", "mimeType": "text/plain", "_meta": {"c": 1}}, "_meta": {"d": 1}}),
        json!({"type": "resource", "resource": {"blob": "AA==", "uri": "file:///a"}, "annotations": note}),
        json!({"type": "_own", "x": [1]}),
    ];
    let sent = update("agent_message", json!({"messageId": "m", "content": blocks}));
    let wanted = json!({"MessageReplaced": ["agent_message", "m", blocks, "Absent"]});
    check_table(vec![("blocks", vec![sent], vec![wanted])], true).await;
    let icon = json!({"type": "resource_link", "name": "a", "uri": "file:///a", "icons": [{"src": "https://a.test/i.png"}]});
    let sent = update("agent_message", json!({"messageId": "m", "content": [icon]}));
    let link = json!({"type": "resource_link", "name": "a", "uri": "file:///a"});
    let wanted = json!({"MessageReplaced": ["agent_message", "m", [link], "Absent"]});
    check_table(vec![("icons", vec![sent], vec![wanted])], true).await;
}

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

#[tokio::test]
async fn terminals_are_shown_as_their_bytes() {
    let terminal = |members: Value| {
        let mut update = update("terminal_update", members);
        update["terminalId"] = json!("t");
        update
    };
    let chunk = |data: &str| update("terminal_output_chunk", json!({"terminalId": "t", "data": data}));
    let sent = [
        terminal(
            json!({"command": "ls", "cwd": "/work", "output": {"data": "YQ=="}, "size": {"cols": 80, "rows": 24}}),
        ),
        chunk("w6k="),
        // A character in two pieces, each encoded by itself.
        chunk("ww=="),
        chunk("qQ=="),
        terminal(json!({"output": null, "cwd": null, "exitStatus": {}})),
        terminal(json!({"exitStatus": {"exitCode": -1, "signal": "SIGKILL"}, "_meta": {"k": 1}})),
    ];
    sent.iter().for_each(check);
    let (events, faults) = events(&sent).await;
    assert_eq!(faults, 0);
    let changes: Vec<_> = events
        .iter()
        .map(|event| match event {
            Event::Terminal { id, change, .. } if id.as_str() == "t" => &**change,
            other => panic!("{other:?}"),
        })
        .collect();
    let [
        TerminalChange::Updated(first),
        TerminalChange::Output { bytes, .. },
        TerminalChange::Output { bytes: begin, .. },
        TerminalChange::Output { bytes: end, .. },
        TerminalChange::Updated(cleared),
        TerminalChange::Updated(ended),
    ] = changes.as_slice()
    else {
        panic!("{changes:?}")
    };
    assert_eq!(first.command.value().map(String::as_str), Some("ls"));
    assert_eq!(first.cwd.value().map(String::as_str), Some("/work"));
    assert_eq!(first.output.value().map(Vec::as_slice), Some(&b"a"[..]));
    assert_eq!(first.size.value().map(|size| (size.cols, size.rows)), Some((80, 24)));
    assert!(first.exit.is_absent() && first.meta.is_absent());
    assert_eq!([bytes.as_slice(), begin.as_slice(), end.as_slice()], ["é".as_bytes(), &[0xc3], &[0xa9]]);
    assert!(cleared.output == acp_client::Maybe::Null && cleared.cwd == acp_client::Maybe::Null);
    assert!(cleared.command.is_absent() && cleared.size.is_absent());
    assert_eq!(cleared.exit.value().map(|exit| (exit.code, exit.signal.as_deref())), Some((None, None)));
    assert_eq!(
        ended.exit.value().map(|exit| (exit.code, exit.signal.as_deref())),
        Some((Some(-1), Some("SIGKILL")))
    );
    assert!(ended.meta.value().is_some());
}

#[tokio::test]
async fn plans_are_told_apart_by_their_ids() {
    let entry = |status: &str| json!({"content": "look", "priority": "_top", "status": status});
    let plan = |id: &str, entries: Value| {
        update("plan_update", json!({"plan": {"type": "items", "planId": id, "entries": entries}}))
    };
    let other = |id: &str| update("plan_update", json!({"plan": {"type": "_tree", "planId": id, "root": 1}}));
    let steps = json!([entry("cancelled"), entry("_own")]);
    let rows = vec![
        (
            "one",
            vec![plan("p", steps.clone()), plan("p", json!([]))],
            vec![json!({"Plan": {"entries": steps}}), json!({"Plan": {"entries": []}})],
        ),
        (
            "several",
            vec![plan("p", json!([])), plan("q", steps.clone()), plan("p", steps.clone()), other("q")],
            vec![
                json!({"Plan": {"entries": []}}),
                json!({"NamedPlan": ["q", {"entries": steps}]}),
                json!({"Plan": {"entries": steps}}),
                json!({"NamedPlan": ["q", "_tree", {"root": 1}]}),
            ],
        ),
        (
            "other content takes the place of steps",
            vec![plan("p", steps.clone()), other("p"), plan("p", steps.clone())],
            vec![
                json!({"Plan": {"entries": steps}}),
                json!({"Plan": {"entries": []}}),
                json!({"NamedPlan": ["p", "_tree", {"root": 1}]}),
                json!({"Plan": {"entries": steps}}),
                json!({"PlanRemoved": "p"}),
            ],
        ),
    ];
    check_table(rows, true).await;
    let malformed = json!([{"content": 1}, entry("pending"), 5]);
    let wanted = json!({"Plan": {"entries": [entry("pending")]}});
    check_table(vec![("one by one", vec![plan("p", malformed)], vec![wanted])], false).await;
}

#[cfg(feature = "unstable")]
#[tokio::test]
async fn plans_of_the_unstable_schema_are_named() {
    let plan = |plan: Value| update("plan_update", json!({"plan": plan}));
    let removed = |id: &str| update("plan_removed", json!({"planId": id}));
    let steps = plan(json!({"type": "items", "planId": "p", "entries": []}));
    let rows = vec![(
        "files and text",
        vec![
            steps.clone(),
            plan(json!({"type": "markdown", "planId": "q", "content": "# A"})),
            plan(json!({"type": "file", "planId": "r", "uri": "file:///plan.md"})),
            removed("q"),
            removed("p"),
        ],
        vec![
            json!({"Plan": {"entries": []}}),
            json!({"NamedPlan": ["q", "markdown", {"content": "# A"}]}),
            json!({"NamedPlan": ["r", "file", {"uri": "file:///plan.md"}]}),
            json!({"PlanRemoved": "q"}),
            json!({"Plan": {"entries": []}}),
        ],
    )];
    check_table(rows, true).await;
}

#[tokio::test]
async fn what_concerns_the_session_is_patched() {
    let usage = |members: Value| {
        let mut update = update("usage_update", members);
        update["used"] = json!(1);
        update["size"] = json!(9);
        update
    };
    let cost = json!({"amount": 1.5, "currency": "USD"});
    let rows = vec![
        (
            "a cost",
            vec![usage(json!({"cost": cost}))],
            vec![json!({"Usage": {"used": 1, "size": 9, "cost": cost}})],
        ),
        ("no cost", vec![usage(json!({}))], vec![json!({"Usage": {"used": 1, "size": 9}})]),
        (
            "a cost that is gone",
            vec![usage(json!({"cost": null}))],
            vec![json!({"Usage": {"used": 1, "size": 9}}), json!({"Cleared": "Cost"})],
        ),
        (
            "a title",
            vec![update("session_info_update", json!({"title": null, "_meta": {"k": 1}}))],
            vec![json!({"Info": {"title": null, "_meta": {"k": 1}}})],
        ),
        (
            "no data of extensions",
            vec![update("session_info_update", json!({"_meta": null}))],
            vec![json!({"Info": {}}), json!({"Cleared": "SessionMeta"})],
        ),
    ];
    check_table(rows, true).await;
}

#[tokio::test]
async fn states_have_the_work_in_the_background() {
    let state = |members: Value| update("state_update", members);
    let background = json!([{"type": "terminal", "terminalId": "t"}, {"type": "tool_call", "toolCallId": "c"}, {"type": "_job", "n": 1}]);
    let running = state(json!({"state": "running", "background": background}));
    check(&running);
    let malformed =
        state(json!({"state": "running", "background": [{"type": "terminal"}, {"type": "_job"}]}));
    let table = [
        (running, Some(3)),
        (state(json!({"state": "requires_action", "background": []})), Some(0)),
        (state(json!({"state": "idle"})), None),
        // One that is malformed may hide any work, so that none is reported.
        (malformed, None),
        (state(json!({"state": "_dreams", "background": background})), None),
    ];
    for (sent, wanted) in table {
        let (events, _) = events(&[sent.clone()]).await;
        let [Event::State(state)] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!(state.background.as_ref().map(Vec::len), wanted, "{sent}");
    }
}

#[tokio::test]
async fn unknown_kinds_are_kept_and_malformed_known_ones_refused() {
    let kept = update("_own", json!({"x": [1, {"y": null}], "_meta": {"k": 1}}));
    let wanted = json!({"Unknown": ["_own", {"x": [1, {"y": null}], "_meta": {"k": 1}}]});
    check_table(vec![("unknown", vec![kept], vec![wanted])], true).await;
    let refused = [
        update("agent_message", json!({"content": []})),
        update("tool_call_update", json!({"title": "Work"})),
        update("tool_call_content_chunk", json!({"toolCallId": "c"})),
        update("terminal_update", json!({"command": "ls"})),
        update("terminal_output_chunk", json!({"terminalId": "t", "data": "no base64"})),
        update("terminal_output_chunk", json!({"terminalId": "t"})),
        update("plan_update", json!({"plan": {"type": "items", "entries": []}})),
        update("plan_update", json!({"plan": {"type": "items", "planId": "p", "entries": null}})),
        update("plan_update", json!({"plan": {"type": "_tree"}})),
        update("config_option_update", json!({"configOptions": null})),
    ];
    for sent in refused {
        let (events, faults) = events(&[sent.clone()]).await;
        assert_eq!((events.len(), faults), (0, 1), "{sent}: {events:?}");
    }
}
