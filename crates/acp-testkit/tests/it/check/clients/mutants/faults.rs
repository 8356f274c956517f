//! Faults that several mutants have, and their parts.

use acp_testkit::{Outbox, Writer};
use serde_json::{Value, json};

use super::Mutant;
use crate::check::NONE;
use crate::check::clients::client::{Base, Habit};
use crate::check::mutant::Fault;
use crate::check::mutant::Fault::Line;
use crate::check::mutants::faults::{parsed, set};

pub(in crate::check::clients) const fn full(rule: &'static str, fault: Fault) -> Mutant {
    Mutant::new(rule, Base::Full, fault)
}

pub(in crate::check::clients) const fn of(base: Base, rule: &'static str, fault: Fault) -> Mutant {
    Mutant::new(rule, base, fault)
}

pub(in crate::check::clients) const fn habit(rule: &'static str, habit: Habit) -> Mutant {
    Mutant::new(rule, Base::With(habit), NONE)
}

/// Tells the client that the agent offers this, whatever it offers.
fn offers(writer: Writer, line: &str, path: &[&str], value: Value, out: &mut Outbox) {
    let mut message = parsed(line);
    if writer == Writer::First && message["result"]["protocolVersion"] == 1 {
        set(&mut message["result"], "agentCapabilities", path, value);
        return out.pass(writer, message.to_string());
    }
    out.pass(writer, line);
}

pub(super) const LOAD: Fault =
    Line(|_, writer, line, out| offers(writer, line, &["loadSession"], json!(true), out));
pub(super) const LIST: Fault =
    Line(|_, writer, line, out| offers(writer, line, &["sessionCapabilities", "list"], json!({}), out));
pub(super) const LOGOUT: Fault =
    Line(|_, writer, line, out| offers(writer, line, &["auth", "logout"], json!({}), out));
pub(super) const IMAGES: Fault =
    Line(|_, writer, line, out| offers(writer, line, &["promptCapabilities", "image"], json!(true), out));
pub(super) const DIRECTORIES: Fault = Line(|_, writer, line, out| {
    offers(writer, line, &["sessionCapabilities", "additionalDirectories"], json!({}), out);
});
pub(super) const SERVERS: Fault =
    Line(|_, writer, line, out| offers(writer, line, &["mcpCapabilities", "http"], json!(true), out));

/// Says something in the client's name when a line of the agent has this in it. The answer to it
/// does not come to the client: its id is `mutant`.
pub(in crate::check::clients) fn says(writer: Writer, line: &str, text: &str, said: &str, out: &mut Outbox) {
    if parsed(line)["id"] == "mutant" {
        return;
    }
    out.pass(writer, line);
    if writer == Writer::First && line.contains(text) {
        out.back(writer, said);
    }
}

/// Changes a text in the lines of the agent.
pub(in crate::check::clients) fn hears(writer: Writer, line: &str, [from, to]: [&str; 2], out: &mut Outbox) {
    let line = if writer == Writer::First { line.replace(from, to) } else { line.to_owned() };
    out.pass(writer, line);
}

/// Returns the tool call of a permission request, of either version.
pub(in crate::check::clients) fn tool(params: &Value) -> &Value {
    params.get("toolCall").unwrap_or(&params["subject"]["toolCall"])
}
