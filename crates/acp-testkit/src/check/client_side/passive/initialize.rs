//! `initialize`: its place, its version, and what it says about the client.

use serde_json::Value;

use super::{Conversation, Findings};

/// The newest version that anybody has published.
const NEWEST: u64 = 2;

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    first(conversation, f);
    for call in conversation.calls().filter(|call| call.method() == "initialize") {
        let (params, line) = (call.params(), call.line);
        let asked = &params["protocolVersion"];
        version(asked, line, f);
        // A malformed version is of the rule above.
        let exists = asked.as_u64().is_none_or(|version| (1..=NEWEST).contains(&version));
        f.check("v1-init-02", exists, line, || {
            format!("the client names the version {asked}, which nobody has")
        });
        // A client of a newer version says it in another way.
        let newer = asked.as_u64().is_some_and(|version| version > 1);
        let declared =
            params["clientCapabilities"].is_object() || (newer && params["capabilities"].is_object());
        f.check("v1-init-12", declared, line, || {
            "`clientCapabilities` is missing or not an object".to_owned()
        });
        let info = if newer && params["info"].is_object() { &params["info"] } else { &params["clientInfo"] };
        f.check("v1-init-14", info["name"].is_string() && info["version"].is_string(), line, || {
            "`clientInfo` has no `name` or no `version`".to_owned()
        });
    }
}

/// Checks the version that the client asks for.
pub(in crate::check::client_side) fn version(asked: &Value, line: usize, f: &mut Findings) {
    f.check("v1-init-03", asked.as_u64().is_some_and(|version| version <= 65535), line, || {
        "`protocolVersion` is not an integer from 0 to 65535".to_owned()
    });
}

/// Checks that nothing is called before `initialize` is answered.
pub(in crate::check::client_side) fn first(conversation: &Conversation<'_>, f: &mut Findings) {
    let answered = conversation.asked().find(|(request, _)| request.method() == "initialize");
    let answered = answered.map_or(usize::MAX, |(_, answer)| answer.line);
    for call in conversation.calls().filter(|call| {
        let method = call.method();
        method != "initialize" && !method.starts_with("$/") && !method.starts_with('_')
    }) {
        f.check("v1-init-01", answered < call.line, call.line, || {
            format!("the client calls `{}` before `initialize` is answered", call.method())
        });
    }
}
