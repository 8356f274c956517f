//! Requests for permission: in version 2 the tool call stands in the subject, which may also be a
//! command.

use serde_json::{Value, json};

use super::update;

/// The member that marks a tool call that the view has made up.
const MADE_UP: &str = "_madeUp";

pub(super) fn to_v1(params: &mut Value) {
    let title = params.get("title").cloned().unwrap_or_default();
    let subject = params.get_mut("subject");
    let mut call = match subject {
        Some(subject) if subject.get("toolCall").is_some_and(Value::is_object) => {
            subject.get_mut("toolCall").map(Value::take).unwrap_or_default()
        }
        // The title is all that version 2 always has.
        subject => made_up(&title, subject.as_deref()),
    };
    update::contents_to_v1(&mut call);
    if let Value::Object(members) = params {
        members.insert("toolCall".to_owned(), call);
    }
}

fn made_up(title: &Value, subject: Option<&Value>) -> Value {
    let member = |name: &str| subject.and_then(|subject| subject.get(name)).cloned().unwrap_or_default();
    let id = member("toolCallId");
    let id = if id.is_string() { id } else { json!("") };
    let mut call = json!({"toolCallId": id, "title": title, MADE_UP: true});
    if let (Value::Object(call), Value::String(command)) = (&mut call, member("command")) {
        call.insert("kind".to_owned(), json!("execute"));
        call.insert("rawInput".to_owned(), json!({"command": command, "cwd": member("cwd")}));
    }
    call
}

pub(super) fn to_v2(params: &mut Value) {
    let Value::Object(members) = params else { return };
    let Some(mut call) = members.remove("toolCall").filter(|call| call.get(MADE_UP).is_none()) else {
        return;
    };
    update::contents_to_v2(&mut call);
    if let Some(Value::Object(subject)) = members.get_mut("subject") {
        subject.insert("toolCall".to_owned(), call);
    }
}
