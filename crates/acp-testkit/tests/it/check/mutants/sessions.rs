//! Sessions, their settings, turns and cancellation.

use acp_testkit::Writer;
use serde_json::{Value, json};

use super::faults::{CHUNK, ECHOED, LIE, NOTHING, answers, full, loses, parsed};
use crate::check::mutant::Fault::{After, Answer, Before, Call, Hear, Line, Lose, Refuse, Update};
use crate::check::mutant::{Mutant, error, recode, success, without};

pub(super) const MUTANTS: &[Mutant] = &[
    // Sessions.
    full("v1-new-01", Answer("session/new", |m| m["result"]["sessionId"] = json!("same"))),
    full("v1-new-02", Hear("session/new", |m| m["params"]["cwd"] = json!("/work"))),
    full("v1-new-03", Hear("session/new", |m| m["params"]["cwd"] = json!("/work"))),
    full("v1-new-07", Hear("session/new", |m| without(&mut m["params"], "additionalDirectories"))),
    full("v1-new-09", Hear("session/new", |m| m["params"]["mcpServers"] = json!([]))),
    full(
        "v1-new-12",
        Line(|memory, writer, line, out| {
            let prompts = writer == Writer::First && line.contains("session/prompt");
            if !prompts || memory.notes.insert("prompted", Value::Null).is_none() {
                out.pass(writer, line);
            }
        }),
    ),
    full("v1-new-13", Answer("session/prompt", |m| without(&mut m["error"], "data"))),
    full("v1-new-14", Answer("session/prompt", |m| recode(m, -32002, -32603))),
    full(
        "v1-new-14",
        Before(
            "session/prompt",
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"session_info_update"}}}"#,
        ),
    ),
    full("v1-close-02", Answer("session/prompt", |m| m["result"] = json!({"stopReason": "end_turn"}))),
    full("v1-close-03", Answer("session/close", |m| m["result"] = json!(5))),
    full("v1-mcp-08", Hear("session/new", |m| m["params"]["mcpServers"] = json!([]))),
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
    ),
    full("v1-list-01", Answer("session/list", |m| without(&mut m["result"], "sessions"))),
    full("v1-list-02", Answer("session/list", |m| error(m, -32602))),
    full("v1-list-06", Answer("session/list", |m| success(m, json!({"sessions": []})))),
    full("v1-list-10", Answer("session/prompt", |m| success(m, json!({"stopReason": "end_turn"})))),
    full("v1-list-12", Answer("session/list", |m| m["result"]["sessions"][0]["cwd"] = json!("work"))),
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
    full("v1-info-02", Update("session_info_update", |u| u["cwd"] = json!("/work"))),
    // Modes and config options.
    full("v1-mode-03", Answer("session/set_mode", |m| error(m, -32601))),
    full("v1-mode-04", Update("current_mode_update", |u| u["currentModeId"] = json!("none"))),
    full("v1-mode-04", Answer("session/new", |m| m["result"]["modes"]["currentModeId"] = json!("none"))),
    full(
        "v1-cfg-03",
        Answer("session/new", |m| without(&mut m["result"]["configOptions"][0], "currentValue")),
    ),
    full("v1-cfg-04", LIE),
    full("v1-cfg-08", Answer("session/new", |m| m["result"]["configOptions"][0]["category"] = json!("pace"))),
    full(
        "v1-cfg-10",
        Answer("session/set_config_option", |m| {
            m["result"]["configOptions"].as_array_mut().unwrap().truncate(1);
        }),
    ),
    full("v1-cfg-11", Answer("session/set_config_option", |m| recode(m, -32602, -32603))),
    full("v1-cfg-12", Update("config_option_update", |u| without(u, "configOptions"))),
    full("v1-cfg-13", Answer("session/set_config_option", |m| error(m, -32600))),
    full("v1-cfg-15", Refuse("session/set_config_option", |params| params.get("type").is_some())),
    full(
        "v1-cfg-16",
        Answer("session/new", |m| without(&mut m["result"]["configOptions"][0]["options"][0], "value")),
    ),
    // Turns.
    full(
        "v1-turn-02",
        After(
            "session/prompt",
            r#"{"jsonrpc":"2.0","id":"late","method":"fs/read_text_file","params":{"sessionId":"SESSION","path":"/a"}}"#,
        ),
    ),
    full("v1-turn-03", Answer("session/prompt", |m| m["result"] = json!({}))),
    full("v1-turn-04", Answer("session/prompt", |m| m["result"]["stopReason"] = json!("done"))),
    full("v1-turn-07", After("session/prompt", CHUNK)),
    full("v1-turn-09", Update("tool_call_update", |u| without(u, "status"))),
    full("v1-turn-14", Hear("session/prompt", |m| m["params"]["prompt"][0]["type"] = json!("text"))),
    full(
        "v1-cancel-04",
        Line(|_, writer, line, out| loses(writer, line, |line| line.contains("session/cancel"), out)),
    ),
    full("v1-cancel-05", Answer("session/prompt", |m| m["result"] = json!({"stopReason": "end_turn"}))),
    full(
        "v1-cancel-06",
        Answer("session/prompt", |m| {
            if m["result"]["stopReason"] == "cancelled" {
                error(m, -32603);
            }
        }),
    ),
    full("v1-cancel-08", After("session/prompt", CHUNK)),
    full(
        "v1-cancel-10",
        Line(|_, writer, line, out| {
            answers(writer, line, NOTHING, |line| line.contains("session/cancel"), out);
        }),
    ),
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
    full("v1-creq-03", Answer("session/prompt", |m| error(m, -32603))),
    full(
        "v1-creq-06",
        Line(|_, writer, line, out| {
            let answer = r#"{"jsonrpc":"2.0","id":99999,"error":{"code":-32800,"message":"cancelled"}}"#;
            answers(writer, line, answer, |line| line.contains("$/cancel_request"), out);
        }),
    ),
    full("v1-creq-09", Answer("session/prompt", |m| error(m, -32800))),
    full(
        "v1-creq-10",
        Hear("$/cancel_request", |m| {
            if let Some(id) = m["params"]["requestId"].as_str().and_then(|id| id.parse::<i64>().ok()) {
                m["params"]["requestId"] = json!(id);
            }
        }),
    ),
    // Permissions.
    full("v1-perm-02", Call("session/request_permission", |m| without(&mut m["params"], "options"))),
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
