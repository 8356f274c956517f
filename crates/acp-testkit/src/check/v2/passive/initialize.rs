//! The answer to `initialize`, and what it promises.

use std::collections::HashSet;

use serde_json::Value;

use crate::check::passive::Findings;
use crate::check::passive::conversation::{Conversation, Said};

/// The markers of an agent.
const MARKERS: &[&str] = &[
    "/session",
    "/session/prompt",
    "/session/prompt/image",
    "/session/prompt/audio",
    "/session/prompt/embeddedContext",
    "/session/mcp",
    "/session/mcp/stdio",
    "/session/mcp/http",
    "/session/delete",
    "/session/additionalDirectories",
    "/auth",
];

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    let mut offered = Value::Null;
    for (request, answer) in conversation.answered() {
        let result = &answer.json["result"];
        match request.method() {
            "initialize" if result["protocolVersion"] == 2 => {
                offered = request.params()["capabilities"].clone();
                initialized(answer, &offered, f);
            }
            "session/prompt" if result.is_object() && !forms(&offered).any(|offers| offers) => {
                f.check("v2-cap-01", true, answer.line, String::new);
            }
            _ => {}
        }
    }
    for call in conversation.calls().filter(|call| call.method() == "elicitation/create") {
        let mode = call.params()["mode"].as_str().unwrap_or_default();
        let offers = offered["elicitation"][mode].is_object() || !["form", "url"].contains(&mode);
        f.check("v2-cap-01", offers, call.line, || {
            format!("the agent uses `elicitation.{mode}`, which the client has not offered by an object")
        });
    }
}

fn forms(offered: &Value) -> impl Iterator<Item = bool> {
    ["form", "url"].into_iter().map(|mode| offered["elicitation"][mode].is_object())
}

fn initialized(answer: &Said, offered: &Value, f: &mut Findings) {
    let (line, result) = (answer.line, &answer.json["result"]);
    let info = ["name", "version"].iter().all(|name| result["info"][name].is_string());
    let capabilities = &result["capabilities"];
    f.check("v2-init-01", info && (capabilities.is_object() || capabilities.is_null()), line, || {
        "`info` lacks `name` or `version`, or `capabilities` is not an object".to_owned()
    });
    let odd = MARKERS.iter().find(|path| {
        capabilities.pointer(path).is_some_and(|marker| !marker.is_object() && !marker.is_null())
    });
    f.check("v2-cap-04", odd.is_none(), line, || {
        format!("the marker `{}` is not an object", odd.copied().unwrap_or_default())
    });
    for method in result["authMethods"].as_array().into_iter().flatten() {
        let whole = ["type", "methodId", "name"].iter().all(|name| method[name].is_string());
        f.check("v2-auth-03", whole, line, || "a login method lacks `type`, `methodId` or `name`".to_owned());
        if method["type"] == "terminal" {
            f.check("v2-cap-01", offered["auth"]["terminal"].is_object(), line, || {
                "a terminal login is listed, which the client has not offered by an object".to_owned()
            });
            let env = method["env"].as_array();
            let names: Vec<_> = env.into_iter().flatten().map(|pair| pair["name"].to_string()).collect();
            let unique = names.iter().collect::<HashSet<_>>().len() == names.len();
            f.check("v2-auth-05", unique, line, || "two variables of `env` have one name".to_owned());
        }
    }
}
