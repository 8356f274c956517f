//! Lists: sessions, config options, commands.

use std::collections::HashSet;

use serde_json::Value;

use super::content::path;
use crate::check::passive::Findings;
use crate::check::passive::conversation::Conversation;
use crate::check::passive::updates::is_time;
use crate::check::v2::cases::select_values;

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    for (request, answer) in conversation.answered() {
        let Some(result) = answer.json.get("result") else { continue };
        match request.method() {
            "session/list" => sessions(result, answer.line, f),
            "session/set_config_option" => options(&result["configOptions"], answer.line, f),
            "session/new" | "session/resume" => {
                let lists = ["configOptions", "availableCommands"];
                let odd = lists.iter().find(|name| result.get(**name).is_some_and(|list| !list.is_array()));
                f.check("v2-new-02", odd.is_none(), answer.line, || {
                    format!("`{}` is not an array", odd.copied().unwrap_or_default())
                });
                options(&result["configOptions"], answer.line, f);
                commands(&result["availableCommands"], answer.line, f);
            }
            _ => {}
        }
    }
    for (said, tag, update) in conversation.updates() {
        match tag {
            "config_option_update" => options(&update["configOptions"], said.line, f),
            "available_commands_update" => commands(&update["availableCommands"], said.line, f),
            _ => {}
        }
    }
}

fn sessions(result: &Value, line: usize, f: &mut Findings) {
    for entry in result["sessions"].as_array().into_iter().flatten() {
        path(&entry["cwd"], line, f);
        if let Some(time) = entry["updatedAt"].as_str() {
            f.check("v2-list-04", is_time(time) && has_offset(time), line, || {
                "`updatedAt` is not a time of RFC 3339".to_owned()
            });
        }
    }
}

/// Returns true if a time ends with its distance from UTC.
fn has_offset(time: &str) -> bool {
    let offset = time.get(19..).unwrap_or_default();
    offset.ends_with(['Z', 'z']) || offset.contains(['+', '-'])
}

fn options(options: &Value, line: usize, f: &mut Findings) {
    for option in options.as_array().into_iter().flatten() {
        let entries = option["options"].as_array().map_or(&[][..], Vec::as_slice);
        let groups = || entries.iter().filter(|entry| entry["options"].is_array());
        let named = option["configId"].is_string() && groups().all(|group| group["groupId"].is_string());
        f.check("v2-cfg-01", named, line, || {
            "a config option has no `configId`, or a group no `groupId`".to_owned()
        });
        if option["type"] != "select" {
            continue;
        }
        let values = select_values(option);
        let unique = values.iter().map(ToString::to_string).collect::<HashSet<_>>().len() == values.len();
        let filled = groups().all(|group| group["options"].as_array().is_some_and(|list| !list.is_empty()));
        let current = values.contains(&&option["currentValue"]);
        f.check("v2-cfg-04", !values.is_empty() && unique && filled && current, line, || {
            "a select has no values, some twice, an empty group, or another current value".to_owned()
        });
    }
}

fn commands(commands: &Value, line: usize, f: &mut Findings) {
    let mut names = HashSet::new();
    for command in commands.as_array().into_iter().flatten() {
        let input = &command["input"];
        let tagged = command["type"].is_string() && (input.is_null() || input["type"].is_string());
        f.check("v2-cmd-01", tagged, line, || "a command or its input has no `type`".to_owned());
        let name = command["name"].as_str().unwrap_or_default();
        let fits = !name.is_empty() && !name.starts_with('/') && !name.contains(char::is_whitespace);
        f.check("v2-cmd-02", fits && names.insert(name), line, || {
            format!("the name `{name}` of a command is malformed, or was listed before")
        });
    }
}
