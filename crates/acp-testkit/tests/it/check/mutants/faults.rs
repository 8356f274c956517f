//! Faults that several mutants have, and their parts.

use acp_testkit::Writer;
use serde_json::{Value, json};

use crate::check::mutant::Base::{Full, Plain};
use crate::check::mutant::Fault::Hear;
use crate::check::mutant::{Fault, Mutant};

pub(in crate::check) const fn full(rule: &'static str, fault: Fault) -> Mutant {
    Mutant { rule, base: Full, fault }
}

pub(in crate::check) const fn plain(rule: &'static str, fault: Fault) -> Mutant {
    Mutant { rule, base: Plain, fault }
}

/// Tells the agent that the client offers everything, which it does not.
pub(in crate::check) const LIE: Fault = Hear("initialize", |message| {
    message["params"]["clientCapabilities"] = json!({
        "fs": {"readTextFile": true, "writeTextFile": true}, "terminal": true,
        "elicitation": {"form": {}, "url": {}},
        "session": {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}},
        "auth": {"terminal": true},
    });
});

pub(in crate::check) const CHUNK: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"late"}}}}"#;
pub(in crate::check) const ECHOED: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"old"}}}}"#;

/// Closes the connection when a line of the client has this in it.
pub(in crate::check) fn dies_of(writer: Writer, line: &str, text: &str, out: &mut acp_testkit::Outbox) {
    if writer == Writer::First && line.contains(text) {
        out.close();
    } else {
        out.pass(writer, line);
    }
}

/// Loses the lines of the client that are this.
pub(in crate::check) fn loses(
    writer: Writer,
    line: &str,
    lost: fn(&str) -> bool,
    out: &mut acp_testkit::Outbox,
) {
    if writer == Writer::Second || !lost(line) {
        out.pass(writer, line);
    }
}

/// Answers lines of the client that are this, and passes them on.
pub(in crate::check) fn answers(
    writer: Writer,
    line: &str,
    answer: &str,
    asked: fn(&str) -> bool,
    out: &mut acp_testkit::Outbox,
) {
    if writer == Writer::First && asked(line) {
        out.back(writer, answer);
    }
    out.pass(writer, line);
}

pub(in crate::check) fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_default()
}

pub(in crate::check) const NOTHING: &str = r#"{"jsonrpc":"2.0","id":null,"result":{}}"#;
