//! Logins by `auth/login`, and `auth/logout`.

use crate::check::passive::Findings;
use crate::check::passive::conversation::Conversation;

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    let initialized = conversation.asked().find(|(request, _)| request.method() == "initialize");
    let Some((_, answer)) = initialized else { return };
    let methods = answer.json["result"]["authMethods"].as_array().map_or(&[][..], Vec::as_slice);
    for call in conversation.calls() {
        match call.method() {
            // A place where the client could have called one of them.
            "session/prompt" if methods.is_empty() => f.check("v2-auth-02", true, call.line, String::new),
            "auth/login" | "auth/logout" => {
                f.check("v2-auth-02", !methods.is_empty(), call.line, || {
                    format!("the client calls `{}`, and the agent lists no logins", call.method())
                });
            }
            _ => {}
        }
        if call.method() == "auth/login" {
            let id = &call.params()["methodId"];
            let terminal =
                methods.iter().any(|method| method["methodId"] == *id && method["type"] == "terminal");
            f.check("v2-auth-04", !terminal, call.line, || {
                "`methodId` names a login that runs in a terminal".to_owned()
            });
        }
    }
}
