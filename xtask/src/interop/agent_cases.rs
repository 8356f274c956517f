//! Other SDKs' clients against `echo_agent` and `coding_agent`.

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::case::{Action, Case, NOTES, Pairing, Peer};
use super::seen::{Seen, kind};

const ECHO: &str = "echo_agent";
const CODING: &str = "coding_agent";

/// A client that names a version its params do not have.
const NEWER: &str = "newer-client";

/// The task that the coding agent gets for `notes.txt`, and the text that it must produce.
const EDIT: &str = "replace `beta` with `BETA` in `notes.txt`";
const EDITED: &str = "alpha\nBETA\ngamma\n";

pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for peer in [Peer::TypeScript, Peer::RustSdk, Peer::Python] {
        cases.extend(ROWS.map(|(agent, name, scenario, check)| Case {
            peer,
            pairing: Pairing::OurAgent(agent),
            name,
            action: Action::Scenario(scenario),
            errors: if name == NEWER && peer != Peer::RustSdk { &[-32602] } else { &[] },
            check,
        }));
    }
    cases
}

type Row = (&'static str, &'static str, fn() -> Value, fn(&Seen) -> anyhow::Result<()>);

const ROWS: [Row; 12] = [
    (ECHO, "stream", || turns(&json!([{ "prompt": "hello, Grüße 🙂" }])), echo),
    (ECHO, "second-turn", || turns(&json!([{ "prompt": "one" }, { "prompt": "two" }])), echo_twice),
    (ECHO, NEWER, newer_client, negotiated),
    (ECHO, "cancel-idle", || turns(&json!([{ "prompt": "still here", "cancelBefore": true }])), echo_idle),
    (CODING, "read", || turns(&json!([{ "prompt": "read `notes.txt`" }])), read),
    (CODING, "allow", || edit(&json!({ "permission": "allow_once" })), allow),
    (CODING, "reject", || edit(&json!({ "permission": "reject_once" })), reject),
    (CODING, "no-fs", no_fs, without_files),
    (CODING, "cancel-streaming", || edit(&json!({ "cancelOn": "plan" })), cancelled),
    (CODING, "cancel-read", || edit(&json!({ "cancelOn": "read" })), cancelled),
    (CODING, "cancel-permission", || edit(&json!({ "cancelOn": "permission" })), cancelled_then_works),
    (CODING, "cancel-unanswered", cancel_unanswered, cancelled),
];

fn turns(turns: &Value) -> Value {
    json!({ "fs": true, "turns": turns })
}

/// One turn that edits `notes.txt`, with these members added.
fn edit(members: &Value) -> Value {
    let mut turn = members.clone();
    if let Some(turn) = turn.as_object_mut() {
        turn.insert("prompt".into(), EDIT.into());
    }
    turns(&json!([turn]))
}

fn newer_client() -> Value {
    json!({ "fs": true, "protocolVersion": 2, "turns": [{ "prompt": "hello" }] })
}

fn no_fs() -> Value {
    json!({ "fs": false, "turns": [{ "prompt": "read `notes.txt`" }] })
}

/// The client answers the permission request only after the turn is over.
fn cancel_unanswered() -> Value {
    edit(&json!({ "cancelOn": "permission", "holdAnswer": true }))
}

fn echo(seen: &Seen) -> anyhow::Result<()> {
    introduced(seen)?;
    seen.expect_understood()?;
    seen.expect_stops(&["end_turn"])?;
    let text = seen.text(0);
    ensure!(text.contains("hello, Grüße 🙂"), "the echo is {text:?}");
    Ok(())
}

fn echo_twice(seen: &Seen) -> anyhow::Result<()> {
    seen.expect_understood()?;
    seen.expect_stops(&["end_turn", "end_turn"])?;
    let (first, second) = (seen.text(0), seen.text(1));
    ensure!(first.contains("one") && second.contains("two"), "the echoes are {first:?} and {second:?}");
    Ok(())
}

fn echo_idle(seen: &Seen) -> anyhow::Result<()> {
    seen.expect_understood()?;
    seen.expect_stops(&["end_turn"])?;
    let text = seen.text(0);
    ensure!(text.contains("still here"), "the echo is {text:?}");
    Ok(())
}

/// The examples speak both versions here. The number 2 with the params of version 1 is refused, and
/// the client then agrees on version 1 over the connection that is there. The official Rust SDK
/// does not write that number into its params.
fn negotiated(seen: &Seen) -> anyhow::Result<()> {
    introduced(seen)?;
    seen.expect_stops(&["end_turn"])
}

fn read(seen: &Seen) -> anyhow::Result<()> {
    introduced(seen)?;
    seen.expect_understood()?;
    seen.expect_stops(&["end_turn"])?;
    seen.expect_permissions(&[])?;
    let path = seen.wire.params("fs/read_text_file")?.get("path").and_then(Value::as_str).unwrap_or_default();
    ensure!(path == seen.folder.join("notes.txt").to_string_lossy(), "the agent read {path:?}");
    seen.expect_file("notes.txt", NOTES)
}

fn allow(seen: &Seen) -> anyhow::Result<()> {
    seen.expect_understood()?;
    seen.expect_stops(&["end_turn"])?;
    seen.expect_permissions(&["allow_once"])?;
    seen.expect_file("notes.txt", EDITED)?;
    planned(seen)?;
    let (call, diff) = offered_diff(seen)?;
    let text = |member| diff.get(member).and_then(Value::as_str);
    ensure!(text("oldText") == Some(NOTES) && text("newText") == Some(EDITED), "the diff is {diff}");
    let status = seen.status_of(0, &call);
    ensure!(status.as_deref() == Some("completed"), "the edit ended as {status:?}");
    Ok(())
}

fn reject(seen: &Seen) -> anyhow::Result<()> {
    seen.expect_understood()?;
    seen.expect_stops(&["end_turn"])?;
    seen.expect_permissions(&["reject_once"])?;
    untouched(seen)?;
    let (call, _) = offered_diff(seen)?;
    let status = seen.status_of(0, &call);
    ensure!(status.as_deref() == Some("failed"), "the rejected edit ended as {status:?}");
    Ok(())
}

/// A capability that was not announced is not used.
fn without_files(seen: &Seen) -> anyhow::Result<()> {
    seen.expect_understood()?;
    seen.expect_stops(&["end_turn"])?;
    for method in ["fs/read_text_file", "fs/write_text_file"] {
        let calls = seen.wire.calls(method).count();
        ensure!(calls == 0, "{calls} {method} were sent to a client that does not serve it");
    }
    untouched(seen)
}

fn cancelled(seen: &Seen) -> anyhow::Result<()> {
    let cancels = seen.wire.calls("session/cancel").count();
    ensure!(cancels == 1, "the scenario sent {cancels} session/cancel: it did not come to the point of it");
    seen.expect_understood()?;
    seen.expect_stops(&["cancelled"])?;
    untouched(seen)
}

fn cancelled_then_works(seen: &Seen) -> anyhow::Result<()> {
    cancelled(seen)?;
    seen.expect_permissions(&["cancelled"])
}

fn introduced(seen: &Seen) -> anyhow::Result<()> {
    let result = seen.wire.results("initialize").next().context("initialize got no result")?;
    let version = result.get("protocolVersion").and_then(Value::as_u64);
    ensure!(version == Some(1), "the agent speaks protocol version {version:?}");
    for member in ["/agentInfo/name", "/agentInfo/version"] {
        ensure!(
            result.pointer(member).is_some_and(Value::is_string),
            "the initialize result has no {member}"
        );
    }
    Ok(())
}

fn untouched(seen: &Seen) -> anyhow::Result<()> {
    let writes = seen.wire.calls("fs/write_text_file").count();
    ensure!(writes == 0, "the agent wrote {writes} files without consent");
    seen.expect_file("notes.txt", NOTES)
}

/// Plans came, each with all its entries, and the last one has everything done.
fn planned(seen: &Seen) -> anyhow::Result<()> {
    let updates = seen.wire.updates(0);
    let plans = updates.iter().filter(|update| kind(update) == "plan");
    let plans: Vec<&Value> = plans.filter_map(|plan| plan.get("entries")).collect();
    ensure!(plans.len() > 1, "{} plan updates came, expected progress", plans.len());
    let last = plans.last().and_then(|entries| entries.as_array()).context("the plan has no entries")?;
    let done = |entry: &Value| entry.get("status").is_some_and(|status| status == "completed");
    ensure!(!last.is_empty() && last.iter().all(done), "the last plan is not done: {last:?}");
    Ok(())
}

/// The tool call that permission was asked for, and the diff that was shown for it before.
fn offered_diff(seen: &Seen) -> anyhow::Result<(String, Value)> {
    let asked = seen.wire.params("session/request_permission")?;
    let id = asked.pointer("/toolCall/toolCallId").and_then(Value::as_str).context("no toolCallId")?;
    let updates = seen.wire.updates(0);
    let of_call = updates.iter().filter(|update| update.get("toolCallId").is_some_and(|call| call == id));
    let shown = of_call.copied().chain(asked.get("toolCall"));
    let mut content = shown.filter_map(|update| update.get("content").and_then(Value::as_array)).flatten();
    let diff = content.rfind(|item| item.get("type").is_some_and(|kind| kind == "diff"));
    let diff = diff.with_context(|| format!("no diff was shown for {id}"))?;
    let path = diff.get("path").and_then(Value::as_str).unwrap_or_default();
    ensure!(path == seen.folder.join("notes.txt").to_string_lossy(), "the diff is for {path:?}");
    Ok((id.to_owned(), diff.clone()))
}
