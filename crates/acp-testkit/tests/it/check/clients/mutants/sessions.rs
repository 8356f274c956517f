//! Logins, sessions, their settings, prompts and cancellation.

use serde_json::json;

use super::Mutant;
use super::faults::{full, habit, hears, of, says};
use crate::check::clients::client::{Base, Habit};
use crate::check::mutant::Fault::{Answer, Call, Hear, Line};
use crate::check::mutant::{error, without};
use crate::check::mutants::faults::{answers, dies_of};

pub(super) const MUTANTS: &[Mutant] = &[
    // Logins.
    full("v1-auth-02", Call("authenticate", |m| m["params"]["methodId"] = json!("acp-check-term"))),
    full("v1-auth-03", Call("authenticate", |m| m["params"]["methodId"] = json!("none"))),
    full(
        "v1-auth-04",
        Line(|_, writer, line, out| {
            let login = r#"{"jsonrpc":"2.0","id":"mutant","method":"authenticate","params":{"methodId":"acp-check-term"}}"#;
            says(writer, line, "\"code\":-32000", login, out);
        }),
    ),
    habit("v1-auth-07", Habit::NoWords),
    habit("v1-auth-09", Habit::Careless),
    habit("v1-auth-10", Habit::Idle),
    of(Base::Plain, "v1-auth-17", Line(|_, writer, line, out| dies_of(writer, line, "\"env\":[{", out))),
    // Sessions.
    full("v1-new-02", Call("session/new", |m| without(&mut m["params"], "mcpServers"))),
    full("v1-new-03", Call("session/new", |m| m["params"]["cwd"] = json!("work"))),
    full("v1-new-07", Call("session/new", |m| m["params"]["additionalDirectories"] = json!(["x"]))),
    full(
        "v1-new-12",
        Call("session/prompt", |m| {
            let id = m["params"]["sessionId"].as_str().unwrap().trim().to_owned();
            m["params"]["sessionId"] = json!(id);
        }),
    ),
    full("v1-new-14", Call("session/prompt", |m| m["params"]["sessionId"] = json!("other"))),
    full("v1-load-01", Call("session/load", |m| without(&mut m["params"], "cwd"))),
    of(Base::Taker, "v1-load-06", Line(|_, writer, line, out| dies_of(writer, line, "\"result\":null", out))),
    full("v1-load-07", Call("session/load", |m| m["params"]["cwd"] = json!("/acp-check-other"))),
    of(
        Base::Taker,
        "v1-load-09",
        Line(|_, writer, line, out| dies_of(writer, line, "acp-check replay", out)),
    ),
    full("v1-res-01", Call("session/resume", |m| without(&mut m["params"], "cwd"))),
    full("v1-close-01", Call("session/close", |m| without(&mut m["params"], "sessionId"))),
    full("v1-list-03", Call("session/list", |m| m["params"]["cwd"] = json!("."))),
    full(
        "v1-list-04",
        Line(|_, writer, line, out| {
            let more = r#"{"jsonrpc":"2.0","id":"mutant","method":"session/list","params":{"cursor":"acp-check: {\"a\":\"é=+/%20\"}"}}"#;
            says(writer, line, "\"sessionId\":\"acp-check-stored-2\"", more, out);
        }),
    ),
    full(
        "v1-list-05",
        Call("session/list", |m| {
            if m["params"]["cursor"].is_string() {
                m["params"]["cursor"] = json!("acp-check");
            }
        }),
    ),
    full("v1-list-11", Line(|_, writer, line, out| dies_of(writer, line, "\"sessionId\":5", out))),
    full("v1-mcp-04", Call("session/new", |m| without_of_server(m, 0, "args"))),
    full("v1-mcp-05", Call("session/new", |m| without_of_server(m, 1, "headers"))),
    full(
        "v1-mcp-06",
        Call("session/new", |m| {
            if let Some(server) = m["params"]["mcpServers"].get_mut(0) {
                server["command"] = json!("one");
            }
        }),
    ),
    // Modes and config options.
    full("v1-mode-02", Call("session/set_mode", |m| m["params"]["modeId"] = json!("none"))),
    full(
        "v1-mode-06",
        Line(|_, writer, line, out| {
            hears(writer, line, ["\"category\":\"mode\"", "\"category\":\"_x\""], out);
        }),
    ),
    full("v1-cfg-05", Call("session/set_config_option", |m| m["params"]["configId"] = json!("odd"))),
    of(
        Base::Plain,
        "v1-cfg-07",
        Line(|_, writer, line, out| dies_of(writer, line, "\"category\":\"acp_check\"", out)),
    ),
    full("v1-cfg-09", Call("session/set_config_option", |m| m["params"]["value"] = json!("none"))),
    of(Base::Plain, "v1-cfg-16", Line(|_, writer, line, out| dies_of(writer, line, "\"group\":\"g\"", out))),
    // Prompts.
    full(
        "v1-turn-01",
        Line(|_, writer, line, out| {
            let early = r#"{"jsonrpc":"2.0","id":"mutant","method":"session/prompt","params":{"sessionId":"s","prompt":[]}}"#;
            says(writer, line, "\"agentCapabilities\"", early, out);
        }),
    ),
    full("v1-cont-01", Call("session/prompt", |m| m["params"]["prompt"][0]["type"] = json!("video"))),
    full("v1-cont-03", Call("session/prompt", |m| without_of_block(m, 2, "data"))),
    full("v1-cont-04", Call("session/prompt", |m| without_of_block(m, 4, "resource"))),
    full("v1-cont-05", Call("session/prompt", |m| without_of_block(m, 1, "name"))),
    full(
        "v1-cmd-03",
        Call("session/prompt", |m| {
            let text = format!("run {}", m["params"]["prompt"][0]["text"].as_str().unwrap());
            m["params"]["prompt"][0]["text"] = json!(text);
        }),
    ),
    // Cancellation.
    of(
        Base::Patient,
        "v1-cancel-03",
        Answer("session/request_permission", |m| {
            m["result"] = json!({"outcome": {"outcome": "selected", "optionId": "allow_once"}});
        }),
    ),
    full("v1-cancel-09", Line(|_, writer, line, out| dies_of(writer, line, "acp-check-late", out))),
    of(Base::Patient, "v1-creq-03", Answer("session/request_permission", |m| error(m, -32603))),
    full(
        "v1-creq-06",
        Line(|_, writer, line, out| {
            let answer = r#"{"jsonrpc":"2.0","id":99999,"error":{"code":-32800,"message":"cancelled"}}"#;
            answers(writer, line, answer, |line| line.contains("$/cancel_request"), out);
        }),
    ),
    of(Base::Patient, "v1-creq-09", Answer("session/request_permission", |m| error(m, -32800))),
    of(
        Base::Patient,
        "v1-creq-10",
        Hear("$/cancel_request", |m| {
            if let Some(id) = m["params"]["requestId"].as_str().and_then(|id| id.parse::<i64>().ok()) {
                m["params"]["requestId"] = json!(id);
            }
        }),
    ),
];

fn without_of_server(message: &mut serde_json::Value, index: usize, member: &str) {
    if let Some(server) = message["params"]["mcpServers"].get_mut(index) {
        without(server, member);
    }
}

fn without_of_block(message: &mut serde_json::Value, index: usize, member: &str) {
    if let Some(block) = message["params"]["prompt"].get_mut(index) {
        without(block, member);
    }
}
