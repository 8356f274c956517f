//! Transcripts: the entries that updates make.

mod generator;
mod permission;
mod properties;
mod sessions;
mod view;

use acp_client::v1::{ContentBlock, SessionNotification, SessionUpdate};
use acp_client::{Change, Transcript};
use serde_json::{Value, json};

fn update(update: Value) -> SessionUpdate {
    serde_json::from_value(update).expect("an update")
}

/// Returns the entries that these updates make, one line for each.
fn lines(updates: impl IntoIterator<Item = Value>) -> Vec<String> {
    let mut transcript = Transcript::new();
    for value in updates {
        transcript.fold(update(value));
    }
    entries(&transcript)
}

fn entries(transcript: &Transcript) -> Vec<String> {
    let whole: Value = serde_json::from_str(&transcript.to_json()).expect("JSON");
    whole["entries"].as_array().expect("a list").iter().map(entry).collect()
}

fn entry(entry: &Value) -> String {
    let texts = |blocks: &Value| -> Vec<String> {
        let text = |block: &Value| block["text"].as_str().unwrap_or("?").to_owned();
        blocks.as_array().map(|blocks| blocks.iter().map(text).collect()).unwrap_or_default()
    };
    let kind = entry["type"].as_str().filter(|_| entry["sessionUpdate"].is_null());
    match kind {
        Some("tool_call") => {
            let cancelled = if entry["isCancelled"] == true { " cancelled" } else { "" };
            let status = entry["status"].as_str().unwrap_or("pending");
            format!("tool {} {} '{status}'{cancelled}", entry["toolCallId"], entry["title"])
        }
        Some("compaction") => format!("compaction {} {:?}", entry["status"], texts(&entry["summary"])),
        Some("missed") => format!("missed {}", entry["count"]),
        Some(kind) => format!("{kind} {:?}", texts(&entry["content"])),
        None => format!("unknown {}", entry["sessionUpdate"]),
    }
    .replace('"', "'")
}

fn piece(kind: &str, id: &str, text: &str) -> Value {
    let id = if id.is_empty() { Value::Null } else { json!(id) };
    json!({"sessionUpdate": kind, "messageId": id, "content": {"type": "text", "text": text}})
}

fn said(text: &str) -> Value {
    piece("agent_message_chunk", "", text)
}

fn tool(id: &str, members: Value) -> Value {
    let Value::Object(members) = members else { panic!("members are an object") };
    let mut update = json!({"sessionUpdate": "tool_call_update", "toolCallId": id});
    update.as_object_mut().expect("an object").extend(members);
    update
}

#[test]
fn pieces_become_messages() {
    let agent = |id, text| piece("agent_message_chunk", id, text);
    let thought = |id, text| piece("agent_thought_chunk", id, text);
    let user = |id, text| piece("user_message_chunk", id, text);
    let image = || {
        json!({"sessionUpdate": "agent_message_chunk",
            "content": {"type": "image", "data": "AA==", "mimeType": "image/png"}})
    };
    let usage = || json!({"sessionUpdate": "usage_update", "used": 1, "size": 2});
    let notice = || json!({"sessionUpdate": "notice", "severity": "info", "title": "busy"});
    let unknown = || json!({"sessionUpdate": "_x/heartbeat", "type": "message"});
    let cases = [
        (vec![said("a"), said("b")], vec!["agent_message ['ab']"]),
        (
            vec![said("a"), thought("", "b"), said("c")],
            vec!["agent_message ['a']", "agent_thought ['b']", "agent_message ['c']"],
        ),
        // An id joins pieces that stand apart.
        (
            vec![agent("1", "a"), user("2", "b"), agent("1", "c"), agent("3", "d")],
            vec!["agent_message ['ac']", "user_message ['b']", "agent_message ['d']"],
        ),
        // One id for a thought and its answer.
        (
            vec![thought("1", "a"), agent("1", "b"), thought("1", "c")],
            vec!["agent_thought ['ac']", "agent_message ['b']"],
        ),
        (
            vec![agent("1", "a"), said("b"), said("c"), agent("1", "d")],
            vec!["agent_message ['ad']", "agent_message ['bc']"],
        ),
        (
            vec![said("a"), tool("t", json!({})), said("b"), tool("t", json!({"title": "T"})), said("c")],
            vec!["agent_message ['a']", "tool 't' 'T' 'pending'", "agent_message ['bc']"],
        ),
        (vec![said("a"), image(), said("b"), said("c")], vec!["agent_message ['a', '?', 'bc']"]),
        // Updates outside of the conversation do not separate its entries.
        (
            vec![said("a"), usage(), notice(), unknown(), said("b")],
            vec!["agent_message ['ab']", "unknown '_x/heartbeat'"],
        ),
        (
            vec![said("a"), thought("", ""), said("b"), thought("9", "")],
            vec!["agent_message ['ab']", "agent_thought []"],
        ),
    ];
    for (updates, expected) in cases {
        assert_eq!(lines(updates.clone()), expected, "{updates:?}");
    }
}

#[test]
fn texts_that_differ_in_more_than_text_stay_apart() {
    let mut transcript = Transcript::new();
    for (text, members) in
        [("a", json!({})), ("b", json!({"annotations": {"priority": 1.0}})), ("c", json!({}))]
    {
        let mut value = said(text);
        value["content"]
            .as_object_mut()
            .expect("an object")
            .extend(members.as_object().expect("one").clone());
        value["_meta"] = json!({text: 1, "last": text});
        transcript.fold(update(value));
    }
    assert_eq!(entries(&transcript), ["agent_message ['a', 'b', 'c']"]);
    let message = transcript.entry(0).and_then(|entry| entry.as_message()).expect("a message");
    assert_eq!(message.text(), "abc");
    let meta = serde_json::to_value(message.meta.as_ref().expect("has data")).expect("JSON");
    assert_eq!(meta, json!({"a": 1, "b": 1, "c": 1, "last": "c"}));
}

#[test]
fn tool_calls_are_kept_by_id() {
    let call = |members: Value| {
        let mut call = tool("t", members);
        call["sessionUpdate"] = json!("tool_call");
        call
    };
    let diff = json!([{"type": "diff", "path": "/a", "newText": "x"}]);
    let places = json!([{"path": "/a", "line": 3}]);
    let full = json!({"toolCallId": "t", "title": "T", "name": "edit", "kind": "edit", "status": "completed",
        "content": diff, "locations": places, "rawInput": {"n": 1}, "rawOutput": 7, "_meta": {"a": 1, "b": 2}});
    let cases = [
        // Never announced.
        vec![
            tool(
                "t",
                json!({"title": "T", "name": "edit", "kind": "edit", "_meta": {"a": 1}, "rawInput": {"n": 1}}),
            ),
            tool("t", json!({"content": diff, "status": "in_progress", "_meta": {"b": 2}})),
            tool("t", json!({"locations": places, "status": "completed", "rawOutput": 7, "title": null})),
        ],
        // Announced at first.
        vec![
            call(
                json!({"title": "?", "rawInput": {"n": 0}, "content": [{"type": "terminal", "terminalId": "x"}]}),
            ),
            tool(
                "t",
                json!({"title": "T", "name": "edit", "kind": "edit", "content": diff, "rawInput": {"n": 1}}),
            ),
            tool(
                "t",
                json!({"locations": places, "status": "completed", "rawOutput": 7, "_meta": {"a": 1, "b": 2}}),
            ),
        ],
        // Announced after the question for permission.
        vec![
            tool(
                "t",
                json!({"status": "completed", "kind": "edit", "locations": places, "_meta": {"a": 0, "b": 2}}),
            ),
            call(
                json!({"title": "T", "name": "edit", "content": diff, "rawInput": {"n": 1}, "_meta": {"a": 1}}),
            ),
            tool("t", json!({"rawOutput": 7})),
        ],
    ];
    for updates in cases {
        let mut transcript = Transcript::new();
        let changes: Vec<Change> =
            updates.iter().map(|value| transcript.fold(update(value.clone()))).collect();
        assert_eq!(changes, [Change::Added(0), Change::Updated(0), Change::Updated(0)]);
        let run = transcript.tool_call(&"t".into()).expect("it is there");
        assert_eq!(serde_json::to_value(&run.call).expect("JSON"), full, "{updates:?}");
    }
}

#[test]
fn a_cancel_marks_what_is_unfinished_until_it_is_finished() {
    let mut transcript = Transcript::new();
    for (id, status) in [("a", "pending"), ("b", "in_progress"), ("c", "completed"), ("d", "failed")] {
        transcript.fold(update(tool(id, json!({"status": status}))));
    }
    assert_eq!(transcript.cancel_tool_calls(), [Change::Updated(0), Change::Updated(1)]);
    assert_eq!(transcript.cancel_tool_calls(), []);
    transcript.fold(update(tool("a", json!({"status": "in_progress"}))));
    transcript.fold(update(tool("b", json!({"status": "failed"}))));
    assert_eq!(
        entries(&transcript),
        [
            "tool 'a' '' 'in_progress' cancelled",
            "tool 'b' '' 'failed'",
            "tool 'c' '' 'completed'",
            "tool 'd' '' 'failed'",
        ]
    );
    assert_eq!(Transcript::from_json(&transcript.to_json()).expect("reads"), transcript);
}

#[test]
fn compactions_are_patched_in_their_place() {
    let state = |members: Value| {
        let mut update =
            json!({"sessionUpdate": "compaction_update", "compactionId": "c", "status": "in_progress"});
        update.as_object_mut().expect("an object").extend(members.as_object().expect("one").clone());
        update
    };
    let summary = |text: &str| {
        json!({"sessionUpdate": "compaction_summary_chunk", "compactionId": "c",
            "content": {"type": "text", "text": text}})
    };
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let cases = [
        (vec![summary("a"), said("-"), summary("b")], "compaction 'in_progress' ['ab']"),
        (
            vec![state(json!({})), said("-"), summary("a"), state(json!({"status": "completed"}))],
            "compaction 'completed' ['a']",
        ),
        (
            vec![summary("a"), said("-"), state(json!({"summary": text("b"), "status": "new"}))],
            "compaction 'new' ['b']",
        ),
        (
            vec![summary("a"), said("-"), state(json!({"summary": null, "status": "failed"}))],
            "compaction 'failed' []",
        ),
        (vec![summary("a"), said("-"), state(json!({"summary": []}))], "compaction 'in_progress' []"),
    ];
    for (updates, expected) in cases {
        assert_eq!(lines(updates.clone()), [expected, "agent_message ['-']"], "{updates:?}");
    }
}

#[test]
fn what_goes_for_the_session_is_replaced_or_patched() {
    let mut transcript = Transcript::new();
    let changes: Vec<Change> = [
        json!({"sessionUpdate": "plan", "entries": [{"content": "1", "priority": "low", "status": "pending"}]}),
        json!({"sessionUpdate": "plan", "entries": []}),
        json!({"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "n", "description": "d"}]}),
        json!({"sessionUpdate": "current_mode_update", "currentModeId": "m"}),
        json!({"sessionUpdate": "config_option_update", "configOptions":
            [{"id": "b", "name": "B", "type": "boolean", "currentValue": true}]}),
        json!({"sessionUpdate": "usage_update", "used": 1, "size": 9, "cost": {"amount": 0.5, "currency": "EUR"}}),
        json!({"sessionUpdate": "usage_update", "used": 2, "size": 9}),
        json!({"sessionUpdate": "session_info_update", "title": "T", "updatedAt": "2026-01-01T00:00:00Z", "_meta": {"a": 1}}),
        json!({"sessionUpdate": "session_info_update", "updatedAt": null, "_meta": {"b": 2}}),
        json!({"sessionUpdate": "notice", "severity": "loud", "title": "N"}),
    ]
    .map(|value| transcript.fold(update(value)))
    .into();
    assert_eq!(
        changes,
        [
            Change::Plan,
            Change::Plan,
            Change::Commands,
            Change::Mode,
            Change::Config,
            Change::Usage,
            Change::Usage,
            Change::Info,
            Change::Info,
            Change::Notice,
        ]
    );
    assert_eq!(transcript.plan().map(|plan| plan.entries.len()), Some(0));
    assert_eq!(transcript.commands().iter().map(|command| &*command.name).collect::<Vec<_>>(), ["n"]);
    assert_eq!(transcript.mode().map(|mode| mode.as_str()), Some("m"));
    assert_eq!(
        transcript.config_options().iter().map(|option| option.id.as_str()).collect::<Vec<_>>(),
        ["b"]
    );
    let usage = transcript.usage().expect("reported");
    assert_eq!((usage.used, usage.cost.as_ref().map(|cost| cost.amount)), (2, Some(0.5)));
    assert_eq!((transcript.title(), transcript.updated_at()), (Some("T"), None));
    assert_eq!(serde_json::to_value(transcript.meta()).expect("JSON"), json!({"a": 1, "b": 2}));
    assert_eq!(transcript.notices().map(|notice| &*notice.title).collect::<Vec<_>>(), ["N"]);
    assert_eq!(transcript.entries().len(), 0);
    assert_eq!(Transcript::from_json(&transcript.to_json()).expect("reads"), transcript);
}

#[test]
fn a_prompt_that_the_agent_repeats_is_there_once() {
    let user = |text: &str| piece("user_message_chunk", "", text);
    let named = |text: &str| piece("user_message_chunk", "u", text);
    let cases = [
        (vec![], vec!["user_message ['hello']"]),
        (vec![user("hello"), said("a")], vec!["user_message ['hello']", "agent_message ['a']"]),
        (vec![user("he"), user(""), user("llo")], vec!["user_message ['hello']"]),
        // From then on it has the prompt's id.
        (
            vec![named("hel"), named("lo"), said("a"), named("!")],
            vec!["user_message ['hello!']", "agent_message ['a']"],
        ),
        (vec![user("hello and more")], vec!["user_message ['hello and more']"]),
        (vec![user("he"), user("lp")], vec!["user_message ['hello']", "user_message ['help']"]),
        (
            vec![said("a"), user("hello")],
            vec!["user_message ['hello']", "agent_message ['a']", "user_message ['hello']"],
        ),
    ];
    for (updates, expected) in cases {
        let mut transcript = Transcript::new();
        assert_eq!(transcript.prompt("hello"), Change::Added(0));
        for value in updates.clone() {
            transcript.fold(update(value));
        }
        assert_eq!(entries(&transcript), expected, "{updates:?}");
    }
    let mut transcript = Transcript::new();
    transcript.prompt([
        ContentBlock::text("a"),
        ContentBlock::text("b"),
        ContentBlock::link("n", "file:///n"),
    ]);
    transcript.prompt("again");
    assert_eq!(entries(&transcript), ["user_message ['ab', '?']", "user_message ['again']"]);
}

#[test]
fn a_notification_of_another_session_is_not_taken_in() {
    let mut transcript = Transcript::new();
    for (session, text) in [("mine", "a"), ("other", "b"), ("mine", "c")] {
        let change = transcript.fold_notification(SessionNotification::new(session, update(said(text))));
        assert_eq!(change == Change::Nothing, session == "other");
    }
    assert_eq!(transcript.session_id().map(|id| id.as_str()), Some("mine"));
    assert_eq!(entries(&transcript), ["agent_message ['ac']"]);
}

#[test]
fn with_a_limit_the_oldest_go_and_numbers_stay() {
    let mut transcript = Transcript::new().with_limit(2);
    for id in ["a", "b", "c", "a", "c"] {
        transcript.fold(update(tool(id, json!({"title": id}))));
        transcript.fold(update(json!({"sessionUpdate": "notice", "severity": "info", "title": id})));
    }
    // `a` had been dropped, so it is a new entry; `c` had not.
    assert_eq!(entries(&transcript), ["tool 'c' 'c' 'pending'", "tool 'a' 'a' 'pending'"]);
    assert_eq!(transcript.entries().map(|(number, _)| number).collect::<Vec<_>>(), [2, 3]);
    assert!(transcript.entry(1).is_none() && transcript.entry(4).is_none());
    assert_eq!(transcript.notices().len(), 2);
    let mut again = Transcript::from_json(&transcript.to_json()).expect("reads");
    assert_eq!(again, transcript);
    assert_eq!(again.fold(update(tool("d", json!({})))), Change::Added(4));
    assert_eq!(again.entries().len(), 2);
}

#[test]
fn what_is_no_transcript_is_refused_by_path() {
    let cases = [
        ("[]", "expected an object"),
        ("{}", "`entries`"),
        (r#"{"entries": [{"type": "poem"}]}"#, "`entries[0].type`"),
        (r#"{"entries": [{"type": "agent_message"}]}"#, "`entries[0].content`"),
        (r#"{"entries": [], "first": -1}"#, "`first`"),
        (r#"{"entries": [], "echo": {"type": "missed", "count": 1}}"#, "`echo`"),
    ];
    for (text, expected) in cases {
        let error = Transcript::from_json(text).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}
