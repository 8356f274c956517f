//! Modes, config options and login methods.

use std::collections::HashMap;

use serde_json::Value;

use super::conversation::Conversation;
use super::findings::Findings;

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    let mut modes: HashMap<&str, Vec<&Value>> = HashMap::new();
    for (said, session, result) in conversation.opened() {
        let listed = result["modes"]["availableModes"].as_array();
        let ids: Vec<_> = listed.into_iter().flatten().map(|mode| &mode["id"]).collect();
        if result["modes"].is_object() {
            let current = &result["modes"]["currentModeId"];
            f.check("v1-mode-04", ids.contains(&current), said.line, || {
                "the current mode is not one of those listed".to_owned()
            });
            modes.insert(session, ids);
        }
        options(&result["configOptions"], said.line, f);
    }
    for (said, tag, update) in conversation.updates() {
        match tag {
            "current_mode_update" => {
                let listed = said.session().and_then(|session| modes.get(session));
                let current = &update["currentModeId"];
                let known = current.is_string() && listed.is_none_or(|listed| listed.contains(&current));
                f.check("v1-mode-04", known, said.line, || {
                    "`currentModeId` is missing, or not one of the listed modes".to_owned()
                });
            }
            "config_option_update" => {
                let listed = update["configOptions"].is_array();
                f.check("v1-cfg-12", listed, said.line, || "the update has no list of options".to_owned());
                options(&update["configOptions"], said.line, f);
            }
            _ => {}
        }
    }
    for (request, answer) in conversation.answered() {
        if request.method() == "session/set_config_option" {
            options(&answer.json["result"]["configOptions"], answer.line, f);
        }
        if request.method() == "initialize" {
            for method in answer.json["result"]["authMethods"].as_array().into_iter().flatten() {
                if method["type"] == "terminal" {
                    let env = &method["env"];
                    let of_texts = |env: &serde_json::Map<String, Value>| env.values().all(Value::is_string);
                    let fits = env.is_null() || env.as_object().is_some_and(of_texts);
                    f.check("v1-auth-17", fits, answer.line, || {
                        "`env` of a terminal method is not an object of strings".to_owned()
                    });
                }
            }
        }
    }
}

/// Checks a list of config options.
fn options(options: &Value, line: usize, f: &mut Findings) {
    for option in options.as_array().into_iter().flatten() {
        let current = &option["currentValue"];
        f.check("v1-cfg-03", current.is_string() || current.is_boolean(), line, || {
            "an option has no `currentValue`".to_owned()
        });
        if let Some(category) = option["category"].as_str() {
            let known = ["mode", "model", "model_config", "thought_level"].contains(&category);
            f.check("v1-cfg-08", known || category.starts_with('_'), line, || {
                "a category is not one of the protocol and does not begin with `_`".to_owned()
            });
        }
        if option["type"] == "select" {
            let entries = option["options"].as_array();
            let flat = |entry: &Value| entry["value"].is_string() && entry["name"].is_string();
            let group = |entry: &Value| {
                let inside = entry["options"].as_array();
                entry["group"].is_string() && inside.is_some_and(|inside| inside.iter().all(flat))
            };
            let fits = entries.is_some_and(|list| list.iter().all(flat) || list.iter().all(group));
            f.check("v1-cfg-16", fits, line, || {
                "the options of a select are neither a list of values nor a list of groups".to_owned()
            });
        }
    }
}
