//! JSON-RPC, `initialize`, capabilities, logins and cancellation.

use acp_testkit::Writer;
use serde_json::{Value, json};

use crate::check::clients::client::{Base, Habit};
use crate::check::clients::mutants::Mutant;
use crate::check::clients::mutants::faults::{full, habit, hears, of, says, tool};
use crate::check::clients::mutants::rpc::deaf;
use crate::check::mutant::Fault::{Answer, Call, DiesOf, Line, Refuse};
use crate::check::mutant::{error, recode, without, without_at};
use crate::check::mutants::faults::{ANSWERS_CANCELS, OTHER_ID, TAKES_ARRAYS, loses, parsed};

const ASKED: &str = "session/request_permission";

const LOGIN: &str =
    r#"{"jsonrpc":"2.0","id":"mutant","method":"auth/login","params":{"methodId":"acp-check-term"}}"#;
const LOGOUT: &str = r#"{"jsonrpc":"2.0","id":"mutant","method":"auth/logout","params":{}}"#;
const CANCEL_REQUEST: &str =
    r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"acp-check-none"}}"#;

pub(super) const MUTANTS: &[Mutant] = &[
    // JSON-RPC.
    full("v2-rpc-01", Call("session/prompt", |m| m["id"] = Value::Null)),
    full(
        "v2-rpc-01",
        Line(|_, writer, line, out| loses(writer, line, |line| line.contains(r#""id":null"#), out)),
    ),
    full("v2-rpc-02", OTHER_ID),
    full(
        "v2-rpc-03",
        Line(|_, writer, line, out| {
            out.pass(writer, line);
            if writer == Writer::Second && line.contains("\"initialize\"") {
                out.pass(writer, line);
            }
        }),
    )
    .also(&["v1-init-01"]),
    full(
        "v2-rpc-04",
        Line(|memory, writer, line, out| {
            let message = parsed(line);
            if writer == Writer::Second && message["method"] == "session/prompt" {
                memory.notes.insert("prompt", message["id"].clone());
            }
            let same = memory.notes.get("prompt").is_some_and(|id| *id == message["id"]);
            if writer == Writer::First && same && message["method"] == "_acp_check/fence" {
                return out.close();
            }
            if writer == Writer::First && same {
                // It is answered, and no longer open.
                memory.notes.remove("prompt");
            }
            out.pass(writer, line);
        }),
    ),
    full(
        "v2-rpc-05",
        Answer("elicitation/create", |m| {
            if m["result"].is_object() {
                without(m, "id");
            }
        }),
    ),
    full(
        "v2-rpc-05",
        Line(|_, writer, line, out| {
            if writer == Writer::First && line == "{" {
                let error = json!({"code": -32700, "message": "no JSON"});
                return out.back(writer, json!({"jsonrpc": "2.0", "id": 1, "error": error}).to_string());
            }
            out.pass(writer, line);
        }),
    )
    .also(&["v1-rpc-16", "v2-rpc-02"]),
    full("v2-rpc-06", TAKES_ARRAYS).also(&["v2-rpc-02"]),
    full("v2-err-04", Line(|memory, writer, line, out| deaf(memory, writer, line, "\"data\":null", out))),
    full("v2-term-01", Answer("terminal/create", |m| recode(m, -32601, -32603))),
    full("v2-meta-02", Refuse(ASKED, |p| tool(p).get("_meta").is_some_and(|meta| meta.is_null()))),
    // Initialization.
    full("v2-init-01", Call("initialize", |m| without_at(m, "/params/info", "version"))).also(&["v1-rpc-11"]),
    full(
        "v2-init-04",
        Line(|_, writer, line, out| {
            hears(writer, line, ["\"protocolVersion\":9", "\"protocolVersion\":2"], out);
        }),
    ),
    full("v2-cap-01", Call("initialize", |m| m["params"]["capabilities"]["auth"] = json!(true)))
        .also(&["v1-rpc-11"]),
    of(Base::Plain, "v2-cap-01", DiesOf("\"stdio\":true")),
    full(
        "v2-cap-04",
        Call("session/prompt", |m| {
            let image = json!({"type": "image", "data": "aGk=", "mimeType": "image/png"});
            m["params"]["prompt"] = json!([image]);
        }),
    ),
    full("v2-cap-05", Call("initialize", |m| m["params"]["capabilities"]["fs"] = json!({})))
        .also(&["v1-ext-01"]),
    full(
        "v2-cap-07",
        Call("session/new", |m| {
            let server = json!({"type": "stdio", "name": "one", "command": "/bin/one"});
            m["params"]["mcpServers"] = json!([server]);
        }),
    ),
    // Logins.
    full(
        "v2-auth-02",
        Line(|_, writer, line, out| {
            let plain = "{\"session\":{}}";
            says(writer, line, plain, LOGOUT, out);
        }),
    ),
    full("v2-auth-03", Call("auth/login", |m| m["params"]["methodId"] = json!("acp-check-untyped"))),
    of(Base::Plain, "v2-auth-03", DiesOf("acp-check-nameless")),
    full("v2-auth-04", Line(|_, writer, line, out| says(writer, line, "\"code\":-32000", LOGIN, out))),
    habit("v2-auth-06", Habit::Idle),
    // Cancellation.
    of(Base::Patient, "v2-cancel-05", Answer(ASKED, |m| error(m, -32800))).also(&[
        "v1-rpc-19",
        "v1-rpc-22",
        "v2-ext-04",
    ]),
    full("v2-cancel-08", DiesOf("acp-check-late")),
    full("v2-creq-01", Line(|_, writer, line, out| says(writer, line, "\"running\"", CANCEL_REQUEST, out))),
    full(
        "v2-creq-01",
        Line(|memory, writer, line, out| {
            let message = parsed(line);
            if writer == Writer::Second && message["method"] == "session/prompt" {
                memory.notes.insert("prompt", message.clone());
            }
            out.pass(writer, line);
            let prompt = memory.notes.get("prompt").cloned().unwrap_or_default();
            if writer == Writer::First
                && message["method"] == "$/cancel_request"
                && message["params"]["requestId"] == prompt["id"]
            {
                let params = json!({"sessionId": prompt["params"]["sessionId"]});
                let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params});
                out.back(writer, cancel.to_string());
            }
        }),
    ),
    of(Base::Patient, "v2-creq-02", Answer(ASKED, |m| error(m, -32603))).also(&[
        "v1-rpc-19",
        "v1-rpc-22",
        "v2-cancel-05",
        "v2-ext-04",
    ]),
    full("v2-creq-03", ANSWERS_CANCELS).also(&["v2-rpc-02"]),
];
