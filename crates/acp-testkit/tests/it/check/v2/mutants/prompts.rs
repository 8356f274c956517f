//! Prompts, states, background work, permissions and forms.

use acp_testkit::Writer;
use serde_json::{Value, json};

use crate::check::mutant::Fault::{Answer, Before, Call, Line, Lose, Update};
use crate::check::mutant::{Fault, Memory, Mutant, recode, without, without_at};
use crate::check::mutants::faults::{full, loses, parsed};

/// Changes the states of the agent.
pub(super) const fn state(change: fn(&mut Value)) -> Fault {
    Update("state_update", change)
}

pub(super) fn is_idle(message: &Value) -> bool {
    message["params"]["update"]["state"] == "idle"
}

/// Loses the states of the agent that have this name.
fn loses_state(writer: Writer, line: &str, name: &str, out: &mut acp_testkit::Outbox) {
    if writer == Writer::First || parsed(line)["params"]["update"]["state"] != name {
        out.pass(writer, line);
    }
}

const STRAY: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":{"sessionUpdate":"user_message","messageId":"stray","content":[{"type":"text","text":"hello"}]}}}"#;

/// Says something before or after errors that answer prompts.
fn with_errors(memory: &mut Memory, writer: Writer, line: &str, out: &mut acp_testkit::Outbox, before: bool) {
    let message = parsed(line);
    let prompt = memory.request(&message).filter(|asked| asked["method"] == "session/prompt");
    let prompt = prompt.filter(|_| message.get("error").is_some());
    let session = prompt.and_then(|prompt| prompt["params"]["sessionId"].as_str());
    let stray = session.map(|session| STRAY.replace("SESSION", session));
    match stray {
        Some(stray) if before => {
            out.pass(writer, stray);
            out.pass(writer, line);
        }
        Some(stray) => {
            out.pass(writer, line);
            out.pass(writer, stray);
        }
        None => out.pass(writer, line),
    }
}

const PROGRESS: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":{"sessionUpdate":"progress"}}}"#;

pub(super) const MUTANTS: &[Mutant] = &[
    // Prompts.
    full(
        "v2-turn-01",
        Line(|memory, writer, line, out| {
            let message = parsed(line);
            if writer == Writer::Second && message["result"]["messageId"].is_string() {
                memory.notes.insert("answer", message);
                return;
            }
            out.pass(writer, line);
            if is_idle(&message)
                && let Some(answer) = memory.notes.remove("answer")
            {
                out.pass(writer, answer.to_string());
            }
        }),
    ),
    full("v2-turn-02", Answer("session/prompt", |m| m["result"] = json!({"messageId": null}))).also(&[
        "v1-rpc-04",
        "v1-rpc-11",
        "v2-res-09",
        "v2-turn-03",
    ]),
    full("v2-turn-03", Lose("user_message")),
    full("v2-turn-04", Line(|memory, writer, line, out| with_errors(memory, writer, line, out, true)))
        .also(&["v2-close-03"]),
    full("v2-turn-05", Line(|memory, writer, line, out| with_errors(memory, writer, line, out, false)))
        .also(&["v2-close-03", "v2-turn-04"]),
    full("v2-turn-08", Answer("session/prompt", |m| recode(m, -32800, -32603))).also(&["v2-close-04"]),
    // States.
    full("v2-state-01", Line(|_, writer, line, out| loses_state(writer, line, "running", out))),
    full("v2-state-02", Line(|_, writer, line, out| loses_state(writer, line, "idle", out))).also(&[
        "v2-cancel-01",
        "v2-cancel-02",
        "v2-cancel-04",
        "v2-cancel-06",
        "v2-close-02",
        "v2-tcc-03",
        "v2-turn-01",
    ]),
    full("v2-state-03", state(|u| without(u, "stopReason"))).also(&["v1-ext-01", "v2-close-02"]),
    full("v2-state-04", Line(|_, writer, line, out| loses_state(writer, line, "requires_action", out))),
    full(
        "v2-state-10",
        state(|u| {
            if u["stopReason"] == "end_turn" {
                u["stopReason"] = json!("done");
            }
        }),
    ),
    full(
        "v2-state-10",
        state(|u| {
            if u["stopReason"] == "error" {
                u["error"] = json!({"code": "none"});
            }
        }),
    ),
    // Background work.
    full(
        "v2-bg-02",
        state(|u| {
            if u["background"].as_array().is_some_and(Vec::is_empty) {
                without(u, "background");
            }
        }),
    ),
    full(
        "v2-bg-03",
        state(|u| {
            if u.get("background").is_some() {
                u["background"] = json!([{"type": "tool_call", "toolCallId": "none"}]);
            }
        }),
    ),
    full(
        "v2-bg-03",
        Line(|_, writer, line, out| {
            let update = &parsed(line)["params"]["update"];
            if writer == Writer::First || update["status"] != "completed" {
                out.pass(writer, line);
            }
        }),
    ),
    full(
        "v2-bg-04",
        state(|u| {
            if let Some(item) = u["background"].get(0).cloned() {
                u["background"].as_array_mut().unwrap().push(item);
            }
        }),
    ),
    full(
        "v2-tcc-04",
        Line(|_, writer, line, out| {
            let update = &parsed(line)["params"]["update"];
            if writer == Writer::First || !update.get("capabilities").is_some_and(Value::is_null) {
                out.pass(writer, line);
            }
        }),
    ),
    // Permissions.
    full("v2-perm-01", Call("session/request_permission", |m| m["params"]["options"] = json!([]))),
    full(
        "v2-perm-02",
        Call("session/request_permission", |m| {
            let id = m["params"]["options"][0]["optionId"].clone();
            m["params"]["options"][1]["optionId"] = id;
        }),
    ),
    full(
        "v2-perm-04",
        Call("session/request_permission", |m| {
            if m["params"]["subject"]["type"] == "command" {
                m["params"]["subject"]["cwd"] = json!("work");
            }
        }),
    )
    .also(&["v2-path-01"]),
    full(
        "v2-perm-07",
        Line(|memory, writer, line, out| {
            let mut message = parsed(line);
            if message["method"] == "session/request_permission" {
                memory.notes.insert("option", message["params"]["options"][0]["optionId"].clone());
            }
            if writer == Writer::First && message["result"]["outcome"]["outcome"] == "_acp_check" {
                let option = &memory.notes["option"];
                message["result"]["outcome"] = json!({"outcome": "selected", "optionId": option});
                return out.pass(writer, message.to_string());
            }
            out.pass(writer, line);
        }),
    ),
    // Forms.
    full("v2-eli-01", Call("elicitation/create", |m| m["params"]["requestId"] = json!(1)))
        .also(&["v2-eli-03"]),
    full(
        "v2-eli-02",
        Line(|memory, writer, line, out| {
            let mut message = parsed(line);
            if writer == Writer::First && message["result"]["action"] == "_acp_check" {
                memory.notes.insert("odd", Value::Null);
            }
            if is_idle(&message) && memory.notes.contains_key("odd") {
                message["params"]["update"]["stopReason"] = json!("error");
                return out.pass(writer, message.to_string());
            }
            out.pass(writer, line);
        }),
    ),
    full(
        "v2-eli-03",
        Call("elicitation/create", |m| {
            if m["params"]["mode"] == "form" {
                without_at(m, "/params/requestedSchema", "type");
            }
        }),
    ),
    full(
        "v2-eli-04",
        Line(|_, writer, line, out| loses(writer, line, |line| line.contains("session/cancel"), out)),
    )
    .also(&[
        "v2-cancel-01",
        "v2-cancel-02",
        "v2-cancel-03",
        "v2-cancel-04",
        "v2-cancel-06",
        "v2-tcc-03",
        "v2-turn-01",
        "v2-turn-08",
    ]),
    // A value that nobody has agreed on.
    full("v2-ext-01", Before("session/prompt", PROGRESS)).also(&["v2-close-03"]),
    full("v2-ext-01", Update("tool_call_update", |u| u["kind"] = json!("compile"))),
];
