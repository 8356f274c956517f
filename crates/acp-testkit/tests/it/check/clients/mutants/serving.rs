//! Permissions, files, commands and forms that a client answers in a wrong way.

use serde_json::{Value, json};

use super::Mutant;
use super::faults::{full, of};
use crate::check::clients::client::Base::Machine;
use crate::check::mutant::Fault::{Answer, DiesOf, Refuse};
use crate::check::mutant::{error, recode, success, without_at};

pub(super) const MUTANTS: &[Mutant] = &[
    // Permissions.
    full(
        "v1-perm-03",
        Answer("session/request_permission", |m| m["result"] = json!({"outcome": "selected"})),
    )
    .also(&["v1-rpc-04", "v1-rpc-11"])
    .also_later(&["v1-rpc-04", "v1-rpc-11"]),
    full(
        "v1-perm-04",
        Answer("session/request_permission", |m| {
            if m["result"]["outcome"]["optionId"].is_string() {
                m["result"]["outcome"]["optionId"] = json!("none");
            }
        }),
    ),
    full("v1-perm-06", Refuse("session/request_permission", |p| p["options"][0]["kind"] == "reject_always")),
    full("v1-perm-07", Answer("session/request_permission", |m| recode(m, -32602, -32603)))
        .also(&["v1-rpc-19", "v1-rpc-22"]),
    // Files.
    full("v1-fs-03", Answer("fs/read_text_file", |m| recode(m, -32602, -32603))),
    full("v1-fs-04", Answer("fs/write_text_file", |m| error(m, -32002))).also(&[
        "v1-fs-03",
        "v1-fs-08",
        "v1-rpc-25",
    ]),
    full("v1-fs-05", Answer("fs/write_text_file", |m| m["result"] = json!("written"))).also(&["v1-rpc-11"]),
    full("v1-fs-06", Answer("fs/read_text_file", |m| recode(m, -32002, -32603))),
    full("v1-fs-08", Answer("fs/read_text_file", |m| success(m, json!({"content": "one\n"})))).also(&[
        "v1-fs-03",
        "v1-fs-04",
        "v1-fs-06",
        "v1-rpc-25",
    ]),
    // Commands.
    of(
        Machine,
        "v1-term-01",
        Answer("terminal/output", |m| m["result"]["exitStatus"] = json!({"exitCode": 0})),
    )
    .also(&["v1-term-04"]),
    of(Machine, "v1-term-03", Answer("terminal/output", |m| m["result"]["output"] = json!("\u{fffd}\u{eb}")))
        .also(&["v1-term-04"]),
    of(Machine, "v1-term-04", Answer("terminal/output", |m| without_at(m, "/result", "truncated")))
        .also(&["v1-term-03"]),
    of(Machine, "v1-term-04", Answer("terminal/output", |m| m["result"]["exitStatus"] = Value::Null)),
    of(Machine, "v1-term-05", Answer("terminal/wait_for_exit", |m| m["result"]["exitCode"] = json!("0"))),
    of(Machine, "v1-term-06", Answer("terminal/wait_for_exit", |m| error(m, -32002))).also(&[
        "v1-term-03",
        "v1-term-04",
        "v1-term-13",
    ]),
    of(
        Machine,
        "v1-term-07",
        Answer("terminal/output", |m| success(m, json!({"output": "", "truncated": false}))),
    )
    .also(&["v1-term-03", "v1-term-04", "v1-term-09"]),
    of(Machine, "v1-term-09", Answer("terminal/output", |m| recode(m, -32002, -32603))),
    of(Machine, "v1-term-10", Answer("terminal/create", |m| recode(m, -32602, -32603))),
    of(Machine, "v1-term-13", Answer("terminal/wait_for_exit", |m| error(m, -32603))).also(&[
        "v1-term-03",
        "v1-term-04",
        "v1-term-06",
        "v1-term-09",
    ]),
    // Forms.
    full("v1-eli-07", Answer("elicitation/create", |m| m["result"]["content"]["name"] = json!("x")))
        .also(&["v1-eli-15", "v1-rpc-04", "v1-rpc-11"])
        .also_later(&["v1-eli-15", "v1-rpc-04", "v1-rpc-11"]),
    full("v1-eli-15", Answer("elicitation/create", |m| without_at(m, "/result", "action")))
        .also(&["v1-rpc-11"])
        .also_later(&["v1-rpc-11"]),
    full("v1-eli-16", Answer("elicitation/create", |m| without_at(m, "/result/content", "name"))),
    full("v1-eli-21", DiesOf("elicitation/complete")),
    full(
        "v1-eli-22",
        Answer("elicitation/create", |m| success(m, json!({"action": "accept", "content": {}}))),
    )
    .also(&["v1-eli-16", "v1-eli-24"]),
    full("v1-eli-24", Answer("elicitation/create", |m| recode(m, -32602, -32603))),
];
