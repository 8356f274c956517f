//! Faults that several mutants have, and their parts.

use acp_testkit::Writer;
use serde_json::{Value, json};

use crate::check::mutant::Base::{Full, Modal, Plain};
use crate::check::mutant::Fault::{Answer, Hear, Line};
use crate::check::mutant::{Fault, Mutant};

pub(in crate::check) const fn full(rule: &'static str, fault: Fault) -> Mutant {
    Mutant::new(rule, Full, fault)
}

pub(in crate::check) const fn plain(rule: &'static str, fault: Fault) -> Mutant {
    Mutant::new(rule, Plain, fault)
}

pub(in crate::check) const fn modal(rule: &'static str, fault: Fault) -> Mutant {
    Mutant::new(rule, Modal, fault)
}

/// Tells the agent that the client offers this, whatever it offers.
pub(in crate::check) fn offers(message: &mut Value, path: &[&str], value: Value) {
    set(&mut message["params"], "clientCapabilities", path, value);
}

/// Sets a member of capabilities.
pub(in crate::check) fn set(message: &mut Value, capabilities: &str, path: &[&str], value: Value) {
    let mut place = &mut message[capabilities];
    for member in path {
        if !place.is_object() {
            *place = json!({});
        }
        place = &mut place[*member];
    }
    *place = value;
}

pub(in crate::check) const FILES: Fault = Hear("initialize", |message| {
    offers(message, &["fs"], json!({"readTextFile": true, "writeTextFile": true}));
});
pub(in crate::check) const TERMINALS: Fault =
    Hear("initialize", |message| offers(message, &["terminal"], json!(true)));
pub(in crate::check) const BOOLEANS: Fault =
    Hear("initialize", |message| offers(message, &["session", "configOptions"], json!({"boolean": {}})));
pub(in crate::check) const NOTICES: Fault =
    Hear("initialize", |message| offers(message, &["session", "notices"], json!({})));
pub(in crate::check) const COMPACTIONS: Fault =
    Hear("initialize", |message| offers(message, &["session", "compaction"], json!({})));
pub(in crate::check) const FORMS: Fault =
    Hear("initialize", |message| offers(message, &["elicitation"], json!({"form": {}, "url": {}})));
pub(in crate::check) const LOGINS: Fault =
    Hear("initialize", |message| offers(message, &["auth"], json!({"terminal": true})));

/// Answers the id `"0"` as a number.
pub(in crate::check) const OTHER_ID: Fault = Answer("_acp_check/fence", |message| {
    if message["id"] == "0" {
        message["id"] = json!(0);
    }
});

/// Answers a notification.
pub(in crate::check) const ANSWERS_NOTIFICATIONS: Fault = Line(|_, writer, line, out| {
    answers(writer, line, NOTHING, |line| line.contains("_acp_check/event"), out);
});

/// Answers a blank line.
pub(in crate::check) const ANSWERS_BLANKS: Fault =
    Line(|_, writer, line, out| answers(writer, line, NOTHING, str::is_empty, out));

/// Answers blank lines as text that is not JSON. That breaks nothing else.
pub(in crate::check) const PARSES_BLANKS: Fault = Line(|_, writer, line, out| {
    let answer = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"nothing"}}"#;
    answers(writer, line, answer, str::is_empty, out);
});

/// Answers `$/cancel_request` of a request that is not open.
pub(in crate::check) const ANSWERS_CANCELS: Fault = Line(|_, writer, line, out| {
    let answer = r#"{"jsonrpc":"2.0","id":99999,"error":{"code":-32800,"message":"cancelled"}}"#;
    answers(writer, line, answer, |line| line.contains("$/cancel_request"), out);
});

/// Takes an array for the messages in it.
pub(in crate::check) const TAKES_ARRAYS: Fault = Line(|_, writer, line, out| {
    if writer == Writer::First && line.starts_with("[{") {
        let list = parsed(line);
        list.as_array().unwrap().iter().for_each(|message| out.pass(writer, message.to_string()));
    } else {
        out.pass(writer, line);
    }
});

/// Loses a request of the client under the id that a permission request of the agent has.
pub(in crate::check) const MIXES_UP_IDS: Fault = Line(|memory, writer, line, out| {
    let message = parsed(line);
    if message["method"] == "session/request_permission" {
        memory.notes.insert("asked", message["id"].clone());
    }
    let collides = memory.notes.get("asked") == Some(&message["id"]);
    if writer == Writer::Second || message.get("method").is_none() || !collides {
        out.pass(writer, line);
    }
});

pub(in crate::check) const CHUNK: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"late"}}}}"#;
pub(in crate::check) const ECHOED: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"old"}}}}"#;

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
