//! `initialize`: the client's name and its capabilities.

use serde_json::Value;

use crate::check::client_side::passive::initialize::{first, version};
use crate::check::passive::Findings;
use crate::check::passive::conversation::Conversation;

/// The markers of a client.
const MARKERS: &[&str] =
    &["/auth", "/auth/terminal", "/elicitation", "/elicitation/form", "/elicitation/url"];

/// Capabilities of version 1 that version 2 does not have.
const GONE: &[&str] =
    &["/fs", "/terminal", "/session/notices", "/session/compaction", "/session/configOptions"];

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    first(conversation, f);
    for call in conversation.calls().filter(|call| call.method() == "initialize") {
        let (params, line) = (call.params(), call.line);
        version(&params["protocolVersion"], line, f);
        let (info, offered) = (&params["info"], &params["capabilities"]);
        let fits = info["name"].is_string() && info["version"].is_string();
        f.check("v2-init-01", fits && (offered.is_null() || offered.is_object()), line, || {
            "`info` has no `name` or no `version`, or `capabilities` is not an object".to_owned()
        });
        let odd = MARKERS.iter().find(|path| offered.pointer(path).is_some_and(is_malformed));
        f.check("v2-cap-01", odd.is_none(), line, || {
            let path = odd.copied().unwrap_or_default().replace('/', ".");
            format!("the capability `{}` is not an object", path.trim_start_matches('.'))
        });
        let gone = GONE.iter().find(|path| offered.pointer(path).is_some());
        f.check("v2-cap-05", gone.is_none(), line, || {
            let path = gone.copied().unwrap_or_default().replace('/', ".");
            format!("version 2 does not have the capability `{}`", path.trim_start_matches('.'))
        });
    }
}

fn is_malformed(marker: &Value) -> bool {
    !marker.is_object() && !marker.is_null()
}
