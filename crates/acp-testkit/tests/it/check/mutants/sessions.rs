//! Sessions, their settings, turns and cancellation.

use acp_testkit::Writer;
use serde_json::{Value, json};

use super::faults::{ANSWERS_CANCELS, BOOLEANS, CHUNK, ECHOED, NOTHING, answers, full, loses, modal, parsed};
use crate::check::mutant::Fault::{After, Answer, Before, Call, Hear, Line, Lose, Refuse, Update};
use crate::check::mutant::{Mutant, error, recode, success, without, without_at};

const OF_ANOTHER: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"session_info_update"}}}"#;
const LATE: &str = r#"{"jsonrpc":"2.0","id":"late","method":"fs/read_text_file","params":{"sessionId":"SESSION","path":"/a"}}"#;

/// Returns true if a session gets this server.
fn names_server(params: &Value, name: &str) -> bool {
    let servers = params["mcpServers"].as_array().map_or(&[][..], Vec::as_slice);
    servers.iter().any(|server| server["name"] == name)
}

pub(super) const MUTANTS: &[Mutant] = &[
    // Sessions.
    full("v1-new-01", Answer("session/new", |m| m["result"]["sessionId"] = json!("same")))
        .also(&[
            "v1-cfg-10",
            "v1-cfg-11",
            "v1-cfg-15",
            "v1-close-03",
            "v1-mode-03",
            "v1-new-14",
            "v1-rpc-04",
            "v1-turn-14",
        ])
        .also_later(&["v1-rpc-04", "v2-cap-08", "v2-cfg-03"]),
    full("v1-new-02", Hear("session/new", |m| m["params"]["cwd"] = json!("/work")))
        .also(&["v1-new-03", "v1-rpc-22"]),
    full("v1-new-03", Hear("session/new", |m| m["params"]["cwd"] = json!("/work")))
        .also(&["v1-new-02", "v1-rpc-22"])
        .also_later(&["v1-rpc-22", "v2-new-01"]),
    full("v1-new-07", Hear("session/new", |m| without_at(m, "/params", "additionalDirectories"))),
    full("v1-new-09", Hear("session/new", |m| m["params"]["mcpServers"] = json!([])))
        .also(&["v1-mcp-01", "v1-mcp-08", "v1-new-02", "v1-rpc-22"])
        .also_later(&["v1-rpc-22", "v2-cap-08", "v2-mcp-01", "v2-new-06"]),
    full(
        "v1-new-12",
        Line(|memory, writer, line, out| {
            let message = parsed(line);
            let prompts = writer == Writer::First && message["method"] == "session/prompt";
            let busy = memory.notes.contains_key("busy");
            if prompts && busy {
                return;
            }
            if prompts {
                memory.notes.insert("busy", message["id"].clone());
            }
            if writer == Writer::Second && busy && memory.notes["busy"] == message["id"] {
                memory.notes.remove("busy");
            }
            out.pass(writer, line);
        }),
    ),
    full("v1-new-13", Answer("session/prompt", |m| without_at(m, "/error", "data"))).also(&["v1-err-04"]),
    full("v1-new-14", Answer("session/prompt", |m| recode(m, -32002, -32603)))
        .also(&["v1-list-10", "v1-new-13"]),
    full("v1-new-14", Before("session/prompt", OF_ANOTHER)),
    full("v1-close-02", Answer("session/prompt", |m| m["result"] = json!({"stopReason": "end_turn"})))
        .also(&["v1-cancel-05", "v1-creq-09", "v1-rpc-04"]),
    full("v1-close-03", Answer("session/close", |m| m["result"] = json!(5)))
        .also(&["v1-new-14", "v1-rpc-11"]),
    full("v1-mcp-08", Hear("session/new", |m| m["params"]["mcpServers"] = json!([]))).also(&[
        "v1-mcp-01",
        "v1-new-02",
        "v1-new-09",
        "v1-rpc-22",
    ]),
    // An agent that connects to MCP servers over HTTP only, and one that takes no others.
    full("v1-mcp-01", Hear("session/new", |m| m["params"]["mcpServers"] = json!([]))).also(&[
        "v1-mcp-08",
        "v1-new-02",
        "v1-new-09",
        "v1-rpc-22",
    ]),
    full("v1-mcp-01", Refuse("session/new", |params| names_server(params, "acp-check-one")))
        .also(&["v1-mcp-03"]),
    full(
        "v1-mcp-03",
        Hear("session/new", |m| {
            if let Some(servers) = m.pointer_mut("/params/mcpServers").and_then(Value::as_array_mut) {
                servers.truncate(1);
            }
        }),
    ),
    full("v1-load-02", Lose("user_message_chunk")),
    full("v1-load-03", After("session/load", CHUNK)),
    full("v1-load-08", Answer("session/load", |m| recode(m, -32002, -32603))),
    full("v1-res-02", Before("session/resume", ECHOED)),
    full(
        "v1-res-03",
        Line(|memory, writer, line, out| {
            if line.contains("session/resume") {
                memory.notes.insert("resumed", Value::Null);
            }
            let mut message = parsed(line);
            let of_turn = memory.request(&message).is_some_and(|asked| asked["method"] == "session/prompt");
            if writer == Writer::Second && of_turn && memory.notes.contains_key("resumed") {
                error(&mut message, -32002);
                return out.pass(writer, message.to_string());
            }
            out.pass(writer, line);
        }),
    )
    .also(&["v1-close-02", "v1-err-04", "v1-new-13"]),
    full("v1-list-01", Answer("session/list", |m| without_at(m, "/result", "sessions"))).also(&[
        "v1-del-01",
        "v1-list-02",
        "v1-rpc-11",
    ]),
    full("v1-list-02", Answer("session/list", |m| error(m, -32602))).also(&[
        "v1-del-01",
        "v1-list-01",
        "v1-rpc-10",
    ]),
    full("v1-list-06", Answer("session/list", |m| success(m, json!({"sessions": []})))),
    full("v1-list-10", Answer("session/prompt", |m| success(m, json!({"stopReason": "end_turn"})))).also(&[
        "v1-cancel-05",
        "v1-close-02",
        "v1-creq-09",
        "v1-new-13",
        "v1-new-14",
        "v1-rpc-19",
        "v1-turn-14",
    ]),
    full("v1-list-12", Answer("session/list", |m| m["result"]["sessions"][0]["cwd"] = json!("work")))
        .also(&["v1-rpc-24"]),
    full(
        "v1-del-01",
        Line(|_, writer, line, out| {
            if writer == Writer::First && line.contains("session/delete") {
                out.back(
                    writer,
                    json!({"jsonrpc": "2.0", "id": parsed(line)["id"], "result": {}}).to_string(),
                );
            } else {
                out.pass(writer, line);
            }
        }),
    ),
    full("v1-del-02", Refuse("session/delete", |params| params["sessionId"] == "acp-check-none")),
    full("v1-info-02", Update("session_info_update", |u| u["cwd"] = json!("/work"))).also(&["v1-ext-01"]),
    // Modes and config options.
    full("v1-mode-03", Answer("session/set_mode", |m| error(m, -32601))),
    full("v1-mode-04", Update("current_mode_update", |u| u["currentModeId"] = json!("none"))),
    full("v1-mode-04", Answer("session/new", |m| m["result"]["modes"]["currentModeId"] = json!("none")))
        .also(&["v1-rpc-04", "v1-rpc-11"]),
    // The option does not follow the mode, and the mode does not follow the option.
    modal("v1-mode-05", Lose("config_option_update")),
    modal("v1-mode-05", Lose("current_mode_update")),
    modal(
        "v1-mode-05",
        Update("config_option_update", |u| u["configOptions"][0]["currentValue"] = json!("ask")),
    ),
    modal(
        "v1-mode-05",
        Answer("session/new", |m| {
            m["result"]["configOptions"][0]["currentValue"] = json!("do");
        }),
    ),
    full("v1-cfg-03", Answer("session/new", |m| without_at(m, "/result/configOptions/0", "currentValue")))
        .also(&["v1-rpc-11"]),
    full("v1-cfg-04", BOOLEANS).also(&["v1-cap-18"]),
    full("v1-cfg-08", Answer("session/new", |m| m["result"]["configOptions"][0]["category"] = json!("pace"))),
    full(
        "v1-cfg-10",
        Answer("session/set_config_option", |m| {
            m["result"]["configOptions"].as_array_mut().unwrap().truncate(1);
        }),
    ),
    full("v1-cfg-11", Answer("session/set_config_option", |m| recode(m, -32602, -32603))),
    full("v1-cfg-12", Update("config_option_update", |u| without(u, "configOptions"))),
    full("v1-cfg-13", Answer("session/set_config_option", |m| error(m, -32600))).also(&[
        "v1-cfg-10",
        "v1-cfg-11",
        "v1-cfg-15",
    ]),
    full("v1-cfg-15", Refuse("session/set_config_option", |params| params.get("type").is_some())),
    full("v1-cfg-16", Answer("session/new", |m| without_at(m, "/result/configOptions/0/options/0", "value")))
        .also(&["v1-rpc-11"]),
    // Turns.
    full("v1-turn-02", After("session/prompt", LATE)).also(&["v1-cap-01", "v1-cap-11", "v1-fs-01"]),
    full("v1-turn-03", Answer("session/prompt", |m| m["result"] = json!({}))).also(&[
        "v1-cancel-05",
        "v1-close-02",
        "v1-creq-09",
        "v1-rpc-04",
        "v1-rpc-11",
        "v1-turn-04",
    ]),
    full("v1-turn-04", Answer("session/prompt", |m| m["result"]["stopReason"] = json!("done"))).also(&[
        "v1-cancel-05",
        "v1-close-02",
        "v1-creq-09",
        "v1-rpc-04",
    ]),
    full("v1-turn-07", After("session/prompt", CHUNK)).also(&["v1-cancel-08"]),
    full("v1-turn-09", Update("tool_call_update", |u| without(u, "status"))),
    full("v1-turn-14", Hear("session/prompt", |m| m["params"]["prompt"][0]["type"] = json!("text"))),
    full(
        "v1-cancel-04",
        Line(|_, writer, line, out| loses(writer, line, |line| line.contains("session/cancel"), out)),
    )
    .also(&["v1-cancel-05", "v1-cancel-06", "v1-creq-10"]),
    full("v1-cancel-05", Answer("session/prompt", |m| m["result"] = json!({"stopReason": "end_turn"})))
        .also(&["v1-close-02", "v1-creq-09", "v1-rpc-04"]),
    full(
        "v1-cancel-06",
        Answer("session/prompt", |m| {
            if m["result"]["stopReason"] == "cancelled" {
                error(m, -32603);
            }
        }),
    )
    .also(&["v1-close-02", "v1-creq-03", "v1-creq-09"]),
    full("v1-cancel-08", After("session/prompt", CHUNK)).also(&["v1-turn-07"]),
    full(
        "v1-cancel-10",
        Line(|_, writer, line, out| {
            answers(writer, line, NOTHING, |line| line.contains("session/cancel"), out);
        }),
    )
    .also(&["v1-cancel-11", "v1-rpc-03", "v1-rpc-06"]),
    full(
        "v1-cancel-11",
        Line(|memory, writer, line, out| {
            let mut message = parsed(line);
            if message["method"] == "session/cancel" {
                memory.notes.insert("cancelled", Value::Null);
            }
            if message["result"]["stopReason"] == "end_turn" && memory.notes.contains_key("cancelled") {
                message["result"]["stopReason"] = json!("cancelled");
                return out.pass(writer, message.to_string());
            }
            out.pass(writer, line);
        }),
    ),
    full("v1-creq-03", Answer("session/prompt", |m| error(m, -32603))).also(&[
        "v1-close-02",
        "v1-creq-09",
        "v1-eli-18",
        "v1-new-13",
        "v1-new-14",
        "v1-rpc-19",
        "v1-turn-14",
    ]),
    full("v1-creq-06", ANSWERS_CANCELS).also(&["v1-rpc-03"]),
    full("v1-creq-09", Answer("session/prompt", |m| error(m, -32800))).also(&[
        "v1-close-02",
        "v1-eli-18",
        "v1-new-13",
        "v1-new-14",
        "v1-rpc-19",
        "v1-turn-14",
    ]),
    full(
        "v1-creq-10",
        Hear("$/cancel_request", |m| {
            if let Some(id) = m["params"]["requestId"].as_str().and_then(|id| id.parse::<i64>().ok()) {
                m["params"]["requestId"] = json!(id);
            }
        }),
    ),
    // Permissions.
    full("v1-perm-02", Call("session/request_permission", |m| without_at(m, "/params", "options")))
        .also(&["v1-turn-09"]),
    full(
        "v1-perm-06",
        Call("session/request_permission", |m| m["params"]["options"][0]["kind"] = json!("maybe")),
    ),
    full(
        "v1-perm-08",
        Line(|memory, writer, line, out| {
            let mut message = parsed(line);
            if message["method"] == "session/request_permission" {
                memory.notes.insert("option", message["params"]["options"][0]["optionId"].clone());
            }
            if message["result"]["outcome"]["outcome"] == "cancelled" {
                let option = memory.notes.get("option").unwrap();
                message["result"]["outcome"] = json!({"outcome": "selected", "optionId": option});
                return out.pass(writer, message.to_string());
            }
            out.pass(writer, line);
        }),
    ),
];
