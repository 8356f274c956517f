//! Messages, tool calls, questions and other updates that a client cannot read.

use serde_json::json;

use crate::check::clients::mutants::Mutant;
use crate::check::clients::mutants::faults::{full, says, tool};
use crate::check::mutant::Fault::{Answer, DiesOf, Line, Refuse};
use crate::check::mutant::{recode, success};

const ASKED: &str = "session/request_permission";

const CANCEL: &str = r#"{"jsonrpc":"2.0","id":"mutant","method":"tool_call/cancel","params":{"sessionId":"acp-check-1","toolCallId":"x"}}"#;

pub(super) const MUTANTS: &[Mutant] = &[
    // Messages.
    full("v2-msg-02", DiesOf("messages of three kinds")),
    full("v2-msg-03", DiesOf("acp-check-whole")),
    full("v2-msg-04", DiesOf("\"acp-check-b\"")).also(&["v2-rpc-06"]),
    full("v2-msg-05", DiesOf("acp-check-meta")),
    full("v2-meta-01", DiesOf("\"acp-check-p\"")),
    // Tool calls.
    full("v2-tool-03", Refuse(ASKED, |p| tool(p).get("kind").is_some_and(|kind| kind.is_null()))),
    full("v2-tool-04", Refuse(ASKED, |p| tool(p)["toolCallId"] == "acp-check-bare-2")),
    full("v2-tool-05", Refuse(ASKED, |p| tool(p)["content"][1]["type"] == "_acp_check")),
    full("v2-tool-06", Refuse(ASKED, |p| tool(p)["status"] == "paused")),
    full("v2-tool-08", Line(|_, writer, line, out| says(writer, line, "\"capabilities\":true", CANCEL, out)))
        .also(&["v2-tcc-01"]),
    full("v2-tcc-01", Line(|_, writer, line, out| says(writer, line, "acp-check-uncontrolled", CANCEL, out))),
    full("v2-diff-03", Refuse(ASKED, |p| tool(p)["content"][0]["type"] == "diff")),
    full("v2-perm-03", Refuse(ASKED, |p| tool(p)["status"] == "in_progress" && tool(p)["title"].is_null())),
    // Terminals.
    full("v2-term-03", DiesOf("acp-check-term-1")),
    full("v2-term-04", DiesOf("acp-check-term-3")),
    full("v2-term-06", DiesOf("acp-check-term-4")),
    full("v2-term-07", DiesOf("acp-check-term-5")),
    // Other updates.
    full("v2-plan-02", DiesOf("\"planId\":\"b\"")),
    full("v2-plan-04", DiesOf("\"priority\":\"_acp_check\"")),
    full("v2-cfg-06", DiesOf("\"configId\":\"odd\"")),
    full("v2-cmd-04", DiesOf("acp-check-own")),
    full("v2-cont-01", DiesOf("a.svg")),
    full("v2-usage-01", DiesOf("\"currency\"")),
    full("v2-ext-05", DiesOf("\"sessionUpdate\":5")),
    // Questions.
    full("v2-perm-05", Refuse(ASKED, |p| p.get("subject").is_none())),
    full("v2-ext-04", Answer(ASKED, |m| recode(m, -32602, -32603))).also(&[
        "v1-rpc-19",
        "v1-rpc-22",
        "v2-perm-05",
    ]),
    full("v2-eli-01", Answer("elicitation/create", |m| recode(m, -32602, -32603))).also(&["v2-eli-03"]),
    full(
        "v2-eli-03",
        Answer("elicitation/create", |m| {
            if m["error"]["code"] == -32602 {
                success(m, json!({"action": "decline"}));
            }
        }),
    )
    .also(&["v2-eli-01"]),
];
