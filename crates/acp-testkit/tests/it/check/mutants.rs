//! The faults, by the rule that each breaks.

use acp_testkit::Writer;
use serde_json::{Value, json};

use super::mutant::Base::{Full, Plain};
use super::mutant::Fault::{After, Answer, Before, Call, Hear, Line, Lose, Refuse, Update};
use super::mutant::{Fault, Mutant, error, recode, success, without};

const fn full(rule: &'static str, fault: Fault) -> Mutant {
    Mutant { rule, base: Full, fault }
}

const fn plain(rule: &'static str, fault: Fault) -> Mutant {
    Mutant { rule, base: Plain, fault }
}

/// Tells the agent that the client offers everything, which it does not.
const LIE: Fault = Hear("initialize", |message| {
    message["params"]["clientCapabilities"] = json!({
        "fs": {"readTextFile": true, "writeTextFile": true}, "terminal": true,
        "elicitation": {"form": {}, "url": {}},
        "session": {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}},
        "auth": {"terminal": true},
    });
});

const CHUNK: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"late"}}}}"#;
const ECHOED: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"old"}}}}"#;

/// Closes the connection when a line of the client has this in it.
fn dies_of(writer: Writer, line: &str, text: &str, out: &mut acp_testkit::Outbox) {
    if writer == Writer::First && line.contains(text) {
        out.close();
    } else {
        out.pass(writer, line);
    }
}

/// Loses the lines of the client that are this.
fn loses(writer: Writer, line: &str, lost: fn(&str) -> bool, out: &mut acp_testkit::Outbox) {
    if writer == Writer::Second || !lost(line) {
        out.pass(writer, line);
    }
}

/// Answers lines of the client that are this, and passes them on.
fn answers(writer: Writer, line: &str, answer: &str, asked: fn(&str) -> bool, out: &mut acp_testkit::Outbox) {
    if writer == Writer::First && asked(line) {
        out.back(writer, answer);
    }
    out.pass(writer, line);
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_default()
}

const NOTHING: &str = r#"{"jsonrpc":"2.0","id":null,"result":{}}"#;

pub(super) const MUTANTS: &[Mutant] = &[
    // JSON-RPC.
    full("v1-rpc-01", Answer("session/new", |m| m["jsonrpc"] = json!("1.0"))),
    full(
        "v1-rpc-02",
        Line(|_, writer, line, out| {
            if line.contains("\"hello\"") && writer == Writer::Second {
                let at = line.find("hello").unwrap();
                out.raw(writer, line[..at].as_bytes());
                out.raw(writer, b"\xff");
                out.raw(writer, line[at..].as_bytes());
                out.raw(writer, b"\n");
            } else {
                out.pass(writer, line);
            }
        }),
    ),
    full(
        "v1-rpc-03",
        Answer("_acp_check/fence", |m| {
            if m["id"] == "0" {
                m["id"] = json!(0)
            }
        }),
    ),
    full(
        "v1-rpc-03",
        Line(|_, writer, line, out| {
            out.pass(writer, line);
            if writer == Writer::Second && line.contains("stopReason") {
                out.pass(writer, line);
            }
        }),
    ),
    full("v1-rpc-04", Answer("session/new", |m| m["error"] = Value::Null)),
    full("v1-rpc-04", Answer("_acp_check/fence", |m| m["error"]["code"] = json!("none"))),
    full("v1-rpc-05", Answer("session/list", |m| without(m, "result"))),
    full(
        "v1-rpc-06",
        Line(|_, writer, line, out| {
            answers(writer, line, NOTHING, |line| line.contains("_acp_check/event"), out);
        }),
    ),
    full("v1-rpc-07", Call("session/request_permission", |m| m["id"] = json!(1.5))),
    full("v1-rpc-08", Call("session/request_permission", |m| m["id"] = Value::Null)),
    full("v1-rpc-10", Refuse("session/list", Value::is_null)),
    full("v1-rpc-11", Update("agent_message_chunk", |u| u["message_id"] = json!("m"))),
    full("v1-rpc-12", Answer("acp_check/none", |m| recode(m, -32601, -32603))),
    plain("v1-rpc-13", Answer("session/list", |m| recode(m, -32601, -32603))),
    full("v1-rpc-14", Line(|_, writer, line, out| dies_of(writer, line, "\"acp_check/event", out))),
    full("v1-rpc-16", Line(|_, writer, line, out| loses(writer, line, |line| line == "{", out))),
    full("v1-rpc-17", Line(|_, writer, line, out| loses(writer, line, |line| line == "42", out))),
    full(
        "v1-rpc-18",
        Line(|_, writer, line, out| {
            if writer == Writer::First && line.starts_with("[{") {
                let list = parsed(line);
                list.as_array().unwrap().iter().for_each(|message| out.pass(writer, message.to_string()));
            } else {
                out.pass(writer, line);
            }
        }),
    ),
    full("v1-rpc-19", Answer("session/prompt", |m| recode(m, -32602, -32603))),
    full("v1-rpc-20", Refuse("session/new", |params| params.get("acpCheckFuture").is_some())),
    full("v1-rpc-21", Refuse("initialize", |params| params["_meta"].is_string())),
    full("v1-rpc-22", Answer("session/new", |m| recode(m, -32602, -32603))),
    full("v1-rpc-24", Update("tool_call", |u| u["locations"] = json!([{"path": "a.txt"}]))),
    full("v1-rpc-25", Update("tool_call", |u| u["locations"] = json!([{"path": "/a", "line": 0}]))),
    // Transport.
    full("v1-tr-01", Line(|_, _, _, _| {})),
    full(
        "v1-tr-03",
        Line(|_, writer, line, out| {
            let line = if writer == Writer::Second {
                line.replace("\"hello\"", "\"hel\nlo\"")
            } else {
                line.to_owned()
            };
            out.pass(writer, line);
        }),
    ),
    full(
        "v1-tr-04",
        Line(|_, writer, line, out| {
            if writer == Writer::Second && line.contains("stopReason") {
                out.pass(writer, "done!");
            }
            out.pass(writer, line);
        }),
    ),
    full("v1-tr-09", Line(|_, writer, line, out| answers(writer, line, NOTHING, str::is_empty, out))),
    // Initialization.
    full(
        "v1-init-03",
        Hear("initialize", |m| {
            if m["params"]["protocolVersion"] == "1" {
                m["params"]["protocolVersion"] = json!(1);
            }
        }),
    ),
    full("v1-init-04", Answer("initialize", |m| m["result"]["protocolVersion"] = json!(2))),
    full("v1-init-05", Answer("initialize", |m| m["result"]["protocolVersion"] = json!(65535))),
    full("v1-init-08", Refuse("initialize", |params| params.get("clientCapabilities").is_none())),
    full(
        "v1-init-09",
        Hear("initialize", |m| {
            m["params"]["clientCapabilities"] = m["params"]["capabilities"].clone();
            m["params"]["protocolVersion"] = json!(1);
        }),
    ),
    full("v1-init-10", Answer("session/new", |m| recode(m, -32600, -32603))),
    full("v1-init-13", Answer("initialize", |m| without(&mut m["result"], "agentCapabilities"))),
    full("v1-init-15", Answer("initialize", |m| without(&mut m["result"]["agentInfo"], "version"))),
    full("v1-init-17", Refuse("initialize", |params| params["clientInfo"].is_number())),
    // Capabilities.
    full("v1-cap-01", LIE),
    full("v1-cap-02", Refuse("initialize", |params| params.get("clientCapabilities").is_none())),
    full(
        "v1-cap-04",
        Refuse("initialize", |params| params["clientCapabilities"].get("fs").is_some_and(Value::is_null)),
    ),
    full(
        "v1-cap-05",
        Refuse("initialize", |params| params["clientCapabilities"]["session"]["notices"].is_boolean()),
    ),
    full("v1-cap-06", Lose("")),
    full("v1-cap-08", Refuse("session/prompt", |params| params.to_string().contains("resource_link"))),
    full("v1-cap-11", LIE),
    full("v1-cap-12", LIE),
    full("v1-cap-13", LIE),
    full("v1-cap-18", LIE),
    full("v1-cap-19", LIE),
    full("v1-cap-20", LIE),
    full("v1-cap-21", LIE),
    full("v1-cap-22", LIE),
    plain("v1-cap-25", Answer("session/set_mode", |m| success(m, json!({})))),
    // Authentication.
    full("v1-auth-01", Answer("initialize", |m| without(&mut m["result"]["authMethods"][0], "name"))),
    full("v1-auth-05", Answer("session/new", |m| error(m, -32000))),
    full("v1-auth-14", Answer("logout", |m| error(m, -32603))),
    full(
        "v1-auth-17",
        Answer("initialize", |m| {
            if let Some(method) = m["result"]["authMethods"].get_mut(1) {
                method["env"] = json!([{"name": "A"}])
            }
        }),
    ),
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
    // Content, tool calls, plans.
    full("v1-cont-01", Update("agent_message_chunk", |u| u["content"]["type"] = json!("video"))),
    full("v1-cont-03", Update("agent_message_chunk", |u| without(&mut u["content"], "data"))),
    full("v1-cont-04", Update("agent_message_chunk", |u| u["content"]["resource"] = json!({"text": "t"}))),
    full("v1-cont-05", Update("agent_message_chunk", |u| without(&mut u["content"], "name"))),
    full("v1-cont-07", Refuse("session/prompt", |params| params["prompt"][0]["annotations"].is_number())),
    full("v1-tool-01", Lose("tool_call")),
    full("v1-tool-02", Update("tool_call", |u| without(u, "title"))),
    full("v1-tool-03", Update("tool_call_update", |u| without(u, "toolCallId"))),
    full("v1-tool-06", Update("tool_call_update", |u| u["status"] = json!("done"))),
    full("v1-tool-07", Update("tool_call", |u| u["kind"] = json!("compile"))),
    full("v1-tool-08", Update("tool_call", |u| u["content"] = json!([{"type": "table"}]))),
    full(
        "v1-tool-09",
        Update("tool_call_update", |u| {
            if u["content"][0]["type"] == "diff" {
                without(&mut u["content"][0], "newText");
            }
        }),
    ),
    full(
        "v1-tool-10",
        Line(|memory, writer, line, out| {
            let message = parsed(line);
            if message["params"]["update"]["content"][0]["type"] == "terminal" {
                memory.notes.insert("embedding", message);
                return;
            }
            out.pass(writer, line);
            if message["method"] == "terminal/release"
                && let Some(late) = memory.notes.remove("embedding")
            {
                out.pass(writer, late.to_string());
            }
        }),
    ),
    full("v1-tool-12", Update("tool_call", |u| u["locations"] = json!([{"line": 1}]))),
    full("v1-plan-02", Update("plan", |u| without(&mut u["entries"][0], "status"))),
    full("v1-plan-06", Update("plan", |u| u["entries"][0]["priority"] = json!("urgent"))),
    full(
        "v1-plan-07",
        Before(
            "session/prompt",
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":{"sessionUpdate":"plan_removed","id":"p"}}}"#,
        ),
    ),
    // Files and terminals.
    full("v1-fs-01", LIE),
    full("v1-fs-03", Call("fs/read_text_file", |m| m["params"]["line"] = json!("2"))),
    full("v1-fs-07", Call("fs/read_text_file", |m| m["params"]["path"] = json!("a.txt"))),
    full(
        "v1-term-02",
        Line(|_, writer, line, out| {
            if writer == Writer::Second && line.contains("terminal/release") {
                out.back(
                    writer,
                    json!({"jsonrpc": "2.0", "id": parsed(line)["id"], "result": {}}).to_string(),
                );
            } else {
                out.pass(writer, line);
            }
        }),
    ),
    full("v1-term-12", Call("terminal/create", |m| m["params"]["cwd"] = json!("work"))),
    // Elicitation.
    full("v1-eli-01", LIE),
    full("v1-eli-03", Call("elicitation/create", |m| without(&mut m["params"], "mode"))),
    full("v1-eli-04", Call("elicitation/create", |m| without(&mut m["params"], "sessionId"))),
    full(
        "v1-eli-06",
        Call("elicitation/create", |m| {
            m["params"]["requestedSchema"]["properties"] = json!({"deep": {"type": "object"}});
        }),
    ),
    full("v1-eli-19", Call("elicitation/create", |m| m["params"]["elicitationId"] = json!("same"))),
    // Commands, notices, compactions.
    full(
        "v1-cmd-02",
        Update("available_commands_update", |u| without(&mut u["availableCommands"][0], "description")),
    ),
    full("v1-not-01", Update("notice", |u| u["title"] = json!(""))),
    full("v1-cmp-01", Update("compaction_update", |u| without(u, "compactionId"))),
    full(
        "v1-cmp-04",
        Before(
            "session/prompt",
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":{"sessionUpdate":"compaction_update","compactionId":"c-1","status":"in_progress"}}}"#,
        ),
    ),
    full("v1-cmp-05", Update("compaction_update", |u| u["status"] = json!("in_progress"))),
    // Extensions and errors.
    full("v1-ext-01", Update("agent_message_chunk", |u| u["timestamp"] = json!(1))),
    full("v1-ext-02", Refuse("session/new", |params| params["_meta"].is_number())),
    full("v1-ext-05", Before("session/prompt", r#"{"jsonrpc":"2.0","method":"full/done","params":{}}"#)),
    full(
        "v1-ext-06",
        Line(|_, writer, line, out| loses(writer, line, |line| line.contains("_acp_check/"), out)),
    ),
    full("v1-ext-07", Line(|_, writer, line, out| dies_of(writer, line, "_acp_check/event", out))),
    full("v1-err-03", Answer("_acp_check/fence", |m| m["error"]["code"] = json!(-32050))),
    full(
        "v1-err-04",
        Answer("session/prompt", |m| {
            if m["error"]["code"] == -32002 {
                without(&mut m["error"], "data");
            }
        }),
    ),
    full("v1-err-07", Line(|_, writer, line, out| dies_of(writer, line, "987654321", out))),
];
