//! Permissions, files, commands and forms that a client answers in a wrong way.

use serde_json::{Value, json};

use super::Mutant;
use super::faults::{full, of};
use crate::check::clients::client::Base::Machine;
use crate::check::mutant::Fault::{Answer, Line, Refuse};
use crate::check::mutant::{error, recode, success, without};
use crate::check::mutants::faults::dies_of;

pub(super) const MUTANTS: &[Mutant] = &[
    // Permissions.
    full(
        "v1-perm-03",
        Answer("session/request_permission", |m| m["result"] = json!({"outcome": "selected"})),
    ),
    full(
        "v1-perm-04",
        Answer("session/request_permission", |m| {
            if m["result"]["outcome"]["optionId"].is_string() {
                m["result"]["outcome"]["optionId"] = json!("none");
            }
        }),
    ),
    full("v1-perm-06", Refuse("session/request_permission", |p| p["options"][0]["kind"] == "reject_always")),
    full("v1-perm-07", Answer("session/request_permission", |m| recode(m, -32602, -32603))),
    // Files.
    full("v1-fs-03", Answer("fs/read_text_file", |m| recode(m, -32602, -32603))),
    full("v1-fs-04", Answer("fs/write_text_file", |m| error(m, -32002))),
    full("v1-fs-05", Answer("fs/write_text_file", |m| m["result"] = json!("written"))),
    full("v1-fs-06", Answer("fs/read_text_file", |m| recode(m, -32002, -32603))),
    full("v1-fs-08", Answer("fs/read_text_file", |m| success(m, json!({"content": "one\n"})))),
    // Commands.
    of(
        Machine,
        "v1-term-01",
        Answer("terminal/output", |m| m["result"]["exitStatus"] = json!({"exitCode": 0})),
    ),
    of(Machine, "v1-term-03", Answer("terminal/output", |m| m["result"]["output"] = json!("\u{fffd}\u{eb}"))),
    of(Machine, "v1-term-04", Answer("terminal/output", |m| without(&mut m["result"], "truncated"))),
    of(Machine, "v1-term-04", Answer("terminal/output", |m| m["result"]["exitStatus"] = Value::Null)),
    of(Machine, "v1-term-05", Answer("terminal/wait_for_exit", |m| m["result"]["exitCode"] = json!("0"))),
    of(Machine, "v1-term-06", Answer("terminal/wait_for_exit", |m| error(m, -32002))),
    of(
        Machine,
        "v1-term-07",
        Answer("terminal/output", |m| success(m, json!({"output": "", "truncated": false}))),
    ),
    of(Machine, "v1-term-09", Answer("terminal/output", |m| recode(m, -32002, -32603))),
    of(Machine, "v1-term-10", Answer("terminal/create", |m| recode(m, -32602, -32603))),
    of(Machine, "v1-term-13", Answer("terminal/wait_for_exit", |m| error(m, -32603))),
    // Forms.
    full("v1-eli-07", Answer("elicitation/create", |m| m["result"]["content"]["name"] = json!("x"))),
    full("v1-eli-15", Answer("elicitation/create", |m| without(&mut m["result"], "action"))),
    full("v1-eli-16", Answer("elicitation/create", |m| without(&mut m["result"]["content"], "name"))),
    full("v1-eli-21", Line(|_, writer, line, out| dies_of(writer, line, "elicitation/complete", out))),
    full(
        "v1-eli-22",
        Answer("elicitation/create", |m| success(m, json!({"action": "accept", "content": {}}))),
    ),
    full("v1-eli-24", Answer("elicitation/create", |m| recode(m, -32602, -32603))),
];
