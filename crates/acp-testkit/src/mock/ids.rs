//! The ids in a recording, by names that do not depend on the run.

use std::collections::BTreeMap;

use serde_json::Value;

use super::pattern::literal;

/// Members with ids that a peer makes up. Ids such as `modeId` are names that people choose.
const MADE_UP: [&str; 7] =
    ["sessionId", "toolCallId", "terminalId", "messageId", "planId", "elicitationId", "compactionId"];
/// A value that a recorder has hidden.
const HIDDEN: &str = "[redacted]";
/// Members that the other side may leave out, or that differ from run to run.
const VARYING: [&str; 3] = ["_meta", "clientInfo", "agentInfo"];

/// Names of ids, by the ids.
#[derive(Debug, Default)]
pub(super) struct Ids {
    names: BTreeMap<String, String>,
    counts: BTreeMap<&'static str, usize>,
}

impl Ids {
    /// Returns a value that the script sends. Its own ids are `session-1` and so on, and those of
    /// the other side placeholders.
    pub(super) fn sent(&mut self, value: &Value) -> Value {
        self.named(value, None, true)
    }

    /// Returns a value that the script expects, without the members that vary.
    pub(super) fn expected(&mut self, value: &Value) -> Value {
        self.named(value, None, false)
    }

    fn named(&mut self, value: &Value, member: Option<&str>, is_sent: bool) -> Value {
        match value {
            Value::String(text) => self.text(text, member, is_sent).into(),
            Value::Array(items) => items.iter().map(|item| self.named(item, member, is_sent)).collect(),
            Value::Object(members) => {
                let members = members.iter().filter(|(name, _)| is_sent || !VARYING.contains(&name.as_str()));
                members.map(|(name, value)| (name.clone(), self.named(value, Some(name), is_sent))).collect()
            }
            other => other.clone(),
        }
    }

    fn text(&mut self, text: &str, member: Option<&str>, is_sent: bool) -> String {
        let kind = member.and_then(|member| MADE_UP.iter().copied().find(|kind| *kind == member));
        if let Some(kind) = kind {
            return self.id(text, kind, is_sent);
        }
        match (is_sent, text, member) {
            // The folder of a test is another one each time.
            (false, HIDDEN, _) | (false, _, Some("cwd")) => "${_}".to_owned(),
            _ => literal(text),
        }
    }

    fn id(&mut self, id: &str, kind: &'static str, is_sent: bool) -> String {
        if let Some(name) = self.names.get(id) {
            return name.clone();
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let kind = kind.strip_suffix("Id").unwrap_or(kind);
        let name = if is_sent { format!("{kind}-{count}") } else { format!("${{{kind}-{count}}}") };
        self.names.insert(id.to_owned(), name.clone());
        name
    }
}
