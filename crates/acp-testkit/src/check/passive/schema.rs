//! The schema's form of each payload of the side under check, as the types of `acp-types` read it.
//!
//! A payload fits if the type can read it and passes over nothing: no member that the type does not
//! know, and none whose value it had to read as absent.

use acp_json::{NoteKind, Report};
use acp_types::method::{Kind, MethodInfo, Side};
use acp_types::v1::methods::METHODS;

use super::conversation::{Conversation, Said, What};
use super::findings::Findings;
use crate::definition::Definition;

/// A version of the schema, and its rules about the form of payloads.
pub(in crate::check) struct Schema {
    pub(in crate::check) version: &'static str,
    pub(in crate::check) methods: &'static [MethodInfo],
    /// Returns the rule about a member of the messages of a method.
    pub(in crate::check) rule_of: fn(Side, &Said, &str, &str) -> &'static str,
}

pub(in crate::check) const V1: Schema = Schema { version: "v1", methods: METHODS, rule_of };

pub(in crate::check) fn judge(conversation: &Conversation<'_>, schema: &Schema, f: &mut Findings) {
    for said in conversation.said.iter().filter(|said| said.is_agents()) {
        let (method, member, definition) = match said.what {
            What::Answer(Some(request)) => {
                let Some(request) = conversation.said.get(request) else { continue };
                let info = schema.methods.iter().find(|info| info.name == request.method());
                let definition = info.and_then(|info| info.response);
                (request.method(), "result", definition.filter(|_| said.json.get("result").is_some()))
            }
            What::Answer(None) => continue,
            what => {
                let kind = if what == What::Request { Kind::Request } else { Kind::Notification };
                let known = schema
                    .methods
                    .iter()
                    .find(|i| i.name == said.method() && i.kind == kind && i.handler != conversation.side);
                (said.method(), "params", known.map(|info| info.params))
            }
        };
        if let Some(definition) = definition {
            payload(conversation, said, schema, &Part { method, member, definition }, f);
        }
    }
}

/// A member of a message that has a definition.
struct Part<'a> {
    method: &'a str,
    member: &'a str,
    definition: &'a str,
}

fn payload(
    conversation: &Conversation<'_>,
    said: &Said,
    schema: &Schema,
    &Part { method, member, definition }: &Part<'_>,
    f: &mut Findings,
) {
    let Some(line) = conversation.lines.get(said.line) else { return };
    let Ok(mut node) = acp_json::parse_slice(&line.bytes) else { return };
    let (Some(node), Ok(definition)) = (node.take(member), Definition::find(schema.version, definition))
    else {
        return;
    };
    let mut report = Report::default();
    let read = definition.round_trip(node, &mut report);
    let malformed = match read {
        Err(failure) => Some(failure.to_string()),
        Ok(_) => report.notes().iter().find_map(|note| {
            let reason = note.reason()?;
            Some(format!("`{}`: {reason}", note.path))
        }),
    };
    let unknown: Vec<_> = report
        .notes()
        .iter()
        .filter(|note| note.kind == NoteKind::Ignored)
        .map(|note| note.path.as_str())
        .collect();
    f.check(
        (schema.rule_of)(conversation.side, said, method, member),
        malformed.is_none(),
        said.line,
        || format!("the {member} of `{method}` do not fit the schema: {}", malformed.unwrap_or_default()),
    );
    let snake = unknown.iter().find(|path| {
        let name = path.rsplit('.').next().unwrap_or_default();
        !name.starts_with('_') && name.contains('_')
    });
    f.check("v1-rpc-11", snake.is_none(), said.line, || {
        format!("the key `{}` is not camelCase", snake.copied().unwrap_or_default())
    });
    f.check("v1-ext-01", unknown.is_empty(), said.line, || {
        format!(
            "the {member} of `{method}` have members that the schema does not have: {}",
            unknown.join(", ")
        )
    });
}

/// Returns the rule about the form of a payload.
fn rule_of(side: Side, said: &Said, method: &str, member: &str) -> &'static str {
    if member == "result" || side == Side::Client {
        return "v1-rpc-11";
    }
    let tag = said.update().and_then(|update| update["sessionUpdate"].as_str());
    match (method, tag.unwrap_or_default()) {
        (_, "agent_message_chunk" | "user_message_chunk" | "agent_thought_chunk") => "v1-cont-01",
        (_, "tool_call") => "v1-tool-02",
        (_, "tool_call_update") => "v1-tool-03",
        (_, "plan") => "v1-plan-06",
        (_, "available_commands_update") => "v1-cmd-02",
        (_, "notice") => "v1-not-01",
        (_, "compaction_update") => "v1-cmp-01",
        (_, "current_mode_update") => "v1-mode-04",
        (_, "config_option_update") => "v1-cfg-12",
        ("session/request_permission", _) => "v1-perm-02",
        ("fs/read_text_file", _) => "v1-fs-03",
        ("elicitation/create", _) => "v1-eli-03",
        _ => "v1-rpc-11",
    }
}
