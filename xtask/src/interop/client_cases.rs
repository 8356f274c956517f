//! `acp prompt` against agents built on other SDKs.

use anyhow::ensure;
use serde_json::Value;

use super::case::{Action, Case, NOTES, Pairing, Peer};
use super::seen::Seen;

type Check = fn(&Seen) -> anyhow::Result<()>;

pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for peer in [Peer::TypeScript, Peer::RustSdk, Peer::Python] {
        cases.extend(SCRIPTED.map(|row| case(peer, row)));
    }
    cases.extend(EXAMPLE.map(|row| case(Peer::TypeScriptExample, row)));
    cases
}

/// Name, prompt, `--allow`, the printed text at which Ctrl-C comes, the error answers that belong
/// to it, check.
pub(super) type Row = (&'static str, &'static str, &'static str, Option<&'static str>, &'static [i64], Check);

/// For the agents under `xtask/interop`, which run a script named by the prompt's first word.
pub(super) const SCRIPTED: [Row; 8] = [
    ("stream", "stream", "once", None, &[], stream),
    ("permission-once", "permission", "once", None, &[], permission_once),
    ("permission-always", "permission", "always", None, &[], permission_always),
    ("permission-reject", "permission", "reject", None, &[], permission_reject),
    ("files", "files", "once", None, &[], files),
    ("refusals", "refusals", "once", None, &[-32002, -32602], refusals),
    ("cancel", "wait", "once", Some("waiting"), &[], cancel),
    ("cancel-permission", "permission", "ask", Some("answer:"), &[], cancel_permission),
];

/// For the TypeScript SDK's example, whose single script takes its time: about 5 s.
const EXAMPLE: [Row; 3] = [
    ("allow", "Improve the project", "once", None, &[], example_allow),
    ("reject", "Improve the project", "reject", None, &[], example_reject),
    ("cancel", "Improve the project", "once", Some("Let me start"), &[], cancel),
];

fn case(peer: Peer, (name, prompt, allow, interrupt_at, errors, check): Row) -> Case {
    Case {
        peer,
        pairing: Pairing::OurClient,
        name,
        action: Action::Prompt { prompt, allow, interrupt_at },
        errors,
        check,
    }
}

fn stream(seen: &Seen) -> anyhow::Result<()> {
    handshake(seen)?;
    finished(seen)?;
    seen.expect_text(0, "one two three")?;
    seen.expect_printed("one two three")?;
    seen.expect_printed("List files")
}

fn permission_once(seen: &Seen) -> anyhow::Result<()> {
    finished(seen)?;
    seen.expect_permissions(&["allow_once"])?;
    seen.expect_printed("answer: opt-yes")
}

fn permission_always(seen: &Seen) -> anyhow::Result<()> {
    finished(seen)?;
    seen.expect_permissions(&["allow_always"])?;
    seen.expect_printed("answer: opt-always")
}

fn permission_reject(seen: &Seen) -> anyhow::Result<()> {
    finished(seen)?;
    seen.expect_permissions(&["reject_once"])?;
    seen.expect_printed("answer: opt-no")
}

fn files(seen: &Seen) -> anyhow::Result<()> {
    finished(seen)?;
    seen.expect_text(0, "copied")?;
    seen.expect_file("notes.txt", NOTES)?;
    seen.expect_file("copy.txt", &NOTES.to_uppercase())
}

fn refusals(seen: &Seen) -> anyhow::Result<()> {
    finished(seen)?;
    seen.expect_text(0, "missing: -32002, outside: -32602")
}

fn cancel(seen: &Seen) -> anyhow::Result<()> {
    let cancels = seen.wire.calls("session/cancel").count();
    ensure!(cancels == 1, "{cancels} session/cancel were sent after one Ctrl-C");
    let code = seen.status.code();
    ensure!(code == Some(130), "`acp` ended with code {code:?} after a Ctrl-C");
    seen.expect_stops(&["cancelled"])
}

/// The question is open on the terminal when Ctrl-C comes: the agent gets its answer all the same.
fn cancel_permission(seen: &Seen) -> anyhow::Result<()> {
    seen.expect_permissions(&["cancelled"])?;
    cancel(seen)
}

fn example_allow(seen: &Seen) -> anyhow::Result<()> {
    handshake(seen)?;
    finished(seen)?;
    seen.expect_permissions(&["allow_once"])?;
    let status = seen.status_of(0, "call_2");
    ensure!(status.as_deref() == Some("completed"), "the allowed call ended as {status:?}");
    seen.expect_printed("Modifying critical configuration file")
}

fn example_reject(seen: &Seen) -> anyhow::Result<()> {
    finished(seen)?;
    seen.expect_permissions(&["reject_once"])?;
    let status = seen.status_of(0, "call_2");
    ensure!(status.as_deref() == Some("pending"), "the rejected call ended as {status:?}");
    Ok(())
}

pub(super) fn finished(seen: &Seen) -> anyhow::Result<()> {
    ensure!(seen.status.success(), "`acp` ended with {}", seen.status);
    seen.expect_stops(&["end_turn"])
}

/// Checks the facts that every client should state to an agent at the start.
fn handshake(seen: &Seen) -> anyhow::Result<()> {
    let initialize = seen.wire.params("initialize")?;
    let version = initialize.get("protocolVersion").and_then(Value::as_u64);
    ensure!(version == Some(1), "initialize asks for protocol version {version:?}");
    for member in ["/clientInfo/name", "/clientInfo/version"] {
        ensure!(initialize.pointer(member).is_some_and(Value::is_string), "initialize has no {member}");
    }
    for flag in ["/clientCapabilities/fs/readTextFile", "/clientCapabilities/fs/writeTextFile"] {
        ensure!(initialize.pointer(flag) == Some(&Value::Bool(true)), "initialize does not set {flag}");
    }
    let new = seen.wire.params("session/new")?;
    let cwd = new.get("cwd").and_then(Value::as_str).unwrap_or_default();
    ensure!(cwd == seen.folder.to_string_lossy(), "session/new has the cwd {cwd:?}, not {:?}", seen.folder);
    ensure!(new.get("mcpServers").is_some_and(Value::is_array), "session/new has no mcpServers list");
    Ok(())
}
