//! Terminals of the agent.

use std::collections::HashMap;

use serde_json::Value;

use super::content::path;
use crate::check::passive::Findings;
use crate::check::passive::conversation::Conversation;
use crate::check::passive::updates::is_absolute;

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    // The commands of terminals that have exited, with the lines of their exits.
    let mut commands: HashMap<(&str, String), (Value, Option<usize>)> = HashMap::new();
    for (said, tag, update) in conversation.updates() {
        if tag != "terminal_update" {
            continue;
        }
        let line = said.line;
        let key = (said.session().unwrap_or_default(), update["terminalId"].to_string());
        let (command, exit) = commands.entry(key).or_default();
        let another = update["command"].is_string() && !command.is_null() && update["command"] != *command;
        let runs_again = another || update.get("exitStatus").is_some_and(Value::is_null);
        f.check_lines(
            "v2-term-02",
            exit.is_none() || !runs_again,
            || exit.iter().copied().chain([line]).collect(),
            || "a terminal that has exited is used for another command".to_owned(),
        );
        if update["command"].is_string() {
            *command = update["command"].clone();
        }
        if update["exitStatus"].is_object() {
            *exit = Some(line);
        }
        if let Some(cwd) = update["cwd"].as_str() {
            f.check("v2-term-08", is_absolute(cwd), line, || "the `cwd` is not absolute".to_owned());
            path(&update["cwd"], line, f);
        }
        let size = &update["size"];
        if !size.is_null() {
            let fits = |side: &str| size[side].as_u64().is_some_and(|count| (1..=65535).contains(&count));
            f.check("v2-term-09", fits("cols") && fits("rows"), line, || {
                format!("the size {size} is not two numbers from 1 to 65535")
            });
        }
    }
}
