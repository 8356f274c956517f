//! JSON-RPC, the transport, `initialize`, capabilities and logins.

use acp_testkit::Writer;
use serde_json::{Value, json};

use super::faults::{
    ANSWERS_BLANKS, ANSWERS_NOTIFICATIONS, BOOLEANS, COMPACTIONS, FILES, FORMS, LOGINS, MIXES_UP_IDS,
    NOTICES, OTHER_ID, PARSES_BLANKS, TAKES_ARRAYS, TERMINALS, full, loses, plain,
};
use crate::check::mutant::Fault::{Answer, Call, DiesOf, Hear, Line, Lose, Refuse, Update};
use crate::check::mutant::{Mutant, error, recode, success, without, without_at};

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
    )
    .also(&["v1-cap-06", "v1-del-01", "v1-list-02", "v1-list-10", "v1-load-02", "v1-rpc-10", "v1-tr-04"])
    .also_later(&["v1-tr-04", "v2-auth-07", "v2-cap-02", "v2-creq-02", "v2-res-03", "v2-turn-03"]),
    full("v1-rpc-03", OTHER_ID),
    full(
        "v1-rpc-03",
        Line(|_, writer, line, out| {
            out.pass(writer, line);
            if writer == Writer::Second && line.contains("stopReason") {
                out.pass(writer, line);
            }
        }),
    )
    .also(&["v1-cancel-10", "v1-cancel-11", "v1-creq-03"]),
    full("v1-rpc-04", Answer("session/new", |m| m["error"] = Value::Null))
        .also(&["v1-init-10", "v1-mcp-08", "v1-new-02", "v1-new-07", "v1-new-09", "v1-rpc-22"])
        .also_later(&[
            "v1-new-09",
            "v1-rpc-22",
            "v2-cap-08",
            "v2-err-02",
            "v2-mcp-01",
            "v2-new-01",
            "v2-new-06",
        ]),
    full("v1-rpc-04", Answer("_acp_check/fence", |m| m["error"]["code"] = json!("none"))),
    full("v1-rpc-05", Answer("session/list", |m| without(m, "result")))
        .also(&["v1-del-01", "v1-list-01", "v1-list-02", "v1-rpc-04", "v1-rpc-10"])
        .also_later(&["v1-rpc-04", "v2-list-01", "v2-list-02"]),
    full("v1-rpc-06", ANSWERS_NOTIFICATIONS).also(&["v1-ext-07", "v1-rpc-03"]).also_later(&[
        "v1-ext-07",
        "v2-init-08",
        "v2-rpc-02",
        "v2-rpc-05",
    ]),
    full("v1-rpc-07", Call("session/request_permission", |m| m["id"] = json!(1.5))).also(&[
        "v1-creq-08",
        "v1-rpc-03",
        "v1-rpc-08",
        "v1-rpc-09",
    ]),
    full("v1-rpc-08", Call("session/request_permission", |m| m["id"] = Value::Null)).also(&["v1-creq-08"]),
    full("v1-rpc-09", MIXES_UP_IDS),
    full("v1-rpc-10", Refuse("session/list", Value::is_null)),
    full("v1-rpc-11", Update("agent_message_chunk", |u| u["message_id"] = json!("m")))
        .also(&["v1-ext-01"])
        .also_later(&["v1-ext-01"]),
    full("v1-rpc-12", Answer("acp_check/none", |m| recode(m, -32601, -32603))),
    plain("v1-rpc-13", Answer("session/list", |m| recode(m, -32601, -32603))),
    full("v1-rpc-14", DiesOf("\"acp_check/event")),
    full("v1-rpc-16", Line(|_, writer, line, out| loses(writer, line, |line| line == "{", out)))
        .also_later(&["v2-rpc-05"]),
    full("v1-rpc-17", Line(|_, writer, line, out| loses(writer, line, |line| line == "42", out))),
    full("v1-rpc-18", TAKES_ARRAYS).also(&["v1-rpc-03"]),
    full("v1-rpc-19", Answer("session/prompt", |m| recode(m, -32602, -32603)))
        .also(&["v1-turn-14"])
        .also_later(&["v2-cap-08", "v2-ext-04", "v2-ext-05"]),
    full("v1-rpc-20", Refuse("session/new", |params| params.get("acpCheckFuture").is_some())),
    full("v1-rpc-21", Refuse("initialize", |params| params["_meta"].is_string())),
    full("v1-rpc-22", Answer("session/new", |m| recode(m, -32602, -32603)))
        .also(&["v1-mcp-08", "v1-new-02", "v1-new-07", "v1-new-09"])
        .also_later(&["v1-new-09", "v2-cap-08", "v2-mcp-01", "v2-new-01", "v2-new-06"]),
    full("v1-rpc-24", Update("tool_call", |u| u["locations"] = json!([{"path": "a.txt"}])))
        .also(&["v1-tool-12"]),
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
    )
    .also(&["v1-cap-06", "v1-del-01", "v1-list-02", "v1-list-10", "v1-load-02", "v1-rpc-10", "v1-tr-04"])
    .also_later(&["v1-tr-04", "v2-auth-07", "v2-cap-02", "v2-creq-02", "v2-res-03", "v2-turn-03"]),
    full(
        "v1-tr-04",
        Line(|_, writer, line, out| {
            if writer == Writer::Second && line.contains("stopReason") {
                out.pass(writer, "done!");
            }
            out.pass(writer, line);
        }),
    ),
    full("v1-tr-09", ANSWERS_BLANKS).also(&["v1-rpc-03"]).also_later(&["v2-rpc-02", "v2-rpc-05"]),
    full("v1-tr-09", PARSES_BLANKS),
    // Initialization.
    full(
        "v1-init-03",
        Hear("initialize", |m| {
            if m["params"]["protocolVersion"] == "1" {
                m["params"]["protocolVersion"] = json!(1);
            }
        }),
    ),
    full("v1-init-04", Answer("initialize", |m| m["result"]["protocolVersion"] = json!(2)))
        .also(&["v1-rpc-04"]),
    full("v1-init-05", Answer("initialize", |m| m["result"]["protocolVersion"] = json!(65535)))
        .also(&["v1-init-04", "v1-rpc-04"]),
    full("v1-init-08", Refuse("initialize", |params| params.get("clientCapabilities").is_none()))
        .also(&["v1-cap-02", "v1-init-09"]),
    full(
        "v1-init-09",
        Hear("initialize", |m| {
            m["params"]["clientCapabilities"] = m["params"]["capabilities"].clone();
            m["params"]["protocolVersion"] = json!(1);
        }),
    )
    .also(&["v1-init-03"]),
    full("v1-init-10", Answer("session/new", |m| recode(m, -32600, -32603))),
    full("v1-init-13", Answer("initialize", |m| without_at(m, "/result", "agentCapabilities"))).also(&[
        "v1-cap-24",
        "v1-ext-08",
        "v1-rpc-13",
    ]),
    full("v1-init-15", Answer("initialize", |m| without_at(m, "/result/agentInfo", "version")))
        .also(&["v1-rpc-11"]),
    full("v1-init-17", Refuse("initialize", |params| params["clientInfo"].is_number())),
    // Capabilities.
    full("v1-cap-01", FILES).also(&["v1-cap-11", "v1-fs-01"]),
    full("v1-cap-02", Refuse("initialize", |params| params.get("clientCapabilities").is_none()))
        .also(&["v1-init-08", "v1-init-09"]),
    full(
        "v1-cap-04",
        Refuse("initialize", |params| params["clientCapabilities"].get("fs").is_some_and(Value::is_null)),
    ),
    full(
        "v1-cap-05",
        Refuse("initialize", |params| params["clientCapabilities"]["session"]["notices"].is_boolean()),
    ),
    full("v1-cap-06", Lose("")).also(&["v1-load-02", "v1-tool-01", "v1-turn-09"]),
    full("v1-cap-08", Refuse("session/prompt", |params| params.to_string().contains("resource_link"))),
    full("v1-cap-11", FILES).also(&["v1-cap-01", "v1-fs-01"]),
    full("v1-cap-12", TERMINALS).also(&["v1-cap-01", "v1-cap-13"]),
    full("v1-cap-13", TERMINALS).also(&["v1-cap-01", "v1-cap-12"]),
    full("v1-cap-18", BOOLEANS).also(&["v1-cfg-04"]),
    full("v1-cap-19", NOTICES).also(&["v1-cap-01"]),
    full("v1-cap-20", COMPACTIONS).also(&["v1-cap-01"]),
    full("v1-cap-21", FORMS).also(&["v1-cap-01", "v1-eli-01"]),
    full("v1-cap-22", LOGINS),
    plain("v1-cap-25", Answer("session/set_mode", |m| success(m, json!({})))),
    // Authentication.
    full("v1-auth-01", Answer("initialize", |m| without_at(m, "/result/authMethods/0", "name")))
        .also(&["v1-rpc-11"]),
    full("v1-auth-05", Answer("session/new", |m| error(m, -32000))).also(&[
        "v1-init-10",
        "v1-mcp-08",
        "v1-new-07",
        "v1-new-09",
        "v1-rpc-22",
    ]),
    full("v1-auth-14", Answer("logout", |m| error(m, -32603))),
    full(
        "v1-auth-17",
        Answer("initialize", |m| {
            if let Some(method) = m["result"]["authMethods"].get_mut(1) {
                method["env"] = json!([{"name": "A"}])
            }
        }),
    )
    .also(&["v1-rpc-04", "v1-rpc-11"]),
    full(
        "v1-cap-03",
        Refuse("initialize", |params| {
            let offered = &params["clientCapabilities"];
            offered["terminal"] == true && offered.get("fs").is_none()
        }),
    ),
    full("v1-cap-24", Answer("initialize", |m| without_at(m, "/result/agentCapabilities", "_meta")))
        .also(&["v1-ext-08"]),
    full(
        "v1-mcp-02",
        Answer("initialize", |m| {
            if let Some(offer) = m.pointer_mut("/result/agentCapabilities") {
                offer["mcpCapabilities"] = json!({"sse": true});
            }
        }),
    ),
];
