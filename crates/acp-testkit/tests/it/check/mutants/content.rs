//! Content, tool calls, plans, requests of the agent, extensions and errors.

use acp_testkit::Writer;
use serde_json::json;

use super::faults::{FILES, FORMS, full, loses, parsed};
use crate::check::mutant::Fault::{Answer, Before, Call, DiesOf, Line, Lose, Refuse, Update};
use crate::check::mutant::{Mutant, error, without, without_at};

const REMOVED: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":{"sessionUpdate":"plan_removed","id":"p"}}}"#;
const COMPACTED: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":{"sessionUpdate":"compaction_update","compactionId":"c-1","status":"in_progress"}}}"#;

pub(super) const MUTANTS: &[Mutant] = &[
    // Content, tool calls, plans.
    full("v1-cont-01", Update("agent_message_chunk", |u| u["content"]["type"] = json!("video"))),
    full("v1-cont-03", Update("agent_message_chunk", |u| without_at(u, "/content", "data")))
        .also(&["v1-cont-01"]),
    full("v1-cont-04", Update("agent_message_chunk", |u| u["content"]["resource"] = json!({"text": "t"})))
        .also(&["v1-cont-01", "v1-ext-01"]),
    full("v1-cont-05", Update("agent_message_chunk", |u| without_at(u, "/content", "name")))
        .also(&["v1-cont-01"]),
    full("v1-cont-07", Refuse("session/prompt", |params| params["prompt"][0]["annotations"].is_number())),
    full("v1-tool-01", Lose("tool_call")),
    full("v1-tool-02", Update("tool_call", |u| without(u, "title"))),
    full("v1-tool-03", Update("tool_call_update", |u| without(u, "toolCallId"))).also(&["v1-turn-09"]),
    full("v1-tool-06", Update("tool_call_update", |u| u["status"] = json!("done"))).also(&["v1-turn-09"]),
    full("v1-tool-07", Update("tool_call", |u| u["kind"] = json!("compile"))),
    full("v1-tool-08", Update("tool_call", |u| u["content"] = json!([{"type": "table"}]))),
    full(
        "v1-tool-09",
        Update("tool_call_update", |u| {
            if u["content"][0]["type"] == "diff" {
                without_at(u, "/content/0", "newText");
            }
        }),
    )
    .also(&["v1-tool-03"]),
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
    full("v1-tool-12", Update("tool_call", |u| u["locations"] = json!([{"line": 1}]))).also(&["v1-tool-02"]),
    full("v1-plan-02", Update("plan", |u| without_at(u, "/entries/0", "status"))).also(&["v1-plan-06"]),
    full("v1-plan-06", Update("plan", |u| u["entries"][0]["priority"] = json!("urgent"))),
    full("v1-plan-07", Before("session/prompt", REMOVED)).also(&["v1-cap-01", "v1-rpc-11"]),
    // Files and terminals.
    full("v1-fs-01", FILES).also(&["v1-cap-01", "v1-cap-11"]),
    full("v1-fs-03", Call("fs/read_text_file", |m| m["params"]["line"] = json!("2"))),
    full("v1-fs-07", Call("fs/read_text_file", |m| m["params"]["path"] = json!("a.txt")))
        .also(&["v1-rpc-24"]),
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
    full("v1-term-12", Call("terminal/create", |m| m["params"]["cwd"] = json!("work"))).also(&["v1-rpc-24"]),
    // Elicitation.
    full("v1-eli-01", FORMS).also(&["v1-cap-01", "v1-cap-21"]),
    full("v1-eli-03", Call("elicitation/create", |m| without_at(m, "/params", "mode"))),
    full("v1-eli-04", Call("elicitation/create", |m| without_at(m, "/params", "sessionId")))
        .also(&["v1-eli-03"]),
    full(
        "v1-eli-06",
        Call("elicitation/create", |m| {
            m["params"]["requestedSchema"]["properties"] = json!({"deep": {"type": "object"}});
        }),
    )
    .also(&["v1-ext-01"]),
    full("v1-eli-19", Call("elicitation/create", |m| m["params"]["elicitationId"] = json!("same")))
        .also(&["v1-ext-01"]),
    // Commands, notices, compactions.
    full(
        "v1-cmd-02",
        Update("available_commands_update", |u| without_at(u, "/availableCommands/0", "description")),
    ),
    full("v1-not-01", Update("notice", |u| u["title"] = json!(""))),
    full("v1-cmp-01", Update("compaction_update", |u| without(u, "compactionId"))),
    full("v1-cmp-04", Before("session/prompt", COMPACTED)).also(&["v1-cap-01", "v1-cap-20"]),
    full("v1-cmp-05", Update("compaction_update", |u| u["status"] = json!("in_progress"))),
    // Extensions and errors.
    full("v1-ext-01", Update("agent_message_chunk", |u| u["timestamp"] = json!(1))),
    full("v1-ext-02", Refuse("session/new", |params| params["_meta"].is_number())),
    full("v1-ext-05", Before("session/prompt", r#"{"jsonrpc":"2.0","method":"full/done","params":{}}"#)),
    full(
        "v1-ext-06",
        Line(|_, writer, line, out| loses(writer, line, |line| line.contains("_acp_check/none"), out)),
    )
    .also(&["v1-rpc-12"])
    .also_later(&["v2-rpc-07"]),
    full("v1-ext-07", DiesOf("_acp_check/event"))
        .also(&["v1-rpc-06"])
        .also_later(&["v1-rpc-06", "v2-init-08"]),
    full("v1-err-03", Answer("_acp_check/fence", |m| m["error"]["code"] = json!(-32050))),
    full(
        "v1-err-04",
        Answer("session/prompt", |m| {
            if m["error"]["code"] == -32002 {
                without_at(m, "/error", "data");
            }
        }),
    )
    .also(&["v1-new-13"]),
    full("v1-err-07", DiesOf("987654321")),
    full("v1-ext-08", Answer("initialize", |m| without_at(m, "/result/agentCapabilities", "_meta")))
        .also(&["v1-cap-24"]),
    full("v1-tool-05", Update("tool_call", |u| u["name"] = json!(5))).also(&["v1-tool-02"]),
    full("v1-eli-18", Answer("session/prompt", |m| error(m, -32603))).also(&[
        "v1-close-02",
        "v1-creq-03",
        "v1-creq-09",
        "v1-new-13",
        "v1-new-14",
        "v1-rpc-19",
        "v1-turn-14",
    ]),
    full(
        "v1-creq-08",
        Line(|_, writer, line, out| {
            if writer == Writer::First || !line.contains("$/cancel_request") {
                out.pass(writer, line);
            }
        }),
    ),
];
