//! MCP over ACP with the TypeScript SDK: `mcp_agent` calls servers that its client provides, and
//! its agent calls the server that `mcp_client` provides.

use std::collections::HashSet;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::case::{Action, Case, Pairing, Peer};
use super::seen::{Seen, kind};
use super::wire::Side;

type Check = fn(&Seen) -> anyhow::Result<()>;
/// Name, scenario, the error answers that belong to it, check.
type Row = (&'static str, fn() -> Value, &'static [i64], Check);

/// The version of MCP that goes over ACP.
const VERSION: &str = "2026-07-28";

pub(super) fn all() -> Vec<Case> {
    let case = |pairing, (name, scenario, errors, check): Row| Case {
        peer: Peer::TypeScriptMcp,
        pairing,
        name,
        action: Action::Scenario(scenario),
        errors,
        check,
    };
    let mut cases: Vec<Case> = TO_OUR_AGENT.map(|row| case(Pairing::OurMcpAgent, row)).into();
    cases.extend(TO_OUR_CLIENT.map(|row| case(Pairing::OurMcpClient, row)));
    cases
}

/// `mcp_agent` is told which tool to call; a call that does not succeed fails the turn with -32603.
const TO_OUR_AGENT: [Row; 7] = [
    (
        "discover",
        || calls(&["far"], &json!([{ "prompt": "servers" }, { "prompt": "tools" }])),
        &[],
        discovered,
    ),
    ("call", || calls(&["far"], &json!([{ "prompt": r#"far__echo {"a": "Grüße 🙂"}"# }])), &[], called),
    ("failing-tool", || calls(&["far"], &json!([{ "prompt": "far__fail {}" }])), &[], failed),
    ("progress", || calls(&["far"], &json!([{ "prompt": "far__count {}" }])), &[], counted),
    (
        "cancel",
        || calls(&["far"], &json!([{ "prompt": "far__hold {}", "cancelOnProgress": true }])),
        &[-32800],
        cancelled,
    ),
    (
        "errors",
        || calls(&["raw"], &json!([{ "prompt": "raw__refuse {}" }, { "prompt": "raw__crash {}" }])),
        &[-32603, -32603, -33002],
        refused,
    ),
    (
        "unknown-server",
        || {
            let call = json!({ "prompt": "raw__refuse {}", "dispose": "raw" });
            let servers = json!({ "prompt": "servers" });
            calls(&["raw", "gone"], &json!([servers, { "prompt": "tools" }, call, servers]))
        },
        // The one that never was; the other, when it is called; the turn.
        &[-33001, -33001, -32603],
        without_servers,
    ),
];

/// The agent of the other SDK says in JSON what it got.
const TO_OUR_CLIENT: [Row; 6] = [
    ("discover", || script("discover"), &[], discovered_by_peer),
    ("call", || script("call"), &[], called_by_peer),
    ("progress", || script("progress"), &[], counted_by_peer),
    ("cancel", || script("cancel"), &[-32800], cancelled_by_peer),
    ("errors", || script("errors"), &[], refused_to_peer),
    ("refusals", || script("refusals"), &[-32602, -32602, -32800, -33001], not_carried_for_peer),
];

fn calls(servers: &[&str], turns: &Value) -> Value {
    json!({ "servers": servers, "turns": turns })
}

fn script(name: &str) -> Value {
    json!({ "turns": [{ "prompt": name }] })
}

fn discovered(seen: &Seen) -> anyhow::Result<()> {
    let offered = seen.wire.results("initialize").next().context("initialize got no result")?;
    let acp = offered.pointer("/agentCapabilities/mcpCapabilities/acp");
    ensure!(acp == Some(&json!(true)), "`mcpCapabilities.acp` is {acp:?}");
    understood(seen)?;
    seen.expect_stops(&["end_turn", "end_turn"])?;
    seen.expect_text(0, &format!("- `far` speaks MCP {VERSION}\n"))?;
    let tools = ["echo", "count", "hold", "fail"].map(|tool| format!("- `far__{tool}`: \n"));
    seen.expect_text(1, &tools.concat())
}

fn called(seen: &Seen) -> anyhow::Result<()> {
    understood(seen)?;
    seen.expect_stops(&["end_turn"])?;
    seen.expect_text(0, r#"{"a":"Grüße 🙂"}"#)?;
    status(seen, "completed")
}

fn failed(seen: &Seen) -> anyhow::Result<()> {
    understood(seen)?;
    seen.expect_stops(&["end_turn"])?;
    seen.expect_text(0, "it broke")?;
    status(seen, "failed")
}

fn counted(seen: &Seen) -> anyhow::Result<()> {
    understood(seen)?;
    seen.expect_stops(&["end_turn"])?;
    sent_progress(seen)?;
    seen.expect_text(0, "3")?;
    status(seen, "completed")
}

/// The server sees that its call is cancelled, and the client that the turn is.
fn cancelled(seen: &Seen) -> anyhow::Result<()> {
    understood(seen)?;
    seen.expect_stops(&["cancelled"])?;
    let withdrawn = seen.wire.calls("$/cancel_request").count();
    ensure!(withdrawn == 1, "{withdrawn} requests were withdrawn");
    let cancelled = seen.report.get("cancelled");
    ensure!(cancelled == Some(&json!(1)), "the server has seen {cancelled:?} cancelled calls");
    status(seen, "failed")
}

/// An error of the server is one, whatever its code; that it did not answer is another thing.
fn refused(seen: &Seen) -> anyhow::Result<()> {
    understood(seen)?;
    let messages = seen.wire.error_messages().join("\n");
    for words in ["error -33001: not an error of ACP", "(code -33002 of ACP)"] {
        ensure!(messages.contains(words), "the turns do not say {words:?}, but {messages:?}");
    }
    Ok(())
}

fn without_servers(seen: &Seen) -> anyhow::Result<()> {
    understood(seen)?;
    for (turn, raw) in [(0, "speaks MCP"), (3, "failed: ")] {
        let text = seen.text(turn);
        ensure!(text.contains(&format!("- `raw` {raw}")), "turn {turn} said {text:?}");
        ensure!(
            text.contains("- `gone` failed: ") && text.contains("does not provide the server"),
            "turn {turn} said {text:?}"
        );
    }
    Ok(())
}

/// The client met no error, and each request of MCP has an id of its own and says what it has to.
fn understood(seen: &Seen) -> anyhow::Result<()> {
    if let Some(error) = seen.report.get("error") {
        anyhow::bail!("the client met an error: {error}");
    }
    let mut ids = HashSet::new();
    for request in seen.wire.calls("mcp/message").filter(|message| message.from == Side::Agent) {
        let at = |pointer| request.json.pointer(pointer).and_then(Value::as_str);
        let id = at("/params/requestId").context("a request without `requestId`")?;
        ensure!(ids.insert(id), "the id {id:?} was used twice");
        let version = at("/params/params/_meta/io.modelcontextprotocol~1protocolVersion");
        ensure!(version == Some(VERSION), "a request of version {version:?}");
    }
    Ok(())
}

/// The last that was told of the tool call of the first turn.
fn status(seen: &Seen, wanted: &str) -> anyhow::Result<()> {
    let updates = seen.wire.updates(0);
    let call = updates.iter().find(|update| kind(update) == "tool_call").context("no tool call was shown")?;
    let id = call.get("toolCallId").and_then(Value::as_str).unwrap_or_default();
    let status = seen.status_of(0, id);
    ensure!(status.as_deref() == Some(wanted), "the tool call ended as {status:?}");
    Ok(())
}

fn discovered_by_peer(seen: &Seen) -> anyhow::Result<()> {
    let tools = ["echo", "count", "hold", "cancelled", "fail", "refuse"];
    expect_said(seen, &json!({ "versions": [VERSION], "tools": tools }))
}

fn called_by_peer(seen: &Seen) -> anyhow::Result<()> {
    let echoed = json!({ "text": "Grüße 🙂", "list": [1, null] });
    expect_said(seen, &json!({ "echoed": echoed, "failed": true, "text": "it broke" }))
}

/// The caller of the SDK forgets a call with its answer, and has not looked by then at
/// notifications that came in one piece with it.
fn counted_by_peer(seen: &Seen) -> anyhow::Result<()> {
    sent_progress(seen)?;
    let said = said(seen)?;
    ensure!(said.get("text") == Some(&json!("3")), "the agent got {said}");
    let told =
        said.get("told").and_then(Value::as_array).context("the agent did not say what it was told")?;
    let all = [1, 2, 3].map(|progress| json!(["notifications/progress", "count", progress]));
    ensure!(!told.is_empty() && all.starts_with(told), "the agent was told {told:?}");
    Ok(())
}

/// The server has seen it, too.
fn cancelled_by_peer(seen: &Seen) -> anyhow::Result<()> {
    expect_said(seen, &json!({ "code": -32800, "cancelled": "1" }))
}

fn refused_to_peer(seen: &Seen) -> anyhow::Result<()> {
    let codes = json!({
        "unknownTool": -32602, "unknownMethod": -32601, "refused": -33001,
        "oldVersion": -32022, "initialize": -32022, "data": { "by": "refuse" },
    });
    expect_said(seen, &codes)
}

fn not_carried_for_peer(seen: &Seen) -> anyhow::Result<()> {
    let codes = json!({ "unknown": -33001, "malformed": -32602, "duplicate": -32602, "first": -32800 });
    expect_said(seen, &codes)
}

/// All progress goes over the wire, in order.
fn sent_progress(seen: &Seen) -> anyhow::Result<()> {
    let told = seen.wire.calls("mcp/message").filter(|message| message.from == Side::Client);
    let told: Vec<_> =
        told.filter_map(|message| message.json.pointer("/params/params/progress")?.as_f64()).collect();
    ensure!(told == [1.0, 2.0, 3.0], "the server told of the progress {told:?}");
    Ok(())
}

fn expect_said(seen: &Seen, wanted: &Value) -> anyhow::Result<()> {
    let got = said(seen)?;
    ensure!(got == *wanted, "the agent got {got}, expected {wanted}");
    Ok(())
}

/// Returns the agent's account of the messages that it got, in a turn in which our client met no
/// fault.
fn said(seen: &Seen) -> anyhow::Result<Value> {
    seen.expect_stops(&["end_turn"])?;
    let faults = seen.report.get("faults").and_then(Value::as_array).context("the report has no faults")?;
    ensure!(faults.is_empty(), "our client met {faults:?}");
    let text = seen.text(0);
    serde_json::from_str(&text).with_context(|| format!("the agent said {text:?}"))
}
