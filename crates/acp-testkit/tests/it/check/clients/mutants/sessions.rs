//! Logins, sessions, their settings, prompts and cancellation.

use serde_json::json;

use super::Mutant;
use super::faults::{full, habit, hears, of, says};
use crate::check::clients::client::{Base, Habit};
use crate::check::mutant::Fault::{Answer, Call, DiesOf, Hear, Line};
use crate::check::mutant::{error, without, without_at};
use crate::check::mutants::faults::ANSWERS_CANCELS;

const LOGIN: &str =
    r#"{"jsonrpc":"2.0","id":"mutant","method":"authenticate","params":{"methodId":"acp-check-term"}}"#;
const MORE: &str = r#"{"jsonrpc":"2.0","id":"mutant","method":"session/list","params":{"cursor":"acp-check: {\"a\":\"é=+/%20\"}"}}"#;
const EARLY: &str =
    r#"{"jsonrpc":"2.0","id":"mutant","method":"session/prompt","params":{"sessionId":"s","prompt":[]}}"#;

pub(super) const MUTANTS: &[Mutant] = &[
    // Logins.
    full("v1-auth-02", Call("authenticate", |m| m["params"]["methodId"] = json!("acp-check-term")))
        .also(&["v1-auth-04"]),
    full("v1-auth-03", Call("authenticate", |m| m["params"]["methodId"] = json!("none"))),
    full(
        "v1-auth-04",
        Line(|_, writer, line, out| {
            says(writer, line, "\"code\":-32000", LOGIN, out);
        }),
    )
    .also(&["v1-auth-02", "v1-auth-03"]),
    habit("v1-auth-07", Habit::NoWords),
    habit("v1-auth-09", Habit::Careless),
    habit("v1-auth-10", Habit::Idle),
    of(Base::Plain, "v1-auth-17", DiesOf("\"env\":[{")),
    // Sessions.
    full("v1-new-02", Call("session/new", |m| without_at(m, "/params", "mcpServers"))).also(&["v1-rpc-11"]),
    full("v1-new-03", Call("session/new", |m| m["params"]["cwd"] = json!("work"))).also(&[
        "v1-fs-03",
        "v1-fs-04",
        "v1-fs-06",
        "v1-fs-08",
        "v1-rpc-24",
        "v1-rpc-25",
    ]),
    full("v1-new-07", Call("session/new", |m| m["params"]["additionalDirectories"] = json!(["x"])))
        .also(&["v1-cap-17", "v1-rpc-24"]),
    full(
        "v1-new-12",
        Call("session/prompt", |m| {
            let id = m["params"]["sessionId"].as_str().unwrap().trim().to_owned();
            m["params"]["sessionId"] = json!(id);
        }),
    )
    .also(&["v1-new-14"])
    .also_later(&["v1-new-14"]),
    full("v1-new-14", Call("session/prompt", |m| m["params"]["sessionId"] = json!("other")))
        .also(&["v1-fs-08", "v1-new-12"])
        .also_later(&["v1-new-12"]),
    full("v1-load-01", Call("session/load", |m| without_at(m, "/params", "cwd")))
        .also(&["v1-load-07", "v1-rpc-11"]),
    of(Base::Taker, "v1-load-06", DiesOf("\"result\":null")),
    full("v1-load-07", Call("session/load", |m| m["params"]["cwd"] = json!("/acp-check-other"))),
    of(Base::Taker, "v1-load-09", DiesOf("acp-check replay")),
    full("v1-res-01", Call("session/resume", |m| without_at(m, "/params", "cwd"))).also(&["v1-rpc-11"]),
    full("v1-close-01", Call("session/close", |m| without_at(m, "/params", "sessionId")))
        .also(&["v1-new-14", "v1-rpc-11"]),
    full("v1-list-03", Call("session/list", |m| m["params"]["cwd"] = json!("."))).also(&["v1-rpc-24"]),
    full(
        "v1-list-04",
        Line(|_, writer, line, out| {
            says(writer, line, "\"sessionId\":\"acp-check-stored-2\"", MORE, out);
        }),
    )
    .also_later(&["v1-list-05"]),
    full(
        "v1-list-05",
        Call("session/list", |m| {
            if m["params"]["cursor"].is_string() {
                m["params"]["cursor"] = json!("acp-check");
            }
        }),
    )
    .also_later(&["v2-list-03"]),
    full("v1-list-11", DiesOf("\"sessionId\":5")).also(&["v1-rpc-06"]),
    full("v1-mcp-04", Call("session/new", |m| without_of_server(m, 0, "args"))).also(&["v1-rpc-11"]),
    full("v1-mcp-05", Call("session/new", |m| without_of_server(m, 1, "headers"))).also(&["v1-rpc-11"]),
    full(
        "v1-mcp-06",
        Call("session/new", |m| {
            if let Some(server) = m["params"]["mcpServers"].get_mut(0) {
                server["command"] = json!("one");
            }
        }),
    )
    .also(&["v1-rpc-24"]),
    // Modes and config options.
    full("v1-mode-02", Call("session/set_mode", |m| m["params"]["modeId"] = json!("none"))),
    full(
        "v1-mode-06",
        Line(|_, writer, line, out| {
            hears(writer, line, ["\"category\":\"mode\"", "\"category\":\"_x\""], out);
        }),
    ),
    full("v1-cfg-05", Call("session/set_config_option", |m| m["params"]["configId"] = json!("odd")))
        .also(&["v1-cfg-09"]),
    of(Base::Plain, "v1-cfg-07", DiesOf("\"category\":\"acp_check\"")),
    full("v1-cfg-09", Call("session/set_config_option", |m| m["params"]["value"] = json!("none")))
        .also(&["v1-rpc-11"]),
    of(Base::Plain, "v1-cfg-16", DiesOf("\"group\":\"g\"")),
    // Prompts.
    full(
        "v1-turn-01",
        Line(|_, writer, line, out| {
            says(writer, line, "\"authMethods\"", EARLY, out);
        }),
    )
    .also(&["v1-new-12", "v1-rpc-09"])
    .also_later(&["v1-new-12", "v2-bg-05", "v2-rpc-04", "v2-state-11", "v2-turn-06"]),
    full("v1-cont-01", Call("session/prompt", |m| m["params"]["prompt"][0]["type"] = json!("video"))),
    full("v1-cont-03", Call("session/prompt", |m| without_of_block(m, 2, "data"))).also(&["v1-rpc-11"]),
    full("v1-cont-04", Call("session/prompt", |m| without_of_block(m, 4, "resource"))).also(&["v1-rpc-11"]),
    full("v1-cont-05", Call("session/prompt", |m| without_of_block(m, 1, "name"))).also(&["v1-rpc-11"]),
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
    )
    .also(&["v1-perm-04", "v1-rpc-04"]),
    full("v1-cancel-09", DiesOf("acp-check-late")),
    of(Base::Patient, "v1-creq-03", Answer("session/request_permission", |m| error(m, -32603))).also(&[
        "v1-creq-09",
        "v1-perm-07",
        "v1-rpc-19",
        "v1-rpc-22",
    ]),
    full("v1-creq-06", ANSWERS_CANCELS).also(&["v1-rpc-03"]),
    of(Base::Patient, "v1-creq-09", Answer("session/request_permission", |m| error(m, -32800))).also(&[
        "v1-perm-07",
        "v1-rpc-19",
        "v1-rpc-22",
    ]),
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
