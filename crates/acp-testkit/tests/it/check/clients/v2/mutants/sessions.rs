//! Sessions, prompts, states and config options.

use acp_testkit::{Outbox, Writer};
use serde_json::{Value, json};

use crate::check::clients::client::Base;
use crate::check::clients::mutants::Mutant;
use crate::check::clients::mutants::faults::{full, hears, of};
use crate::check::mutant::Fault::{Answer, Call, DiesOf, Line};
use crate::check::mutant::without_at;
use crate::check::mutants::faults::{loses, parsed};

pub(super) const MUTANTS: &[Mutant] = &[
    full("v2-new-01", Call("session/new", |m| without_at(m, "/params", "cwd"))).also(&["v1-rpc-11"]),
    of(Base::Plain, "v2-new-02", DiesOf("\"availableCommands\":null")),
    of(
        Base::Plain,
        "v2-new-03",
        Line(|memory, writer, line, out| {
            if line.contains("\"state\":\"idle\"") {
                memory.notes.insert("idle", Value::Null);
            }
            if !line.contains("\"session/prompt\"") || memory.notes.contains_key("idle") {
                out.pass(writer, line);
            }
        }),
    ),
    full("v2-new-05", DiesOf("acp-check-early")),
    full(
        "v2-mcp-01",
        Call("session/new", |m| {
            if let Some(server) = m.pointer_mut("/params/mcpServers/0") {
                server["type"] = json!("sse");
            }
        }),
    ),
    full("v2-res-01", Call("session/resume", |m| m["params"]["replayFrom"] = json!({}))).also(&["v1-rpc-11"]),
    full("v2-res-07", Call("session/resume", |m| m["params"]["cwd"] = json!("/acp-check-other"))),
    full("v2-path-01", Call("session/new", |m| m["params"]["cwd"] = json!("file:///work"))),
    full(
        "v2-list-03",
        Line(|_, writer, line, out| {
            hears(writer, line, ["\"nextCursor\":\"\"", "\"nextCursor\":null"], out);
        }),
    ),
    full("v2-turn-06", Call("session/prompt", |m| m["params"]["prompt"] = json!([]))),
    full(
        "v2-cont-01",
        Call("session/prompt", |m| {
            if let Some(link) = m.pointer_mut("/params/prompt/1") {
                link["size"] = json!(-3);
            }
        }),
    )
    .also(&["v1-rpc-11"]),
    full(
        "v2-ext-01",
        Call("session/prompt", |m| m["params"]["prompt"][0]["annotations"] = json!({"audience": ["model"]})),
    ),
    full(
        "v2-ext-01",
        Answer("elicitation/create", |m| {
            if m["result"].is_object() {
                m["result"] = json!({"action": "later"});
            }
        }),
    ),
    // Config options.
    full("v2-cfg-01", Call("session/set_config_option", |m| m["params"]["configId"] = json!("none"))),
    of(Base::Plain, "v2-cfg-01", DiesOf("\"groupId\"")),
    full("v2-cfg-02", Call("session/set_config_option", |m| without_at(m, "/params", "type")))
        .also(&["v1-rpc-11"]),
    // States.
    full(
        "v2-state-06",
        Line(|memory, writer, line, out| {
            out.pass(writer, line);
            let update = parsed(line);
            if update["params"]["update"]["state"] != "idle" {
                return;
            }
            // The second report is a repetition.
            if memory.notes.insert("idle", Value::Null).is_some() {
                leaves(writer, &update, out);
            }
        }),
    ),
    full(
        "v2-state-07",
        Line(|memory, writer, line, out| {
            if line.contains("acp-check-work") {
                memory.notes.insert("busy", Value::Null);
            }
            if !line.contains("\"session/prompt\"") || !memory.notes.contains_key("busy") {
                out.pass(writer, line);
            }
        }),
    ),
    full(
        "v2-state-08",
        Line(|_, writer, line, out| {
            hears(writer, line, ["\"state\":\"_acp_check\"", "\"state\":\"idle\""], out);
        }),
    ),
    full(
        "v2-state-11",
        Line(|_, writer, line, out| loses(writer, line, |line| line.contains("\"stopReason\":null"), out)),
    ),
    full("v2-bg-01", DiesOf("\"background\":[]")),
    full(
        "v2-bg-05",
        Line(|_, writer, line, out| {
            let odd = |line: &str| line.contains("\"background\":5") && line.contains("\"idle\"");
            loses(writer, line, odd, out);
        }),
    ),
];

/// Closes a session in the client's name.
fn leaves(writer: Writer, update: &Value, out: &mut Outbox) {
    if writer == Writer::First {
        let params = json!({"sessionId": update["params"]["sessionId"]});
        let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params});
        out.back(writer, cancel.to_string());
    }
}
