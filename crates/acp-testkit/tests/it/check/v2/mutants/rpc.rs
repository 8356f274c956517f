//! JSON-RPC, `initialize`, capabilities and logins.

use acp_testkit::Writer;
use serde_json::{Value, json};

use crate::check::mutant::Base::{Locked, Newer};
use crate::check::mutant::Fault::{Answer, Before, Call, DiesOf, Hear, Line, Refuse, Update};
use crate::check::mutant::{Fault, Mutant, error, recode, success, without, without_at};
use crate::check::mutants::faults::{
    ANSWERS_NOTIFICATIONS, MIXES_UP_IDS, OTHER_ID, TAKES_ARRAYS, full, loses, parsed,
};

const fn newer(rule: &'static str, fault: Fault) -> Mutant {
    Mutant::new(rule, Newer, fault)
}

/// Tells the agent that the client offers everything, which it does not.
const LIE: Fault = Hear("initialize", |message| {
    message["params"]["capabilities"] =
        json!({"elicitation": {"form": {}, "url": {}}, "auth": {"terminal": {}}});
});

const TERMINAL: &str =
    r#"{"jsonrpc":"2.0","id":"t","method":"terminal/create","params":{"sessionId":"SESSION","command":"x"}}"#;

pub(super) const MUTANTS: &[Mutant] = &[
    // JSON-RPC.
    full("v2-rpc-01", Call("session/request_permission", |m| m["id"] = Value::Null)).also(&["v2-rpc-03"]),
    full(
        "v2-rpc-01",
        Line(|_, writer, line, out| loses(writer, line, |line| line.contains(r#""id":null"#), out)),
    ),
    full("v2-rpc-02", OTHER_ID),
    full(
        "v2-rpc-03",
        Line(|_, writer, line, out| {
            out.pass(writer, line);
            if writer == Writer::Second && line.contains("session/request_permission") {
                out.pass(writer, line);
            }
        }),
    )
    .also(&["v2-creq-01", "v2-state-04"]),
    full("v2-rpc-04", MIXES_UP_IDS),
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
    full("v2-rpc-06", TAKES_ARRAYS).also(&["v2-rpc-02"]),
    full("v2-rpc-07", Answer("acp_check/none", |m| recode(m, -32601, -32603))),
    full("v2-err-01", Answer("session/prompt", |m| recode(m, -32002, -32603))).also(&["v2-close-01"]),
    full(
        "v2-err-01",
        Answer("session/resume", |m| {
            if m["error"]["code"] == -32002 {
                without_at(m, "/error", "data");
            }
        }),
    ),
    full("v2-err-02", Answer("session/new", |m| recode(m, -32600, -32603))),
    newer("v2-err-03", Answer("initialize", |m| recode(m, -32022, -32602))).also(&["v2-init-03"]),
    newer(
        "v2-err-03",
        Answer("initialize", |m| {
            if m.get("error").is_some() {
                without_at(m, "/error/data", "supported");
            }
        }),
    ),
    full("v2-err-04", DiesOf(r#""data":null"#)),
    full("v2-err-05", Answer("terminal/cancel", |m| recode(m, -32602, -32601))).also(&["v2-tcc-03"]),
    // Initialization.
    full(
        "v2-init-01",
        Hear("initialize", |m| {
            if m["params"].get("info").is_none() {
                m["params"]["info"] = json!({"name": "x", "version": "1"});
            }
        }),
    ),
    full("v2-init-01", Answer("initialize", |m| without_at(m, "/result/info", "version")))
        .also(&["v1-rpc-11"]),
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
    full("v2-init-08", ANSWERS_NOTIFICATIONS).also(&["v1-ext-07", "v1-rpc-06", "v2-rpc-02", "v2-rpc-05"]),
    // Capabilities.
    full("v2-cap-01", LIE),
    full("v2-cap-02", Answer("session/resume", |m| recode(m, -32002, -32601))).also(&["v2-err-01"]),
    full(
        "v2-cap-04",
        Answer("initialize", |m| m["result"]["capabilities"]["session"]["prompt"]["image"] = json!(true)),
    )
    .also(&["v1-rpc-04", "v1-rpc-11"]),
    full("v2-cap-08", Hear("session/new", |m| m["params"]["mcpServers"] = json!([]))).also(&[
        "v1-new-09",
        "v1-rpc-22",
        "v2-mcp-01",
        "v2-new-06",
    ]),
    full("v2-cap-08", Hear("session/resume", |m| without_at(m, "/params", "replayFrom")))
        .also(&["v2-res-03", "v2-res-04"]),
    // Authentication.
    full("v2-auth-01", Answer("auth/logout", |m| error(m, -32601))),
    full("v2-auth-01", Answer("auth/login", |m| error(m, -32601))),
    full("v2-auth-03", Answer("initialize", |m| without_at(m, "/result/authMethods/0", "type")))
        .also(&["v1-rpc-11"]),
    full(
        "v2-auth-05",
        Answer("initialize", |m| {
            let pair = json!({"name": "A", "value": "1"});
            if let Some(method) = m["result"]["authMethods"].get_mut(1) {
                method["env"] = json!([pair, pair]);
            }
        }),
    )
    .also(&["v1-rpc-04", "v1-rpc-11"]),
    Mutant::new(
        "v2-auth-07",
        Locked,
        Line(|memory, writer, line, out| {
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
    )
    .also(&["v2-err-01", "v2-list-01"]),
    // Gone methods.
    full("v2-res-01", Answer("session/load", |m| recode(m, -32601, -32602))),
    full("v2-cfg-05", Answer("session/set_mode", |m| success(m, json!({})))),
    full("v2-term-01", Before("session/prompt", TERMINAL)).also(&["v1-ext-05", "v2-close-03"]),
    full("v2-tool-01", Update("tool_call_update", |u| u["sessionUpdate"] = json!("tool_call")))
        .also(&["v2-bg-03", "v2-ext-01"]),
];
