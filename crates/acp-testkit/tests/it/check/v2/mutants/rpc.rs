//! JSON-RPC, `initialize`, capabilities and logins.

use acp_testkit::Writer;
use serde_json::{Value, json};

use crate::check::mutant::Base::{Locked, Newer};
use crate::check::mutant::Fault::{Answer, Before, Call, Hear, Line, Refuse, Update};
use crate::check::mutant::{Fault, Mutant, error, recode, success, without};
use crate::check::mutants::faults::{NOTHING, answers, dies_of, full, loses, parsed};

const fn newer(rule: &'static str, fault: Fault) -> Mutant {
    Mutant { rule, base: Newer, fault }
}

/// Tells the agent that the client offers everything, which it does not.
const LIE: Fault = Hear("initialize", |message| {
    message["params"]["capabilities"] =
        json!({"elicitation": {"form": {}, "url": {}}, "auth": {"terminal": {}}});
});

pub(super) const MUTANTS: &[Mutant] = &[
    // JSON-RPC.
    full("v2-rpc-01", Call("session/request_permission", |m| m["id"] = Value::Null)),
    full(
        "v2-rpc-01",
        Line(|_, writer, line, out| loses(writer, line, |line| line.contains(r#""id":null"#), out)),
    ),
    full(
        "v2-rpc-02",
        Answer("_acp_check/fence", |m| {
            if m["id"] == "0" {
                m["id"] = json!(0)
            }
        }),
    ),
    full(
        "v2-rpc-03",
        Line(|_, writer, line, out| {
            out.pass(writer, line);
            if writer == Writer::Second && line.contains("session/request_permission") {
                out.pass(writer, line);
            }
        }),
    ),
    full(
        "v2-rpc-04",
        Line(|memory, writer, line, out| {
            let message = parsed(line);
            if message["method"] == "session/request_permission" {
                memory.notes.insert("asked", message["id"].clone());
            }
            let collides = memory.notes.get("asked") == Some(&message["id"]);
            if writer == Writer::Second || message.get("method").is_none() || !collides {
                out.pass(writer, line);
            }
        }),
    ),
    full(
        "v2-rpc-05",
        Line(|_, writer, line, out| {
            let mut message = parsed(line);
            if writer == Writer::Second && message["error"]["code"] == -32700 {
                without(&mut message, "id");
                return out.pass(writer, message.to_string());
            }
            out.pass(writer, line);
        }),
    ),
    full(
        "v2-rpc-06",
        Line(|_, writer, line, out| {
            if writer == Writer::First && line.starts_with("[{") {
                let list = parsed(line);
                list.as_array().unwrap().iter().for_each(|message| out.pass(writer, message.to_string()));
            } else {
                out.pass(writer, line);
            }
        }),
    ),
    full("v2-rpc-07", Answer("acp_check/none", |m| recode(m, -32601, -32603))),
    full("v2-err-01", Answer("session/prompt", |m| recode(m, -32002, -32603))),
    full(
        "v2-err-01",
        Answer("session/resume", |m| {
            if m["error"]["code"] == -32002 {
                without(&mut m["error"], "data");
            }
        }),
    ),
    full("v2-err-02", Answer("session/new", |m| recode(m, -32600, -32603))),
    newer("v2-err-03", Answer("initialize", |m| recode(m, -32022, -32602))),
    newer(
        "v2-err-03",
        Answer("initialize", |m| {
            if m.get("error").is_some() {
                without(&mut m["error"]["data"], "supported");
            }
        }),
    ),
    full("v2-err-04", Line(|_, writer, line, out| dies_of(writer, line, r#""data":null"#, out))),
    full("v2-err-05", Answer("terminal/cancel", |m| recode(m, -32602, -32601))),
    // Initialization.
    full(
        "v2-init-01",
        Hear("initialize", |m| {
            if m["params"].get("info").is_none() {
                m["params"]["info"] = json!({"name": "x", "version": "1"});
            }
        }),
    ),
    full("v2-init-01", Answer("initialize", |m| without(&mut m["result"]["info"], "version"))),
    full(
        "v2-init-02",
        Line(|memory, writer, line, out| {
            let mut message = parsed(line);
            let asked = memory.request(&message).map(|asked| &asked["params"]["protocolVersion"]);
            if writer == Writer::Second && asked.is_some_and(|version| *version == 65535) {
                message["result"]["protocolVersion"] = json!(65535);
                return out.pass(writer, message.to_string());
            }
            out.pass(writer, line);
        }),
    ),
    newer(
        "v2-init-03",
        Line(|_, writer, line, out| {
            out.pass(writer, line);
            if writer == Writer::Second && line.contains("-32022") {
                out.close();
            }
        }),
    ),
    full("v2-init-05", Refuse("initialize", |params| params["info"].is_number())),
    full(
        "v2-init-07",
        Line(|memory, writer, line, out| {
            let mut message = parsed(line);
            if message["params"]["protocolVersion"] == 1 {
                memory.notes.insert("broken", Value::Null);
            }
            if writer == Writer::First
                && message["method"] == "session/new"
                && memory.notes.contains_key("broken")
            {
                error(&mut message, -32600);
                without(&mut message, "method");
                return out.back(writer, message.to_string());
            }
            out.pass(writer, line);
        }),
    ),
    full(
        "v2-init-08",
        Line(|_, writer, line, out| {
            answers(writer, line, NOTHING, |line| line.contains("_acp_check/event"), out);
        }),
    ),
    // Capabilities.
    full("v2-cap-01", LIE),
    full("v2-cap-02", Answer("session/resume", |m| recode(m, -32002, -32601))),
    full(
        "v2-cap-04",
        Answer("initialize", |m| m["result"]["capabilities"]["session"]["prompt"]["image"] = json!(true)),
    ),
    full("v2-cap-08", Hear("session/new", |m| m["params"]["mcpServers"] = json!([]))),
    full("v2-cap-08", Hear("session/resume", |m| without(&mut m["params"], "replayFrom"))),
    // Authentication.
    full("v2-auth-01", Answer("auth/logout", |m| error(m, -32601))),
    full("v2-auth-01", Answer("auth/login", |m| error(m, -32601))),
    full("v2-auth-03", Answer("initialize", |m| without(&mut m["result"]["authMethods"][0], "type"))),
    full(
        "v2-auth-05",
        Answer("initialize", |m| {
            let pair = json!({"name": "A", "value": "1"});
            if let Some(method) = m["result"]["authMethods"].get_mut(1) {
                method["env"] = json!([pair, pair]);
            }
        }),
    ),
    Mutant {
        rule: "v2-auth-07",
        base: Locked,
        fault: Line(|memory, writer, line, out| {
            let mut message = parsed(line);
            if message["method"] == "auth/logout" {
                memory.notes.insert("out", Value::Null);
            }
            let lists = memory.request(&message).is_some_and(|asked| asked["method"] == "session/list");
            if writer == Writer::Second && lists && memory.notes.contains_key("out") {
                success(&mut message, json!({"sessions": []}));
                return out.pass(writer, message.to_string());
            }
            out.pass(writer, line);
        }),
    },
    // Gone methods.
    full("v2-res-01", Answer("session/load", |m| recode(m, -32601, -32602))),
    full("v2-cfg-05", Answer("session/set_mode", |m| success(m, json!({})))),
    full(
        "v2-term-01",
        Before(
            "session/prompt",
            r#"{"jsonrpc":"2.0","id":"t","method":"terminal/create","params":{"sessionId":"SESSION","command":"x"}}"#,
        ),
    ),
    full("v2-tool-01", Update("tool_call_update", |u| u["sessionUpdate"] = json!("tool_call"))),
];
