//! JSON-RPC, the transport, `initialize` and capabilities.

use acp_testkit::Writer;
use serde_json::{Value, json};

use super::Mutant;
use super::faults::{DIRECTORIES, IMAGES, LIST, LOAD, LOGOUT, SERVERS, full, habit, hears, of, says, tool};
use crate::check::clients::client::{Base, Habit};
use crate::check::mutant::Fault::{Answer, Call, DiesOf, Line, Refuse};
use crate::check::mutant::{error, recode, without, without_at};
use crate::check::mutants::faults::{
    ANSWERS_BLANKS, ANSWERS_NOTIFICATIONS, OTHER_ID, PARSES_BLANKS, TAKES_ARRAYS, loses, parsed,
};

pub(super) const MUTANTS: &[Mutant] = &[
    // JSON-RPC.
    full("v1-rpc-01", Call("session/new", |m| m["jsonrpc"] = json!("1.0"))),
    full(
        "v1-rpc-02",
        Line(|_, writer, line, out| {
            let Some(at) = line.find("\"hello\"").filter(|_| writer == Writer::Second) else {
                return out.pass(writer, line);
            };
            out.raw(writer, &line.as_bytes()[..=at]);
            out.raw(writer, b"\xff");
            out.raw(writer, &line.as_bytes()[at + 1..]);
            out.raw(writer, b"\n");
        }),
    )
    .also(&["v1-tr-05"])
    .also_later(&["v1-tr-05"]),
    full("v1-rpc-03", OTHER_ID),
    full(
        "v1-rpc-03",
        Line(|_, writer, line, out| {
            out.pass(writer, line);
            if writer == Writer::Second && line.contains("selected") {
                out.pass(writer, line);
            }
        }),
    )
    .also(&[
        "v1-cont-07",
        "v1-rpc-21",
        "v1-tool-04",
        "v1-tool-06",
        "v1-tool-07",
        "v1-tool-09",
        "v1-tool-13",
        "v1-tool-14",
    ]),
    full("v1-rpc-04", Answer("_acp_check/fence", |m| m["error"]["code"] = json!("none")))
        .also_later(&["v2-rpc-01"]),
    full("v1-rpc-05", Answer("session/request_permission", |m| without(m, "result")))
        .also(&[
            "v1-cap-07",
            "v1-cont-07",
            "v1-ext-02",
            "v1-perm-06",
            "v1-rpc-04",
            "v1-rpc-20",
            "v1-rpc-21",
            "v1-tool-04",
            "v1-tool-05",
            "v1-tool-06",
            "v1-tool-07",
            "v1-tool-08",
            "v1-tool-09",
            "v1-tool-12",
            "v1-tool-13",
            "v1-tool-14",
        ])
        .also_later(&["v1-rpc-04"]),
    full("v1-rpc-06", ANSWERS_NOTIFICATIONS).also(&["v1-ext-07", "v1-rpc-03"]).also_later(&[
        "v1-ext-07",
        "v2-rpc-02",
        "v2-rpc-05",
    ]),
    full("v1-rpc-07", Call("session/prompt", |m| m["id"] = json!(1.5))).also(&[
        "v1-rpc-03",
        "v1-rpc-08",
        "v1-rpc-09",
    ]),
    full("v1-rpc-08", Call("session/prompt", |m| m["id"] = Value::Null)),
    full(
        "v1-rpc-09",
        Line(|memory, writer, line, out| {
            let message = parsed(line);
            if writer == Writer::Second && message["method"] == "session/prompt" {
                memory.notes.insert("prompt", message["id"].clone());
            }
            let same = memory.notes.get("prompt").is_some_and(|id| *id == message["id"]);
            if writer == Writer::First && same && message["method"] == "_acp_check/fence" {
                let error = json!({"code": -32600, "message": "the id is taken"});
                let answer = json!({"jsonrpc": "2.0", "id": "taken", "error": error});
                return out.back(writer, answer.to_string());
            }
            out.pass(writer, line);
        }),
    )
    .also(&["v1-err-07", "v1-rpc-03", "v1-rpc-14", "v1-rpc-21"]),
    full(
        "v1-rpc-10",
        Line(|_, writer, line, out| {
            let message = parsed(line);
            if message["method"] == "_acp_check/none" && message.get("params").is_none() {
                let error = json!({"code": -32600, "message": "no params"});
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
                return out.back(writer, answer.to_string());
            }
            out.pass(writer, line);
        }),
    ),
    full("v1-rpc-11", Call("session/new", |m| m["params"]["client_name"] = json!("x")))
        .also(&["v1-ext-01"])
        .also_later(&["v1-ext-01"]),
    full("v1-rpc-12", Answer("acp_check/none", |m| recode(m, -32601, -32603))),
    of(Base::Plain, "v1-rpc-13", Answer("fs/read_text_file", |m| recode(m, -32601, -32603))),
    full("v1-rpc-14", DiesOf("\"acp_check/event")),
    full(
        "v1-rpc-16",
        Line(|_, writer, line, out| if line == "{" { out.close() } else { out.pass(writer, line) }),
    )
    .also_later(&["v2-rpc-05"]),
    full("v1-rpc-17", Line(|_, writer, line, out| loses(writer, line, |line| line == "42", out))),
    full("v1-rpc-18", TAKES_ARRAYS).also(&["v1-rpc-03"]),
    full("v1-rpc-19", Answer("session/request_permission", |m| recode(m, -32602, -32603)))
        .also(&["v1-perm-07", "v1-rpc-22"])
        .also_later(&["v1-rpc-22", "v2-ext-04", "v2-perm-05"]),
    full("v1-rpc-20", Refuse("session/request_permission", |p| tool(p).get("acpCheckFuture").is_some())),
    full("v1-rpc-21", Refuse("session/request_permission", |p| tool(p)["title"].is_number())),
    full("v1-rpc-22", Answer("session/request_permission", |m| recode(m, -32602, -32603)))
        .also(&["v1-perm-07", "v1-rpc-19"])
        .also_later(&["v1-rpc-19", "v2-ext-04", "v2-perm-05"]),
    full("v1-rpc-23", DiesOf("\"result\":null")),
    full("v1-rpc-24", Call("session/new", |m| m["params"]["cwd"] = json!("work"))).also(&[
        "v1-fs-03",
        "v1-fs-04",
        "v1-fs-06",
        "v1-fs-08",
        "v1-new-03",
        "v1-rpc-25",
    ]),
    full("v1-rpc-25", Answer("fs/read_text_file", |m| m["result"]["content"] = json!("three\n")))
        .also(&["v1-fs-04", "v1-rpc-04"]),
    full("v1-rpc-26", DiesOf("acp_check_update")),
    // Transport.
    full("v1-tr-01", Line(|_, _, _, _| {})),
    full(
        "v1-tr-03",
        Line(|_, writer, line, out| {
            let raw = line.replace("\"hello\"", "\"hel\nlo\"");
            out.pass(writer, if writer == Writer::Second { raw } else { line.to_owned() });
        }),
    )
    .also(&["v1-tr-05"])
    .also_later(&["v1-tr-05"]),
    full(
        "v1-tr-05",
        Line(|_, writer, line, out| {
            if writer == Writer::Second && line.contains("session/prompt") {
                out.pass(writer, "prompting");
            }
            out.pass(writer, line);
        }),
    ),
    habit("v1-tr-08", Habit::Kills),
    full("v1-tr-09", ANSWERS_BLANKS).also(&["v1-rpc-03"]).also_later(&["v2-rpc-02", "v2-rpc-05"]),
    full("v1-tr-09", PARSES_BLANKS),
    // Initialization.
    full(
        "v1-init-01",
        Line(|_, writer, line, out| {
            out.pass(writer, line);
            if writer == Writer::Second && line.contains("\"initialize\"") {
                let early = r#"{"jsonrpc":"2.0","id":"mutant","method":"session/list","params":{}}"#;
                out.pass(writer, early);
            }
        }),
    )
    .also(&["v1-cap-01", "v1-cap-04", "v1-cap-05", "v1-cap-15"]),
    full("v1-init-02", Call("initialize", |m| m["params"]["protocolVersion"] = json!(7))),
    full("v1-init-03", Call("initialize", |m| m["params"]["protocolVersion"] = json!("1")))
        .also(&["v1-rpc-11"])
        .also_later(&["v1-rpc-11"]),
    full(
        "v1-init-06",
        Line(|_, writer, line, out| {
            hears(writer, line, ["\"protocolVersion\":9", "\"protocolVersion\":1"], out);
        }),
    ),
    full("v1-init-12", Call("initialize", |m| without_at(m, "/params", "clientCapabilities"))).also(&[
        "v1-cap-24",
        "v1-ext-08",
        "v1-rpc-13",
    ]),
    full("v1-init-14", Call("initialize", |m| without_at(m, "/params/clientInfo", "version")))
        .also(&["v1-rpc-11"]),
    of(Base::Plain, "v1-init-17", DiesOf("\"agentInfo\":5")),
    // Capabilities.
    full("v1-cap-01", LOAD).also(&["v1-cap-04", "v1-cap-05", "v1-cap-14"]),
    of(Base::Plain, "v1-cap-02", DiesOf("\"agentCapabilities\":{}")),
    of(Base::Plain, "v1-cap-03", DiesOf("\"mcpCapabilities\":{\"sse\":true}")),
    of(Base::Plain, "v1-cap-04", DiesOf("\"mcpCapabilities\":null")),
    of(Base::Plain, "v1-cap-05", DiesOf("\"mcpCapabilities\":[]")),
    full("v1-cap-07", Answer("session/request_permission", |m| error(m, -32603))).also(&[
        "v1-cont-07",
        "v1-creq-03",
        "v1-ext-02",
        "v1-perm-06",
        "v1-perm-07",
        "v1-rpc-19",
        "v1-rpc-20",
        "v1-rpc-21",
        "v1-rpc-22",
        "v1-tool-04",
        "v1-tool-05",
        "v1-tool-06",
        "v1-tool-07",
        "v1-tool-08",
        "v1-tool-09",
        "v1-tool-12",
        "v1-tool-13",
        "v1-tool-14",
    ]),
    full("v1-cap-09", IMAGES).also(&["v1-cap-10"]),
    full("v1-cap-10", IMAGES).also(&["v1-cap-09"]),
    full("v1-cap-14", LOAD).also(&["v1-cap-01", "v1-cap-04", "v1-cap-05"]),
    full("v1-cap-15", LIST).also(&["v1-cap-01", "v1-cap-04", "v1-cap-05"]),
    full("v1-cap-16", LOGOUT).also(&["v1-cap-01"]),
    full("v1-cap-17", DIRECTORIES),
    full("v1-cap-23", SERVERS),
    full("v1-cap-24", Call("initialize", |m| without_at(m, "/params/clientCapabilities", "_meta")))
        .also(&["v1-ext-08"]),
    // Extensions and errors.
    full("v1-ext-01", Call("session/new", |m| m["params"]["acme"] = json!(1))),
    full("v1-ext-02", DiesOf("\"_meta\":5")),
    full("v1-ext-05", Call("_acme/notes", |m| m["method"] = json!("acme/notes"))),
    full(
        "v1-ext-06",
        Line(|_, writer, line, out| loses(writer, line, |line| line.contains("_acp_check/none"), out)),
    )
    .also(&["v1-rpc-10", "v1-rpc-12"])
    .also_later(&["v1-rpc-10", "v1-rpc-12"]),
    full("v1-ext-07", DiesOf("[1,{\"a\":null}]")).also(&["v1-tool-14"]),
    full("v1-ext-08", Call("initialize", |m| without_at(m, "/params/clientCapabilities", "_meta")))
        .also(&["v1-cap-24"]),
    full("v1-err-02", Line(|memory, writer, line, out| deaf(memory, writer, line, "\"code\":12345", out))),
    full("v1-auth-16", Line(|memory, writer, line, out| deaf(memory, writer, line, "on purpose", out)))
        .also(&["v1-err-02"]),
    full("v1-err-03", Answer("_acp_check/fence", |m| recode(m, -32601, -32050))),
    full("v1-err-07", DiesOf("987654321")),
    full(
        "v1-not-03",
        Line(|_, writer, line, out| {
            let cancel =
                r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"acp-check-1"}}"#;
            says(writer, line, "\"notice\"", cancel, out);
        }),
    ),
];

/// Loses everything after a line of the agent with this in it.
pub(in crate::check::clients) fn deaf(
    memory: &mut crate::check::mutant::Memory,
    writer: Writer,
    line: &str,
    text: &str,
    out: &mut acp_testkit::Outbox,
) {
    if writer == Writer::First && line.contains(text) {
        memory.notes.insert("deaf", Value::Null);
    }
    if !memory.notes.contains_key("deaf") {
        out.pass(writer, line);
    }
}
