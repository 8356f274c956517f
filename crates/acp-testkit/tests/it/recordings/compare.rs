//! The differences of two conversations, as a table.

use acp_rpc::tap::{Record, Recording};
use acp_testkit::recordings::{Comparison, Conversation, Normal, Side};
use serde_json::{Value, json};

type Lines = Vec<(&'static str, Value)>;

fn call(id: impl Into<Value>, method: &str, params: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params.into()})
}

fn note(method: &str, params: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params.into()})
}

fn result(id: impl Into<Value>, result: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "result": result.into()})
}

fn chunk(session: &str, text: &str) -> Value {
    let content = json!({"type": "text", "text": text});
    note(
        "session/update",
        json!({"sessionId": session, "update": {"sessionUpdate": "agent_message_chunk", "content": content}}),
    )
}

/// Two sessions, whose turns overlap. `a` and `b` are their ids.
fn turns(a: &str, b: &str) -> Lines {
    let update = |session: &str, call: &str| {
        note(
            "session/update",
            json!({"sessionId": session, "update": {"sessionUpdate": "tool_call", "toolCallId": call}}),
        )
    };
    vec![
        ("out", call(0, "initialize", json!({"protocolVersion": 1}))),
        ("in", result(0, json!({"protocolVersion": 1}))),
        ("out", call(1, "session/new", json!({"cwd": "/"}))),
        ("out", call(2, "session/new", json!({"cwd": "/"}))),
        ("in", result(1, json!({"sessionId": a}))),
        ("in", result(2, json!({"sessionId": b}))),
        ("out", call(3, "session/prompt", json!({"sessionId": a}))),
        ("out", call(4, "session/prompt", json!({"sessionId": b}))),
        ("in", chunk(a, "one ")),
        ("in", chunk(a, "two")),
        ("in", update(a, "call-9")),
        ("in", update(b, "call-7")),
        (
            "in",
            call(
                "q",
                "session/request_permission",
                json!({"sessionId": a, "toolCall": {"toolCallId": "call-9"}}),
            ),
        ),
        ("out", result("q", json!({"outcome": {"outcome": "selected", "optionId": "yes"}}))),
        ("in", result(4, json!({"stopReason": "end_turn"}))),
        ("in", result(3, json!({"stopReason": "end_turn"}))),
        (
            "in",
            note(
                "session/update",
                json!({"sessionId": a, "update": {"sessionUpdate": "session_info_update", "updatedAt": "2026-11-27T14:00:00Z"}}),
            ),
        ),
    ]
}

/// Writes a recording as a tap does.
pub(super) fn recording(lines: &Lines) -> Vec<u8> {
    use std::time::{Duration, UNIX_EPOCH};
    let mut text = Vec::new();
    for (number, (direction, line)) in (1..).zip(lines) {
        let direction = if *direction == "in" { acp_rpc::Direction::In } else { acp_rpc::Direction::Out };
        let time = UNIX_EPOCH + Duration::from_millis(number);
        Record::write_line(&mut text, time, direction, line.to_string().as_bytes(), None);
    }
    text
}

fn read(lines: &Lines, normal: &Normal) -> Conversation {
    Conversation::read(Recording::new(&*recording(lines)), normal).unwrap()
}

fn compared(first: &Lines, second: &Lines, normal: &Normal) -> Vec<String> {
    let comparison = Comparison::of(&read(first, normal), &read(second, normal));
    assert_eq!(comparison.is_equal(), comparison.differences.is_empty());
    let short = |it: &acp_testkit::recordings::Difference| {
        let paths: Vec<&str> = it.changes.iter().map(|change| change.path.as_str()).collect();
        let place = it.session.as_deref().unwrap_or("connection");
        format!("{:?} {place} {} {} {} {}", it.kind, it.from, it.message, it.method, paths.join(" "))
            .trim_end()
            .to_owned()
    };
    comparison.differences.iter().map(short).collect()
}

#[test]
fn ids_times_and_the_order_of_independent_messages_do_not_count() {
    let plain = Normal::default();
    let first = turns("a", "b");
    assert_eq!(compared(&first, &turns("7f", "31"), &plain), [""; 0]);
    // Names that the other recording uses for the other session.
    assert_eq!(compared(&first, &turns("b", "a"), &plain), [""; 0]);
    let text = serde_json::to_string(&first).unwrap();
    let again: Vec<(String, Value)> = serde_json::from_str(
        &text
            .replace("call-9", "x")
            .replace("2026-11-27", "2027-01-01")
            .replace("\"q\"", "17")
            .replace("\"id\":3", "\"id\":\"three\""),
    )
    .unwrap();
    let mut again: Lines =
        again.into_iter().map(|(way, line)| (if way == "in" { "in" } else { "out" }, line)).collect();
    assert_eq!(compared(&first, &again, &plain), [""; 0]);
    // Answers of two sessions overtake each other, and so do updates of the two.
    again.swap(4, 5);
    again.swap(10, 11);
    again.swap(14, 15);
    assert_eq!(compared(&first, &again, &plain), [""; 0]);
    // The sides are told by the methods, whichever side has recorded.
    let other_side: Lines =
        first.iter().map(|(way, line)| (if *way == "in" { "out" } else { "in" }, line.clone())).collect();
    assert_eq!(compared(&first, &other_side, &plain), [""; 0]);
}

#[test]
fn each_difference_is_found_where_it_is() {
    let first = turns("a", "b");
    let edit = |change: &dyn Fn(&mut Lines)| {
        let mut lines = turns("a", "b");
        change(&mut lines);
        lines
    };
    type Change = Box<dyn Fn(&mut Lines)>;
    let set = |at: usize, path: &'static str, value: Value| -> Change {
        Box::new(move |lines: &mut Lines| *lines[at].1.pointer_mut(path).unwrap() = value.clone())
    };
    let table: [(Change, &[&str]); 11] = [
        (
            set(15, "/result/stopReason", json!("refusal")),
            &["Changed session-1 agent result session/prompt /result/stopReason"],
        ),
        (
            set(14, "/result/stopReason", json!("refusal")),
            &["Changed session-2 agent result session/prompt /result/stopReason"],
        ),
        (
            set(0, "/params/protocolVersion", json!(2)),
            &["Changed connection client request initialize /params/protocolVersion"],
        ),
        (
            set(1, "/result", json!({"protocolVersion": 1, "agentInfo": {"name": "x"}})),
            &["Changed connection agent result initialize /result/agentInfo"],
        ),
        (
            set(13, "/result/outcome/optionId", json!("no")),
            &["Changed session-1 client result session/request_permission /result/outcome/optionId"],
        ),
        (
            set(12, "/params/toolCall/toolCallId", json!("another")),
            &["Changed session-1 agent request session/request_permission /params/toolCall/toolCallId"],
        ),
        (
            set(9, "/params/update/content/text", json!("2")),
            &["Changed session-1 agent notification session/update /params/update/content/text"],
        ),
        (Box::new(|lines| drop(lines.remove(9))), &["Missing session-1 agent notification session/update"]),
        (
            Box::new(|lines| lines.insert(9, ("in", chunk("a", "more")))),
            &["Added session-1 agent notification session/update"],
        ),
        // Within a session the order of one side counts.
        (
            Box::new(|lines| lines.swap(9, 10)),
            &[
                "Missing session-1 agent notification session/update",
                "Added session-1 agent notification session/update",
            ],
        ),
        (
            Box::new(|lines| {
                lines[15].1 = json!({"jsonrpc": "2.0", "id": 3, "error": {"code": -1, "message": "no"}})
            }),
            &["Missing session-1 agent result session/prompt", "Added session-1 agent error session/prompt"],
        ),
    ];
    for (number, (change, expected)) in table.iter().enumerate() {
        let got = compared(&first, &edit(change), &Normal::default());
        let mut sorted = got.clone();
        sorted.sort();
        let mut wanted = expected.to_vec();
        wanted.sort_unstable();
        assert_eq!(sorted, wanted, "row {number}");
        // What one has more, the other has less.
        let back = compared(&edit(change), &first, &Normal::default());
        assert_eq!(back.len(), got.len(), "row {number}");
    }
}

#[test]
fn parts_can_be_left_out_and_texts_joined() {
    let first = turns("a", "b");
    let mut second = turns("a", "b");
    second[9].1["params"]["_meta"] = json!({"trace": 1});
    assert_eq!(compared(&first, &second, &Normal::default()).len(), 1);
    assert_eq!(compared(&first, &second, &Normal::default().ignore("_meta")), [""; 0]);
    assert_eq!(compared(&first, &second, &Normal::default().ignore("/params/_meta")), [""; 0]);
    let mut second = turns("a", "b");
    second.splice(8..10, [("in", chunk("a", "o")), ("in", chunk("a", "ne t")), ("in", chunk("a", "wo"))]);
    assert!(!compared(&first, &second, &Normal::default()).is_empty());
    assert_eq!(compared(&first, &second, &Normal::default().join_chunks()), [""; 0]);
    // A tool call between two pieces ends the text.
    second.swap(10, 11);
    assert!(!compared(&first, &second, &Normal::default().join_chunks()).is_empty());
}

#[test]
fn what_a_recorder_has_hidden_is_equal_to_any_text() {
    let with = |secret: Value| vec![("out", call(0, "initialize", json!({"token": secret, "n": 1})))];
    let plain = Normal::default();
    assert_eq!(compared(&with(json!("[redacted]")), &with(json!("x")), &plain), [""; 0]);
    assert_eq!(compared(&with(json!(7)), &with(json!("[redacted]")), &plain), [""; 0]);
    assert_eq!(compared(&with(json!("[redacted]")), &with(json!(null)), &plain).len(), 1);
    assert_eq!(compared(&with(json!("x")), &with(json!("y")), &plain).len(), 1);
}

#[test]
fn one_side_can_be_compared_alone_and_the_text_names_it_all() {
    let first = turns("a", "b");
    let mut second = turns("a", "b");
    second[13].1["result"]["outcome"]["optionId"] = json!("no");
    second[15].1["result"]["stopReason"] = json!("refusal");
    let [first, second] = [&first, &second].map(|lines| read(lines, &Normal::default()));
    let agent = Comparison::of_side(&first, &second, Side::Agent);
    assert_eq!((agent.differences.len(), agent.first), (1, 11));
    let expected = "\
session-1, from the agent:
  ~ result session/prompt (record 16 and 16)
      /result/stopReason
        - \"end_turn\"
        + \"refusal\"
1 difference in 11 and 11 messages";
    assert_eq!(agent.to_string(), expected);
    assert_eq!(agent.to_json()["differences"][0]["first"], 16);
}

#[test]
fn long_recordings_that_differ_everywhere_are_compared_in_time() {
    let lines =
        |word: &str| (0..10_000).map(|at| ("in", chunk("a", &format!("{word} {at}")))).collect::<Lines>();
    let begun = std::time::Instant::now();
    assert_eq!(compared(&lines("x"), &lines("y"), &Normal::default()).len(), 10_000);
    assert!(begun.elapsed() < std::time::Duration::from_secs(120), "{:?}", begun.elapsed());
}
