//! Transcripts of agents of version 2.

use acp_client::v1::{TerminalId, ToolCallId};
use acp_client::{Change, Entry, Transcript};
use serde_json::{Value, json};

use super::events::events;
use super::text;

/// Folds the events of these updates.
async fn folded(updates: &[Value]) -> (Transcript, Vec<Change>) {
    let mut transcript = Transcript::new();
    let changes = events(updates).await.0.into_iter().map(|event| transcript.fold(event)).collect();
    let read = Transcript::from_json(&transcript.to_json()).expect("what was written");
    assert_eq!(read, transcript);
    (transcript, changes)
}

fn said(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[expect(clippy::needless_pass_by_value, reason = "it is made at the call")]
fn replaced(kind: &str, id: &str, members: Value) -> Value {
    let mut update = json!({"sessionUpdate": kind, "messageId": id});
    update.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    update
}

/// Returns the kind and the text of each message.
fn messages(transcript: &Transcript) -> Vec<(&'static str, String)> {
    let message =
        |(_, entry): (usize, &'_ Entry)| entry.as_message().map(|said| (said.kind.as_str(), said.text()));
    transcript.entries().filter_map(message).collect()
}

#[tokio::test]
async fn messages_are_replaced_in_their_place() {
    let (transcript, changes) = folded(&[
        text("a", "one "),
        replaced("agent_thought", "a", json!({"content": [said("hm")]})),
        text("a", "two"),
        replaced(
            "agent_message",
            "a",
            json!({"content": [said("th"), said("ree")], "_meta": {"k": 1, "l": 2}}),
        ),
        text("a", "!"),
        replaced("agent_message", "a", json!({"_meta": {"k": null}})),
        replaced("agent_thought", "a", json!({"content": null})),
        replaced("agent_message", "b", json!({})),
        text("b", "late"),
    ])
    .await;
    let wanted = [("agent_message", "three!"), ("agent_thought", ""), ("agent_message", "late")];
    assert_eq!(messages(&transcript), wanted.map(|(kind, text)| (kind, text.to_owned())));
    let Some(Entry::Message(first)) = transcript.entry(0) else { panic!("a message") };
    let meta = first.meta.as_ref().expect("it has some");
    assert_eq!((meta.get("k"), meta.get("l").and_then(|value| value.as_i64())), (None, Some(2)));
    assert_eq!(first.content.len(), 1, "neighbouring texts are one block");
    let [_, _, _, Change::Updated(0), Change::Appended { entry: 0, block: 0, offset: 5 }, ..] = changes[..]
    else {
        panic!("{changes:?}")
    };
}

#[tokio::test]
async fn a_prompt_gets_the_id_that_the_agent_has_chosen() {
    let mut transcript = Transcript::new();
    transcript.prompt("hi");
    assert_eq!(transcript.prompt_id("m1"), Change::Updated(0));
    assert_eq!(transcript.prompt_id("m1"), Change::Nothing);
    let changed = replaced("user_message", "m1", json!({"content": [said("ho")]}));
    for event in events(&[changed]).await.0 {
        assert_eq!(transcript.fold(event), Change::Updated(0));
    }
    assert_eq!(messages(&transcript), [("user_message", "ho".to_owned())]);
    // A whole message that repeats the prompt is the prompt; another one is not.
    for (repeated, wanted) in [("hi", &["hi"][..]), ("ho", &["hi", "ho"])] {
        let mut transcript = Transcript::new();
        transcript.prompt("hi");
        let update = replaced("user_message", "m1", json!({"content": [said(repeated)]}));
        for event in events(&[update, text("a", "x")]).await.0 {
            transcript.fold(event);
        }
        let texts: Vec<_> = messages(&transcript).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts[..texts.len() - 1], *wanted, "{repeated}");
    }
}

#[tokio::test]
async fn tool_calls_are_patched_and_grow() {
    let call = |members: Value| {
        let mut update = json!({"sessionUpdate": "tool_call_update", "toolCallId": "c"});
        update.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        update
    };
    let chunk = |text: &str| {
        json!({"sessionUpdate": "tool_call_content_chunk", "toolCallId": "c",
               "content": {"type": "content", "content": said(text)}})
    };
    let (transcript, changes) = folded(&[
        chunk("early"),
        call(json!({"title": "Work", "name": "work", "rawInput": 1, "rawOutput": 2, "kind": "edit", "_meta": {"k": 1}})),
        chunk("a"),
        call(json!({"content": [{"type": "terminal", "terminalId": "t"}], "status": "paused"})),
        chunk("b"),
        call(json!({"name": null, "rawInput": null, "kind": null, "locations": null, "_meta": null})),
    ])
    .await;
    let id = ToolCallId::from("c");
    let run = transcript.tool_call(&id).expect("it is known");
    assert_eq!(
        serde_json::to_value(&run.call).unwrap(),
        json!({"toolCallId": "c", "title": "Work", "status": "paused", "rawOutput": 2,
               "content": [{"type": "terminal", "terminalId": "t"}, {"type": "content", "content": said("b")}]})
    );
    assert!(!run.is_cancelled);
    assert_eq!(changes[0], Change::Added(0));
    assert!(changes[1..].iter().all(|change| *change == Change::Updated(0)), "{changes:?}");
    // A status that is not known goes on, and `cancelled` is one.
    for (status, marks, is_cancelled) in
        [("paused", 1, true), ("_own", 1, true), ("cancelled", 0, true), ("failed", 0, false)]
    {
        let (mut transcript, _) = folded(&[call(json!({"status": status}))]).await;
        assert_eq!(transcript.cancel_tool_calls().len(), marks, "{status}");
        assert_eq!(transcript.tool_call(&id).map(|run| run.is_cancelled), Some(is_cancelled), "{status}");
    }
}

/// Bytes in base64.
fn data(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, index| bits << 8 | u32::from(*chunk.get(index).unwrap_or(&0)));
        for index in 0..4 {
            let letter = char::from(LETTERS[(bits >> (18 - 6 * index)) as usize & 63]);
            text.push(if index > chunk.len() { '=' } else { letter });
        }
    }
    text
}

fn output(bytes: &[u8]) -> Value {
    json!({"sessionUpdate": "terminal_output_chunk", "terminalId": "t", "data": data(bytes)})
}

#[expect(clippy::needless_pass_by_value, reason = "it is made at the call")]
fn terminal(members: Value) -> Value {
    let mut update = json!({"sessionUpdate": "terminal_update", "terminalId": "t"});
    update.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    update
}

#[tokio::test]
async fn output_of_a_terminal_is_the_same_however_it_was_cut() {
    let text = "naïve 漢字 🙂\x1b[0m\n";
    let id = TerminalId::from("t");
    for size in [1, 2, 3, 5, 100] {
        let chunks: Vec<_> = text.as_bytes().chunks(size).map(output).collect();
        let (transcript, changes) = folded(&chunks).await;
        assert!(changes.iter().all(|change| *change == Change::Terminal(0)), "{changes:?}");
        let terminal = transcript.terminal(&id).expect("it is known");
        assert_eq!((terminal.output(), &*terminal.text(), terminal.dropped()), (text.as_bytes(), text, 0));
        assert_eq!(transcript.entries().len(), 0, "it is no entry");
    }
    // A character that has only begun is not shown yet, and bytes that are none are replaced.
    for (bytes, shown) in
        [(&b"a\xc3"[..], "a"), (b"a\xf0\x9f", "a"), (b"a\xff", "a\u{fffd}"), (b"\xc3b", "\u{fffd}b")]
    {
        let (transcript, _) = folded(&[output(bytes)]).await;
        assert_eq!(transcript.terminal(&id).expect("it is known").text(), shown, "{bytes:?}");
    }
}

#[tokio::test]
async fn a_snapshot_takes_the_place_of_all_output() {
    let id = TerminalId::from("t");
    let (transcript, _) = folded(&[
        terminal(
            json!({"command": "ls", "cwd": "/work", "size": {"cols": 80, "rows": 24}, "_meta": {"k": 1}}),
        ),
        output(b"abc"),
        terminal(json!({"output": {"data": data(b"xy")}, "cwd": null})),
        output(b"z"),
        // What is not base64 is not reported.
        terminal(json!({"output": {"data": "?"}, "exitStatus": {"exitCode": -1, "signal": "SIGKILL"}})),
    ])
    .await;
    let shown = transcript.terminal(&id).expect("it is known");
    assert_eq!(
        (shown.text().as_ref(), shown.command.as_deref(), shown.cwd.as_deref()),
        ("xyz", Some("ls"), None)
    );
    let exit = shown.exit.as_ref().expect("it has ended");
    assert_eq!((exit.code, exit.signal.as_deref()), (Some(-1), Some("SIGKILL")));
    assert_eq!(shown.size.map(|size| (size.cols, size.rows)), Some((80, 24)));
    let (transcript, _) =
        folded(&[output(b"abc"), terminal(json!({"output": null, "exitStatus": {}}))]).await;
    let shown = transcript.terminal(&id).expect("it is known");
    assert!(shown.output().is_empty() && shown.exit.is_some());
}

#[tokio::test]
async fn memory_for_terminals_is_bounded() {
    const KEPT: usize = 1024 * 1024;
    let id = TerminalId::from("t");
    let piece = [b'a'; 100_000];
    let mut transcript = Transcript::new();
    for event in events(&[output("é".as_bytes()), output(&piece)]).await.0 {
        transcript.fold(event);
    }
    let [_, more] = &events(&[output(b"-"), output(&piece)]).await.0[..] else { panic!("two") };
    for count in 2..60 {
        transcript.fold(more.clone());
        let shown = transcript.terminal(&id).expect("it is known");
        let all = 2 + count * piece.len();
        assert_eq!(shown.output().len(), all.min(KEPT));
        assert_eq!(shown.dropped() as usize, all.saturating_sub(KEPT));
    }
    assert_eq!(transcript, Transcript::from_json(&transcript.to_json()).expect("what was written"));
    // With a limit the newest terminals stay.
    let mut transcript = Transcript::new().with_limit(2);
    for name in ["a", "b", "c"] {
        let mut update = output(name.as_bytes());
        update["terminalId"] = json!(name);
        for event in events(&[update]).await.0 {
            transcript.fold(event);
        }
    }
    let kept: Vec<_> =
        transcript.terminals().map(|(number, terminal)| (number, terminal.id.to_string())).collect();
    assert_eq!(kept, [(1, "b".to_owned()), (2, "c".to_owned())]);
    let read = Transcript::from_json(&transcript.to_json()).expect("what was written");
    assert_eq!(read, transcript);
    assert!(read.terminal(&TerminalId::from("a")).is_none());
}

#[tokio::test]
async fn named_plans_and_cleared_values() {
    let plan = |id: &str, text: &str| {
        let entries = json!([{"content": text, "priority": "low", "status": "cancelled"}]);
        json!({"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": id, "entries": entries}})
    };
    let tree = json!({"sessionUpdate": "plan_update", "plan": {"type": "_tree", "planId": "r", "root": 1}});
    let usage = |cost: Value| json!({"sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": cost});
    let info = |meta: Value| json!({"sessionUpdate": "session_info_update", "_meta": meta});
    let (transcript, _) = folded(&[
        plan("p", "one"),
        plan("q", "two"),
        tree,
        plan("q", "three"),
        usage(json!({"amount": 1.0, "currency": "USD"})),
        usage(Value::Null),
        info(json!({"k": 1})),
        info(Value::Null),
    ])
    .await;
    assert_eq!(transcript.plan().expect("there is one").entries[0].content, "one");
    let ids: Vec<_> = transcript.named_plans().iter().map(|plan| plan.id.as_str()).collect();
    assert_eq!(ids, ["q", "r"]);
    assert!(transcript.to_json().contains("three") && !transcript.to_json().contains("two"));
    assert_eq!(transcript.usage().expect("reported").cost, None);
    assert_eq!(transcript.meta(), None);
    // An agent may name any number of plans.
    let many: Vec<_> = (0..100).map(|number| plan(&format!("p{number}"), "x")).collect();
    let (transcript, _) = folded(&many).await;
    assert_eq!(transcript.named_plans().len(), 64);
    assert_eq!(transcript.named_plans()[63].id, "p99");
}
