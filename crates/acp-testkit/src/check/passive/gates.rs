//! Features that a client must have offered.

use serde_json::{Value, json};

use super::conversation::{Conversation, Said, What};
use super::findings::Findings;
use crate::peer::Way;

/// The updates of a turn, the options and the login methods that need a capability of the client.
struct Gate {
    rules: &'static [&'static str],
    /// The paths of the capabilities, each of which opens a part.
    capabilities: &'static [&'static str],
    what: &'static str,
}

const GATES: &[Gate] = &[
    Gate {
        rules: &["v1-cap-11", "v1-fs-01"],
        capabilities: &["/fs/readTextFile", "/fs/writeTextFile"],
        what: "files",
    },
    Gate { rules: &["v1-cap-12", "v1-cap-13"], capabilities: &["/terminal"], what: "terminals" },
    Gate { rules: &["v1-cap-19"], capabilities: &["/session/notices"], what: "notices" },
    Gate { rules: &["v1-cap-20"], capabilities: &["/session/compaction"], what: "compactions" },
    Gate {
        rules: &["v1-cap-21", "v1-eli-01"],
        capabilities: &["/elicitation/form", "/elicitation/url"],
        what: "elicitation",
    },
    Gate { rules: &["v1-plan-07"], capabilities: &["/plan"], what: "plan operations" },
];

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    let (mut offered, mut newer) = (json!({}), false);
    for said in &conversation.said {
        if said.way == Way::Sent && said.method() == "initialize" {
            offered = said.params()["clientCapabilities"].clone();
            newer = said.params()["protocolVersion"] != 1;
        }
        // A client of a newer version offers by its own words: v1-init-09 has a scenario.
        if newer || !said.is_agents() {
            continue;
        }
        if let What::Answer(Some(request)) = said.what {
            let Some(request) = conversation.said.get(request) else { continue };
            if request.method() == "session/prompt" && said.json.get("result").is_some() {
                turn_ended(&offered, said.line, f);
            }
            result(request.method(), said, &offered, f);
        } else if let Some(needed) = needs(said) {
            let open = has(&offered, needed);
            for gate in GATES.iter().filter(|gate| gate.capabilities.contains(&needed)) {
                for rule in gate.rules.iter().chain(&["v1-cap-01"]) {
                    f.check(rule, open, said.line, || {
                        format!("the agent uses {}, and the client has not offered `{needed}`", gate.what)
                    });
                }
            }
        }
        if let Some(update) = said.update().filter(|update| update["sessionUpdate"] == "config_option_update")
        {
            booleans(&update["configOptions"], said.line, &offered, f);
        }
    }
}

fn has(offered: &Value, path: &str) -> bool {
    !matches!(offered.pointer(path), None | Some(Value::Null | Value::Bool(false)))
}

/// A whole turn is where an agent could have used what was not offered.
fn turn_ended(offered: &Value, line: usize, f: &mut Findings) {
    for gate in GATES {
        if gate.capabilities.iter().all(|path| !has(offered, path)) {
            for rule in gate.rules.iter().chain(&["v1-cap-01"]) {
                f.check(rule, true, line, String::new);
            }
        }
    }
}

/// Returns the path of the capability that a message of the agent needs.
fn needs(said: &Said) -> Option<&'static str> {
    let method = said.method();
    match method {
        "fs/read_text_file" => Some("/fs/readTextFile"),
        "fs/write_text_file" => Some("/fs/writeTextFile"),
        "elicitation/create" => match said.params()["mode"].as_str() {
            Some("form") => Some("/elicitation/form"),
            Some("url") => Some("/elicitation/url"),
            _ => None,
        },
        _ if method.starts_with("terminal/") => Some("/terminal"),
        _ => match said.update()?["sessionUpdate"].as_str()? {
            "notice" => Some("/session/notices"),
            "compaction_update" | "compaction_summary_chunk" => Some("/session/compaction"),
            "plan_update" | "plan_removed" => Some("/plan"),
            _ => None,
        },
    }
}

fn result(method: &str, said: &Said, offered: &Value, f: &mut Findings) {
    let Some(result) = said.json.get("result") else { return };
    match method {
        "initialize" if !has(offered, "/auth/terminal") => {
            let methods = result["authMethods"].as_array();
            let terminal = methods.into_iter().flatten().any(|method| method["type"] == "terminal");
            f.check("v1-cap-22", !terminal, said.line, || {
                "the agent lists a terminal login, and the client has not offered `auth.terminal`".to_owned()
            });
        }
        "session/new" | "session/load" | "session/resume" | "session/set_config_option" => {
            booleans(&result["configOptions"], said.line, offered, f);
        }
        _ => {}
    }
}

fn booleans(options: &Value, line: usize, offered: &Value, f: &mut Findings) {
    if has(offered, "/session/configOptions/boolean") {
        return;
    }
    let boolean = options.as_array().into_iter().flatten().any(|option| option["type"] == "boolean");
    for rule in ["v1-cap-18", "v1-cfg-04"] {
        f.check(rule, !boolean, line, || {
            "a boolean option is listed, and the client has not offered them".to_owned()
        });
    }
}
