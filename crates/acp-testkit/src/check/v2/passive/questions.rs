//! Permission requests and elicitations.

use std::collections::HashSet;

use serde_json::Value;

use super::content::path;
use crate::check::passive::Findings;
use crate::check::passive::conversation::Conversation;
use crate::check::passive::updates::is_absolute;

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    for call in conversation.calls() {
        match call.method() {
            "session/request_permission" => permission(call.params(), call.line, f),
            "elicitation/create" => elicitation(call.params(), call.line, f),
            _ => {}
        }
    }
}

fn permission(params: &Value, line: usize, f: &mut Findings) {
    let options = params["options"].as_array().map_or(&[][..], Vec::as_slice);
    let whole = |option: &Value| ["optionId", "name", "kind"].iter().all(|name| option[name].is_string());
    let fits = params["title"].is_string() && !options.is_empty() && options.iter().all(whole);
    f.check("v2-perm-01", fits, line, || "the request lacks its `title` or its `options`".to_owned());
    let ids: HashSet<_> = options.iter().map(|option| option["optionId"].to_string()).collect();
    f.check("v2-perm-02", ids.len() == options.len(), line, || "two options have one id".to_owned());
    let subject = &params["subject"];
    if subject["type"] == "command" {
        let cwd = subject["cwd"].as_str();
        let fits = subject["command"].is_string() && cwd.is_some_and(is_absolute);
        f.check("v2-perm-04", fits, line, || "the subject lacks `command` or an absolute `cwd`".to_owned());
        path(&subject["cwd"], line, f);
    }
}

fn elicitation(params: &Value, line: usize, f: &mut Findings) {
    let scopes = ["sessionId", "requestId"].iter().filter(|name| !params[**name].is_null()).count();
    f.check("v2-eli-01", scopes == 1, line, || {
        format!("expected one of `sessionId` and `requestId`, seen {scopes}")
    });
    if params["mode"] != "form" {
        return;
    }
    let schema = &params["requestedSchema"];
    let properties = schema["properties"].as_object();
    let filled = |property: &Value| {
        let lists = [&property["enum"], &property["oneOf"], &property["items"]["enum"]];
        lists.iter().all(|list| list.as_array().is_none_or(|list| !list.is_empty()))
    };
    let fits =
        schema["type"] == "object" && properties.is_some_and(|properties| properties.values().all(filled));
    f.check("v2-eli-03", fits, line, || {
        "the form is not an object with `properties`, or a list of it is empty".to_owned()
    });
}
