//! The judgement of a case, by the client's report and its messages.

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::recorder::Sent;
use super::rows::{Client, LEGACY_VERSION, MODERN_VERSION, Spoken};

/// The output of the driver.
#[derive(Debug, Deserialize)]
pub(super) struct Report {
    pub(super) spoken: Option<String>,
    pub(super) called: Vec<String>,
    pub(super) got: Vec<String>,
    pub(super) read: Vec<String>,
    pub(super) failures: Vec<String>,
}

/// The facts that a case is judged by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    pub(super) client: Client,
    pub(super) spoken: Spoken,
    /// The client is told that it is HTTP+SSE, which is of the legacy era.
    pub(super) is_sse: bool,
    /// Words of the error when nothing is spoken.
    pub(super) refusal: &'static str,
}

/// Says in a few words what came of it, or what is wrong.
pub(super) fn judge(expected: Expected, report: &Report, sent: &[Sent]) -> anyhow::Result<String> {
    let spoken = expected.spoken.reported();
    ensure!(
        report.spoken == spoken,
        "speaks {:?} instead of {spoken:?}: {:?}",
        report.spoken,
        report.failures
    );
    check_opening(expected, sent)?;
    let Some(spoken) = spoken else {
        let [failure] = report.failures.as_slice() else {
            anyhow::bail!("it says nothing of why, or more than that: {:?}", report.failures)
        };
        ensure!(failure.contains(expected.refusal), "it does not say {:?}: {failure}", expected.refusal);
        let names_versions = expected.client != Client::Legacy || failure.contains(MODERN_VERSION);
        ensure!(names_versions, "it does not name the versions of the server: {failure}");
        return Ok("not connected, and said why".to_owned());
    };
    ensure!(report.failures.is_empty(), "{:?}", report.failures);
    ensure!(!report.called.is_empty(), "it has no tools");
    if expected.spoken == Spoken::Modern {
        check_modern(expected, sent)?;
    }
    let counts =
        [(report.called.len(), "tools"), (report.got.len(), "prompts"), (report.read.len(), "resources")];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, of)| format!("{of} {count}")).collect();
    Ok(format!("{spoken}; {}", counts.join(", ")))
}

/// A client that may be modern asks first (rule `mcp-neg-25`), one that may be legacy begins with
/// `initialize` where it has to, with the newest version that has one (rule `mcp-neg-61`), and
/// nobody else sends that at all.
fn check_opening(expected: Expected, sent: &[Sent]) -> anyhow::Result<()> {
    let methods: Vec<&str> =
        sent.iter().filter_map(|sent| sent.message.get("method").and_then(Value::as_str)).collect();
    let probes = match expected.client {
        Client::Modern => true,
        Client::Both => !expected.is_sse,
        Client::Legacy => false,
    };
    let wanted = if probes { "server/discover" } else { "initialize" };
    ensure!(methods.first() == Some(&wanted), "it does not begin with {wanted}: {methods:?}");
    ensure!(probes || !methods.contains(&"server/discover"), "it asks before `initialize`: {methods:?}");
    let has_handshake = expected.client == Client::Legacy
        || expected.client == Client::Both && expected.spoken == Spoken::Legacy;
    let mut handshakes = sent.iter().filter(|sent| sent.message.get("method") == Some(&"initialize".into()));
    if !has_handshake {
        ensure!(handshakes.next().is_none(), "it sends `initialize`: {methods:?}");
        return Ok(());
    }
    let handshake = handshakes.next().with_context(|| format!("it sends no `initialize`: {methods:?}"))?;
    let asked = handshake.message.pointer("/params/protocolVersion").and_then(Value::as_str);
    ensure!(asked == Some(LEGACY_VERSION), "`initialize` asks for {asked:?}");
    Ok(())
}

/// Every request says its version (rule `mcp-neg-02`), over streamable HTTP in head and body alike
/// (rule `mcp-neg-40`).
fn check_modern(expected: Expected, sent: &[Sent]) -> anyhow::Result<()> {
    for Sent { message, version_header } in sent {
        if message.get("method").is_none() || message.get("id").is_none() {
            continue;
        }
        let meta = message.pointer("/params/_meta").and_then(|meta| meta.get(VERSION_KEY));
        ensure!(meta == Some(&MODERN_VERSION.into()), "a request does not say its version: {message}");
        let header = version_header.as_deref().filter(|_| !expected.is_sse).unwrap_or(MODERN_VERSION);
        ensure!(header == MODERN_VERSION, "the header of a request says {header:?}: {message}");
    }
    Ok(())
}

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
