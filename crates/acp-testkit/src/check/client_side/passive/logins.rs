//! Logins by `authenticate`.

use std::collections::HashMap;

use serde_json::Value;

use super::{Conversation, Findings};

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    let initialized = conversation.asked().find(|(request, _)| request.method() == "initialize");
    let Some((_, answer)) = initialized else { return };
    let methods = answer.json["result"]["authMethods"].as_array();
    let kinds: HashMap<&str, &Value> = methods
        .into_iter()
        .flatten()
        .filter_map(|method| Some((method["id"].as_str()?, &method["type"])))
        .collect();
    for call in conversation.calls().filter(|call| call.method() == "authenticate") {
        let id = call.params()["methodId"].as_str().unwrap_or_default();
        f.check("v1-auth-03", kinds.contains_key(id), call.line, || {
            "`methodId` is not one that the agent lists".to_owned()
        });
        let terminal = kinds.get(id).is_some_and(|kind| **kind == "terminal");
        f.check("v1-auth-04", !terminal, call.line, || {
            "`methodId` names a login that runs in a terminal".to_owned()
        });
    }
}
