//! Modes and config options that the client sets.

use std::collections::HashMap;

use serde_json::Value;

use super::{Conversation, Findings};
use crate::check::passive::conversation::{Said, What};

/// The settings of a session.
#[derive(Default)]
struct Settings {
    modes: Value,
    options: Value,
}

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    let mut sessions: HashMap<String, Settings> = HashMap::new();
    for said in &conversation.said {
        if let (false, What::Answer(Some(request))) = (said.is_agents(), said.what) {
            let Some(request) = conversation.said.get(request) else { continue };
            let Some(result) = said.json.get("result") else { continue };
            let session = result["sessionId"].as_str().or(request.session()).unwrap_or_default().to_owned();
            match request.method() {
                "session/new" | "session/load" | "session/resume" => {
                    let (modes, options) = (result["modes"].clone(), result["configOptions"].clone());
                    sessions.insert(session, Settings { modes, options });
                }
                "session/set_config_option" => {
                    sessions.entry(session).or_default().options = result["configOptions"].clone();
                }
                _ => {}
            }
        }
        if !said.is_agents() && said.params()["update"]["sessionUpdate"] == "config_option_update" {
            let session = said.session().unwrap_or_default().to_owned();
            sessions.entry(session).or_default().options = said.params()["update"]["configOptions"].clone();
        }
        let Some(settings) = said.session().and_then(|session| sessions.get(session)) else { continue };
        match said.method() {
            "session/set_mode" if said.is_agents() => mode(said, settings, f),
            "session/set_config_option" if said.is_agents() => option(said, settings, f),
            "session/prompt" if said.is_agents() => prompted(said, settings, f),
            _ => {}
        }
    }
}

fn categories(settings: &Settings) -> impl Iterator<Item = &Value> {
    settings.options.as_array().into_iter().flatten().map(|option| &option["category"])
}

fn mode(said: &Said, settings: &Settings, f: &mut Findings) {
    let listed = settings.modes["availableModes"].as_array();
    let known = listed.into_iter().flatten().any(|mode| mode["id"] == said.params()["modeId"]);
    f.check("v1-mode-02", known, said.line, || "`modeId` is not one that the agent lists".to_owned());
    let both = categories(settings).any(|category| category == "mode");
    f.check("v1-mode-06", !both, said.line, || {
        "the client sets a mode, and the agent has a config option for it".to_owned()
    });
}

/// A prompt is where a client could have set a mode before.
fn prompted(said: &Said, settings: &Settings, f: &mut Findings) {
    if settings.modes.is_object() && categories(settings).any(|category| category == "mode") {
        f.check("v1-mode-06", true, said.line, String::new);
    }
    let kinds = |option: &Value| option["type"] == "acp_check";
    if settings.options.as_array().is_some_and(|options| options.iter().any(kinds)) {
        f.check("v1-cfg-05", true, said.line, String::new);
    }
}

fn option(said: &Said, settings: &Settings, f: &mut Findings) {
    let params = said.params();
    let options = settings.options.as_array();
    let Some(option) = options.into_iter().flatten().find(|option| option["id"] == params["configId"]) else {
        f.check("v1-cfg-09", false, said.line, || "`configId` is not one that the agent lists".to_owned());
        return;
    };
    let value = &params["value"];
    let fits = match option["type"].as_str() {
        Some("select") => values(&option["options"]).contains(&value),
        Some("boolean") => params["type"] == "boolean" && value.is_boolean(),
        _ => true,
    };
    f.check("v1-cfg-09", fits, said.line, || {
        "`value` is not one of the option's, or not in the form of its type".to_owned()
    });
    let known = matches!(option["type"].as_str(), Some("select" | "boolean"));
    f.check("v1-cfg-05", known, said.line, || {
        "the client sets an option of a type that the protocol does not have".to_owned()
    });
}

/// Returns the values of a select, which may stand in groups.
fn values(options: &Value) -> Vec<&Value> {
    let entries = options.as_array().into_iter().flatten();
    entries
        .flat_map(|entry| match entry["options"].as_array() {
            Some(group) => group.iter().map(|entry| &entry["value"]).collect(),
            None => vec![&entry["value"]],
        })
        .collect()
}
