//! JSON-RPC, the transport, `initialize`, capabilities and logins.

use acp_testkit::Writer;
use serde_json::{Value, json};

use super::faults::{LIE, NOTHING, answers, dies_of, full, loses, parsed, plain};
use crate::check::mutant::Fault::{Answer, Call, Hear, Line, Lose, Refuse, Update};
use crate::check::mutant::{Mutant, error, recode, success, without};

pub(super) const MUTANTS: &[Mutant] = &[
    // JSON-RPC.
    full("v1-rpc-01", Answer("session/new", |m| m["jsonrpc"] = json!("1.0"))),
    full(
        "v1-rpc-02",
        Line(|_, writer, line, out| {
            if line.contains("\"hello\"") && writer == Writer::Second {
                let at = line.find("hello").unwrap();
                out.raw(writer, &line.as_bytes()[..at]);
                out.raw(writer, b"\xff");
                out.raw(writer, &line.as_bytes()[at..]);
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
    full(
        "v1-cap-03",
        Refuse("initialize", |params| {
            let offered = &params["clientCapabilities"];
            offered["terminal"] == true && offered.get("fs").is_none()
        }),
    ),
    full("v1-cap-24", Answer("initialize", |m| without(&mut m["result"]["agentCapabilities"], "_meta"))),
    full(
        "v1-mcp-02",
        Answer("initialize", |m| m["result"]["agentCapabilities"]["mcpCapabilities"] = json!({"sse": true})),
    ),
];
