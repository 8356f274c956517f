//! The checks of the cases about version 2: of the messages on the wire, and of the reports.

use std::collections::BTreeSet;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::case::NOTES;
use super::seen::{Seen, is_of_the_session, kind};
use super::version_cases::EDIT;

/// The text that [`EDIT`] must produce.
const EDITED: &str = "alpha\nBETA\ngamma\n";

/// Checks that `client_v2` and the agent have agreed on version 2, and that the turns ended so.
fn ended(seen: &Seen, stops: &[&str]) -> anyhow::Result<()> {
    no_error(seen)?;
    speaks(seen, 2)?;
    let faults = seen.report.get("faults");
    ensure!(faults == Some(&json!([])), "the client found faults: {faults:?}");
    let told = seen.report.get("turns").and_then(Value::as_array).context("the report has no turns")?;
    let told: Vec<Option<&str>> =
        told.iter().map(|turn| turn.get("stopReason").and_then(Value::as_str)).collect();
    ensure!(told.iter().flatten().eq(stops.iter()), "the client saw the turns end with {told:?}");
    seen.expect_stops(stops)
}

fn no_error(seen: &Seen) -> anyhow::Result<()> {
    let error = seen.report.get("error");
    ensure!(error.is_none(), "the client met an error: {error:?}");
    Ok(())
}

fn speaks(seen: &Seen, version: u64) -> anyhow::Result<()> {
    let spoken = seen.wire.version();
    ensure!(spoken == Some(version), "version {spoken:?} is spoken, not {version}");
    Ok(())
}

/// A member of a turn in the report of `client_v2`.
fn told<'a>(seen: &'a Seen, pointer: &str) -> anyhow::Result<&'a Value> {
    seen.report.pointer(pointer).with_context(|| format!("the report has no {pointer}: {}", seen.report))
}

pub(super) fn stream(seen: &Seen) -> anyhow::Result<()> {
    ended(seen, &["end_turn"])?;
    let text = told(seen, "/turns/0/text")?;
    ensure!(text == "one two three", "the client understood {text}");
    let entries = told(seen, "/turns/0/transcript/entries")?.to_string();
    ensure!(entries.contains(r#""status":"completed""#), "the tool call did not end: {entries}");
    ensure!(entries.contains("notes.txt"), "the content of the tool call is lost: {entries}");
    let known = ["user_message", "agent_message", "tool_call"].map(|kind| format!(r#""type":"{kind}""#));
    let count = told(seen, "/turns/0/transcript/entries")?.as_array().map_or(0, Vec::len);
    let shown: usize = known.iter().map(|kind| entries.matches(kind.as_str()).count()).sum();
    ensure!(shown == count, "the client does not know all that it was sent: {entries}");
    Ok(())
}

/// The text that came last is the message.
pub(super) fn replace(seen: &Seen) -> anyhow::Result<()> {
    ended(seen, &["end_turn"])?;
    let entries = told(seen, "/turns/0/transcript/entries")?.to_string();
    ensure!(entries.contains("second"), "the new text is lost: {entries}");
    ensure!(!entries.contains("first"), "the old text is still there: {entries}");
    Ok(())
}

pub(super) fn permission_once(seen: &Seen) -> anyhow::Result<()> {
    answered(seen, "allow_once", "answer: opt-yes")
}

pub(super) fn permission_always(seen: &Seen) -> anyhow::Result<()> {
    answered(seen, "allow_always", "answer: opt-always")
}

pub(super) fn permission_reject(seen: &Seen) -> anyhow::Result<()> {
    answered(seen, "reject_once", "answer: opt-no")
}

fn answered(seen: &Seen, answer: &str, text: &str) -> anyhow::Result<()> {
    ended(seen, &["end_turn"])?;
    seen.expect_permissions(&[answer])?;
    let told_text = told(seen, "/turns/0/text")?;
    ensure!(told_text == text, "the agent understood {told_text}");
    let states = told(seen, "/turns/0/states")?.to_string();
    ensure!(states.contains("requires_action"), "the client never saw that it is waited for: {states}");
    Ok(())
}

pub(super) fn cancel(seen: &Seen) -> anyhow::Result<()> {
    ended(seen, &["cancelled"])?;
    let cancels = seen.wire.calls("session/cancel").count();
    ensure!(cancels == 1, "{cancels} session/cancel were sent");
    Ok(())
}

pub(super) fn cancel_permission(seen: &Seen) -> anyhow::Result<()> {
    cancel(seen)?;
    seen.expect_permissions(&["cancelled"])
}

pub(super) fn sessions(seen: &Seen) -> anyhow::Result<()> {
    ended(seen, &["end_turn", "end_turn"])?;
    let list = told(seen, "/list")?;
    ensure!(list == &json!([seen.session()]), "the client listed {list}");
    for done in ["/resume", "/close"] {
        ensure!(told(seen, done)? == true, "the report has {done} as {}", told(seen, done)?);
    }
    let replay = told(seen, "/replay/transcript/entries")?.to_string();
    for text in ["stream", "one two three", "second"] {
        ensure!(replay.contains(text), "{text:?} is not in the replay: {replay}");
    }
    let resumes: Vec<_> = seen.wire.calls("session/resume").collect();
    let from = |index: usize| resumes.get(index).map(|call| call.json.pointer("/params/replayFrom/type"));
    ensure!(from(0) == Some(None), "a plain resumption asks for a replay");
    ensure!(from(1) == Some(Some(&"start".into())), "the replay is not asked for from the start");
    Ok(())
}

/// Nothing is lost, so the connection is kept.
pub(super) fn fallback(seen: &Seen) -> anyhow::Result<()> {
    fell_back(seen, 1)?;
    let text = told(seen, "/turns/0/text")?;
    ensure!(text == "one two three", "the client understood {text}");
    Ok(())
}

/// The agent has to hear of the file system, which version 2 has not: it is started again.
pub(super) fn fallback_with_files(seen: &Seen) -> anyhow::Result<()> {
    fell_back(seen, 2)?;
    seen.expect_file("copy.txt", &NOTES.to_uppercase())
}

fn fell_back(seen: &Seen, asked: usize) -> anyhow::Result<()> {
    no_error(seen)?;
    speaks(seen, 1)?;
    seen.expect_stops(&["end_turn"])?;
    let requests = seen.wire.calls("initialize").count();
    ensure!(requests == asked, "initialize was sent {requests} times, expected {asked}");
    let faults = told(seen, "/faults")?.to_string();
    ensure!(faults.contains("version 1 only"), "the fallback is not reported: {faults}");
    Ok(())
}

/// The scripted client finished, and its SDK understood every update of the turns, in the agent's
/// order. Updates of the session itself may come at any time.
fn understood(seen: &Seen, stops: &[&str]) -> anyhow::Result<()> {
    no_error(seen)?;
    speaks(seen, 2)?;
    seen.expect_stops(stops)?;
    let turns = seen.report.get("turns").and_then(Value::as_array).context("the report has no turns")?;
    ensure!(turns.len() == stops.len(), "the client saw {} turns", turns.len());
    for (index, turn) in turns.iter().enumerate() {
        let updates = turn.get("updates").and_then(Value::as_array).into_iter().flatten();
        let of_the_turn = |update: &&Value| !is_of_the_session(kind(update));
        let understood: Vec<&str> = updates.filter(of_the_turn).map(kind).collect();
        let sent: Vec<&str> = seen.wire.updates(index).into_iter().filter(of_the_turn).map(kind).collect();
        ensure!(understood == sent, "turn {index}: the SDK understood {understood:?} of {sent:?}");
        let stop = turn.get("stopReason").and_then(Value::as_str);
        ensure!(
            stop == stops.get(index).copied(),
            "the SDK understood that turn {index} ended with {stop:?}"
        );
    }
    Ok(())
}

pub(super) fn echo(seen: &Seen) -> anyhow::Result<()> {
    understood(seen, &["end_turn"])?;
    for member in ["/info/name", "/info/version", "/capabilities/session"] {
        let result = seen.wire.results("initialize").next();
        ensure!(result.is_some_and(|result| result.pointer(member).is_some()), "no {member} in initialize");
    }
    seen.expect_text(0, "hello, Grüße 🙂")?;
    // The answer, the message and the state of a prompt, in this order.
    let updates: Vec<&str> = seen.wire.updates(0).into_iter().map(kind).collect();
    ensure!(
        updates == ["user_message", "state_update", "agent_message_chunk", "state_update"],
        "the turn has the updates {updates:?}"
    );
    Ok(())
}

pub(super) fn echo_idle(seen: &Seen) -> anyhow::Result<()> {
    understood(seen, &["end_turn"])?;
    seen.expect_text(0, "still here")
}

pub(super) fn echo_sessions(seen: &Seen) -> anyhow::Result<()> {
    understood(seen, &["end_turn", "end_turn"])?;
    let listed = told(seen, "/list/0/sessionId")?;
    ensure!(listed.as_str() == seen.session().as_deref(), "the client listed {listed}");
    ensure!(told(seen, "/close")? == true, "the session was not closed");
    let resumed = conversation(told(seen, "/resume")?);
    ensure!(resumed.is_empty(), "a plain resumption replayed {resumed:?}");
    same_messages(seen, &["one", "two"])
}

/// The replay has the messages of the turns, with the ids that they had.
fn same_messages(seen: &Seen, texts: &[&str]) -> anyhow::Result<()> {
    let replay = told(seen, "/replay")?;
    let ids = |updates: &[&Value]| -> BTreeSet<String> {
        updates.iter().filter_map(|update| update.get("messageId")).map(Value::to_string).collect()
    };
    let replayed = conversation(replay);
    let sent: Vec<&Value> = (0..texts.len()).flat_map(|turn| seen.wire.updates(turn)).collect();
    ensure!(ids(&replayed) == ids(&sent), "the replay has other messages: {replay}");
    let replay = replay.to_string();
    for text in texts {
        ensure!(replay.contains(text), "{text:?} is not in the replay: {replay}");
    }
    Ok(())
}

/// The updates that are not of the session itself.
fn conversation(updates: &Value) -> Vec<&Value> {
    let updates = updates.as_array().into_iter().flatten();
    updates.filter(|update| !is_of_the_session(kind(update)) && kind(update) != "state_update").collect()
}

pub(super) fn read(seen: &Seen) -> anyhow::Result<()> {
    understood(seen, &["end_turn"])?;
    seen.expect_permissions(&[])?;
    seen.expect_file("notes.txt", NOTES)
}

pub(super) fn allow(seen: &Seen) -> anyhow::Result<()> {
    understood(seen, &["end_turn"])?;
    seen.expect_permissions(&["allow_once"])?;
    seen.expect_file("notes.txt", EDITED)?;
    let (call, diff) = shown_diff(seen)?;
    let changed = diff.pointer("/changes/0/path").and_then(Value::as_str).unwrap_or_default();
    ensure!(changed == seen.folder.join("notes.txt").to_string_lossy(), "the diff is {diff}");
    let patch = diff.pointer("/patch/text").and_then(Value::as_str).unwrap_or_default();
    ensure!(patch.contains("-beta\n+BETA\n"), "the patch is {patch:?}");
    let status = seen.status_of(0, &call);
    ensure!(status.as_deref() == Some("completed"), "the edit ended as {status:?}");
    waited(seen)
}

pub(super) fn reject(seen: &Seen) -> anyhow::Result<()> {
    understood(seen, &["end_turn"])?;
    seen.expect_permissions(&["reject_once"])?;
    seen.expect_file("notes.txt", NOTES)?;
    let (call, _) = shown_diff(seen)?;
    let status = seen.status_of(0, &call);
    ensure!(status.as_deref() == Some("failed"), "the rejected edit ended as {status:?}");
    waited(seen)
}

/// The client is told that it is waited for, and that it is not any more.
fn waited(seen: &Seen) -> anyhow::Result<()> {
    let updates = seen.wire.updates(0);
    let states: Vec<&str> =
        updates.iter().filter_map(|update| update.get("state").and_then(Value::as_str)).collect();
    let wanted = ["running", "requires_action", "running", "idle"];
    ensure!(states == wanted, "the states of the turn are {states:?}");
    Ok(())
}

/// The tool call that permission was asked for, and the diff that was shown with it.
fn shown_diff(seen: &Seen) -> anyhow::Result<(String, Value)> {
    let asked = seen.wire.params("session/request_permission")?;
    let call = asked.pointer("/subject/toolCall").context("the question is not about a tool call")?;
    let id = call.get("toolCallId").and_then(Value::as_str).context("no toolCallId")?;
    let mut content = call.get("content").and_then(Value::as_array).into_iter().flatten();
    let diff = content.find(|item| item.get("type").is_some_and(|kind| kind == "diff"));
    Ok((id.to_owned(), diff.with_context(|| format!("no diff was shown for {id}"))?.clone()))
}

pub(super) fn cancelled(seen: &Seen) -> anyhow::Result<()> {
    let cancels = seen.wire.calls("session/cancel").count();
    ensure!(cancels == 1, "the scenario sent {cancels} session/cancel: it did not come to the point of it");
    understood(seen, &["cancelled"])?;
    seen.expect_file("notes.txt", NOTES)
}

/// An open question is withdrawn before the turn ends.
pub(super) fn withdrawn(seen: &Seen) -> anyhow::Result<()> {
    cancelled(seen)?;
    let asked = seen.wire.calls("session/request_permission").next().context("nothing was asked")?;
    let withdrawn = seen.wire.calls("$/cancel_request").next().context("the question was not withdrawn")?;
    ensure!(
        withdrawn.json.pointer("/params/requestId") == asked.json.get("id"),
        "another request was withdrawn: {}",
        withdrawn.json
    );
    Ok(())
}

pub(super) fn replayed(seen: &Seen) -> anyhow::Result<()> {
    understood(seen, &["end_turn"])?;
    same_messages(seen, &[EDIT])?;
    let replay = told(seen, "/replay")?.to_string();
    ensure!(replay.contains("tool_call_update") && replay.contains("completed"), "no tool call: {replay}");
    Ok(())
}

pub(super) fn older_client(seen: &Seen) -> anyhow::Result<()> {
    speaks(seen, 1)?;
    seen.expect_understood()?;
    seen.expect_stops(&["end_turn"])?;
    seen.expect_text(0, "hello, Grüße 🙂")
}
