//! The rules about the form of payloads.

use acp_types::method::Side;
use acp_types::v2::methods::METHODS;

use crate::check::passive::conversation::Said;
use crate::check::passive::schema::Schema;

pub(in crate::check) const V2: Schema = Schema { version: "v2", methods: METHODS, rule_of };

/// Returns the rule about the form of a payload.
fn rule_of(_: Side, said: &Said, method: &str, member: &str) -> &'static str {
    if member == "result" {
        return "v1-rpc-11";
    }
    let tag = said.update().and_then(|update| update["sessionUpdate"].as_str());
    match (method, tag.unwrap_or_default()) {
        (_, "state_update") => "v2-state-10",
        (_, "plan_update") => "v2-plan-01",
        (_, "available_commands_update") => "v2-cmd-01",
        (_, "config_option_update") => "v2-cfg-01",
        ("session/request_permission", _) => "v2-perm-01",
        ("elicitation/create", _) => "v2-eli-03",
        _ => "v1-rpc-11",
    }
}
