//! Faults that several mutants have, and their parts.

use acp_testkit::{Outbox, Writer};
use serde_json::{Value, json};

use super::Mutant;
use crate::check::clients::client::{Base, Habit};
use crate::check::mutant::Fault;
use crate::check::mutant::Fault::Line;
use crate::check::mutants::faults::parsed;

pub(super) const fn full(rule: &'static str, fault: Fault) -> Mutant {
    Mutant { rule, base: Base::Full, fault }
}

pub(super) const fn of(base: Base, rule: &'static str, fault: Fault) -> Mutant {
    Mutant { rule, base, fault }
}

pub(super) const fn habit(rule: &'static str, habit: Habit) -> Mutant {
    Mutant { rule, base: Base::With(habit), fault: Fault::Lose("nothing") }
}

/// Tells the client that the agent offers everything, which it does not.
pub(super) const LIE: Fault = Line(|_, writer, line, out| {
    let mut message = parsed(line);
    if writer == Writer::First && message["result"]["protocolVersion"].is_number() {
        message["result"]["agentCapabilities"] = json!({
            "loadSession": true,
            "promptCapabilities": {"image": true, "audio": true, "embeddedContext": true},
            "mcpCapabilities": {"http": true, "sse": true},
            "sessionCapabilities": {
                "list": {}, "resume": {}, "close": {}, "delete": {}, "additionalDirectories": {},
            },
            "auth": {"logout": {}},
        });
        return out.pass(writer, message.to_string());
    }
    out.pass(writer, line);
});

/// Says something in the client's name when a line of the agent has this in it. The answer to it
/// does not come to the client: its id is `mutant`.
pub(super) fn says(writer: Writer, line: &str, text: &str, said: &str, out: &mut Outbox) {
    if parsed(line)["id"] == "mutant" {
        return;
    }
    out.pass(writer, line);
    if writer == Writer::First && line.contains(text) {
        out.back(writer, said);
    }
}

/// Changes a text in the lines of the agent.
pub(super) fn hears(writer: Writer, line: &str, [from, to]: [&str; 2], out: &mut Outbox) {
    let line = if writer == Writer::First { line.replace(from, to) } else { line.to_owned() };
    out.pass(writer, line);
}

/// Returns the tool call of a permission request.
pub(super) fn tool(params: &Value) -> &Value {
    &params["toolCall"]
}
