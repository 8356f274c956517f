//! Sessions: how they are opened, listed and closed, their options, and requests that are
//! cancelled.

use acp_testkit::Writer;
use serde_json::{Value, json};

use super::prompts::{is_idle, state};
use crate::check::mutant::Fault::{After, Answer, Before, Hear, Line, Refuse, Update};
use crate::check::mutant::{Mutant, error, recode, success, without, without_at};
use crate::check::mutants::faults::{ANSWERS_CANCELS, full, loses, parsed};

const CHUNK: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":{"sessionUpdate":"agent_message_chunk","messageId":"late","content":{"type":"text","text":"late"}}}}"#;
const NOTICE: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":{"sessionUpdate":"notice","severity":"info","title":"old"}}}"#;

pub(super) const MUTANTS: &[Mutant] = &[
    // Set-up.
    full("v2-new-01", Refuse("session/new", |params| params.get("mcpServers").is_none())),
    full("v2-new-02", Answer("session/new", |m| m["result"]["configOptions"] = Value::Null))
        .also(&["v1-rpc-04", "v1-rpc-11"]),
    full("v2-new-06", Hear("session/new", |m| m["params"]["mcpServers"] = json!([]))).also(&[
        "v1-new-09",
        "v1-rpc-22",
        "v2-cap-08",
        "v2-mcp-01",
    ]),
    full("v2-mcp-01", Refuse("session/new", |params| params["mcpServers"][0]["type"] == "stdio")),
    full("v2-mcp-01", Hear("session/new", |m| m["params"]["mcpServers"] = json!([]))).also(&[
        "v1-new-09",
        "v1-rpc-22",
        "v2-cap-08",
        "v2-new-06",
    ]),
    full("v2-meta-02", Refuse("session/new", |params| params.get("_meta").is_some_and(Value::is_null))),
    full("v2-ext-04", Answer("session/prompt", |m| recode(m, -32602, -32603))).also(&[
        "v1-rpc-19",
        "v2-cap-08",
        "v2-ext-05",
    ]),
    full(
        "v2-ext-05",
        Hear("session/prompt", |m| {
            if m["params"]["prompt"][0]["type"].is_number() {
                m["params"]["prompt"][0]["type"] = json!("text");
            }
        }),
    ),
    // Opened again.
    full("v2-res-02", Before("session/resume", CHUNK)).also(&["v2-res-05"]),
    full(
        "v2-res-03",
        Line(|_, writer, line, out| {
            let message = parsed(line);
            let is_history = message["params"]["update"]["sessionUpdate"] == "user_message_chunk";
            if !is_history {
                out.pass(writer, line);
            }
        }),
    )
    .also(&["v2-res-09"]),
    full("v2-res-03", After("session/resume", CHUNK)).also(&["v2-res-02"]),
    full(
        "v2-res-04",
        Hear("session/resume", |m| {
            if m["params"]["replayFrom"].is_number() {
                without_at(m, "/params", "replayFrom");
            }
        }),
    ),
    full(
        "v2-res-05",
        Line(|memory, writer, line, out| {
            let message = parsed(line);
            if message["method"] == "session/resume" {
                memory.notes.insert("resumed", message["params"]["sessionId"].clone());
            }
            let resumed = memory.notes.get("resumed") == Some(&message["params"]["sessionId"]);
            if !(is_idle(&message) && resumed) {
                out.pass(writer, line);
            }
        }),
    ),
    full(
        "v2-res-09",
        Line(|_, writer, line, out| {
            let mut message = parsed(line);
            let update = &mut message["params"]["update"];
            if update["sessionUpdate"] == "user_message_chunk" {
                update["messageId"] = json!("another");
                return out.pass(writer, message.to_string());
            }
            out.pass(writer, line);
        }),
    )
    .also(&["v1-ext-07", "v1-rpc-17", "v2-rpc-06"]),
    full("v2-res-10", Before("session/resume", NOTICE)),
    // Lists.
    full("v2-list-01", Answer("session/list", |m| without_at(m, "/result", "sessions")))
        .also(&["v1-rpc-11", "v2-list-02"]),
    full("v2-list-02", Hear("session/list", |m| without_at(m, "/params", "cwd"))),
    full(
        "v2-list-04",
        Answer("session/list", |m| {
            for entry in m["result"]["sessions"].as_array_mut().into_iter().flatten() {
                entry["updatedAt"] = json!("2026-01-01 10:00:00");
            }
        }),
    )
    .also(&["v1-rpc-04", "v1-rpc-11"]),
    full(
        "v2-path-01",
        Answer("session/list", |m| {
            for entry in m["result"]["sessions"].as_array_mut().into_iter().flatten() {
                entry["cwd"] = json!("file:///work");
            }
        }),
    )
    .also(&["v1-rpc-04", "v1-rpc-11"]),
    // The end.
    full(
        "v2-close-01",
        Line(|_, writer, line, out| {
            let message = parsed(line);
            if message["method"] == "session/close" {
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": {}});
                return out.back(writer, answer.to_string());
            }
            out.pass(writer, line);
        }),
    )
    .also(&["v2-close-02", "v2-close-03", "v2-close-04"]),
    full(
        "v2-close-02",
        Line(|_, writer, line, out| {
            if !(writer == Writer::Second && line.contains(r#""stopReason":"cancelled""#)) {
                out.pass(writer, line);
            }
        }),
    )
    .also(&[
        "v2-cancel-01",
        "v2-cancel-02",
        "v2-cancel-03",
        "v2-cancel-04",
        "v2-cancel-06",
        "v2-eli-04",
        "v2-tcc-03",
        "v2-turn-01",
    ]),
    full("v2-close-03", After("session/close", CHUNK)).also(&["v2-res-02"]),
    full("v2-close-04", Answer("session/prompt", |m| recode(m, -32800, -32603))).also(&["v2-turn-08"]),
    full(
        "v2-close-05",
        Line(|memory, writer, line, out| {
            let mut message = parsed(line);
            if writer == Writer::First && message["method"] == "session/close" {
                let session = message["params"]["sessionId"].to_string();
                if session.contains("acp-check-none") {
                    without(&mut message, "method");
                    error(&mut message, -32002);
                    return out.back(writer, message.to_string());
                }
                memory.notes.insert("closed", json!(session));
            }
            out.pass(writer, line);
        }),
    )
    .also(&["v2-err-01"]),
    // Options.
    full("v2-cfg-01", Update("config_option_update", |u| without_at(u, "/configOptions/0", "configId"))),
    full(
        "v2-cfg-02",
        Hear("session/set_config_option", |m| {
            if m["params"].get("type").is_none() {
                m["params"]["type"] = json!("id");
            }
        }),
    ),
    full("v2-cfg-03", Answer("session/set_config_option", |m| recode(m, -32602, -32603)))
        .also(&["v2-cap-08", "v2-cfg-02"]),
    full(
        "v2-cfg-03",
        Answer("session/set_config_option", |m| {
            if m.get("result").is_some() {
                m["result"]["configOptions"] = json!([]);
            }
        }),
    ),
    full(
        "v2-cfg-04",
        Answer("session/new", |m| {
            for option in m["result"]["configOptions"].as_array_mut().into_iter().flatten() {
                if option["type"] == "select" {
                    option["currentValue"] = json!("none");
                }
            }
        }),
    )
    .also(&["v1-rpc-04", "v1-rpc-11", "v2-cfg-03", "v2-new-02"]),
    // Cancelled requests.
    full(
        "v2-creq-01",
        Line(|memory, writer, line, out| {
            let mut message = parsed(line);
            if message["method"] == "session/request_permission" {
                memory.notes.insert("session", message["params"]["sessionId"].clone());
            }
            if writer == Writer::First && message["method"] == "$/cancel_request" {
                message["method"] = json!("session/cancel");
                message["params"] = json!({"sessionId": memory.notes["session"]});
                return out.pass(writer, message.to_string());
            }
            out.pass(writer, line);
        }),
    )
    .also(&["v2-creq-03"]),
    full(
        "v2-creq-02",
        Line(|_, writer, line, out| {
            if writer == Writer::First || !line.contains("acp-check-cancelled") {
                out.pass(writer, line);
            }
        }),
    ),
    full("v2-creq-03", ANSWERS_CANCELS).also(&["v2-rpc-02"]),
    full("v2-tcc-03", Answer("tool_call/cancel", |m| success(m, json!({})))),
    full("v2-tcc-03", Answer("terminal/cancel", |m| recode(m, -32602, -32002))).also(&["v2-err-01"]),
    // Cancelled turns.
    full(
        "v2-cancel-01",
        Line(|_, writer, line, out| loses(writer, line, |line| line.contains("session/cancel"), out)),
    )
    .also(&[
        "v2-cancel-02",
        "v2-cancel-03",
        "v2-cancel-04",
        "v2-cancel-06",
        "v2-eli-04",
        "v2-tcc-03",
        "v2-turn-01",
        "v2-turn-08",
    ]),
    full(
        "v2-cancel-02",
        state(|u| {
            if u["stopReason"] == "cancelled" {
                u["stopReason"] = json!("end_turn");
            }
        }),
    )
    .also(&["v2-close-02"]),
    full(
        "v2-cancel-03",
        state(|u| {
            if u["stopReason"] == "cancelled" {
                u["stopReason"] = json!("error");
            }
        }),
    )
    .also(&["v2-close-02"]),
    full(
        "v2-cancel-04",
        Line(|_, writer, line, out| loses(writer, line, |line| line.contains("session/cancel"), out)),
    )
    .also(&[
        "v2-cancel-01",
        "v2-cancel-02",
        "v2-cancel-03",
        "v2-cancel-06",
        "v2-eli-04",
        "v2-tcc-03",
        "v2-turn-01",
        "v2-turn-08",
    ]),
    full(
        "v2-cancel-06",
        Line(|memory, writer, line, out| {
            let message = parsed(line);
            if message["method"] == "session/request_permission" {
                memory.notes.insert("asked", message.clone());
            }
            out.pass(writer, line);
            if writer == Writer::First && message["result"]["outcome"]["outcome"] == "selected" {
                let question = &memory.notes["asked"]["params"];
                let call = &question["subject"]["toolCall"]["toolCallId"];
                let update =
                    json!({"sessionUpdate": "tool_call_update", "toolCallId": call, "status": "completed"});
                let params = json!({"sessionId": question["sessionId"], "update": update});
                out.back(
                    writer,
                    json!({"jsonrpc": "2.0", "method": "session/update", "params": params}).to_string(),
                );
            }
        }),
    )
    .also(&["v1-rpc-11", "v2-cancel-07", "v2-perm-07", "v2-tool-02"]),
    full(
        "v2-cancel-07",
        Line(|memory, writer, line, out| {
            out.pass(writer, line);
            let message = parsed(line);
            if message["params"]["update"]["sessionUpdate"] == "agent_message_chunk" {
                memory.notes.insert("said", message);
            } else if is_idle(&message) && line.contains("cancelled") {
                out.pass(writer, memory.notes["said"].to_string());
            }
        }),
    ),
];
