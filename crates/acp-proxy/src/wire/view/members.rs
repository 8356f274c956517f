//! Changes of the members of an object.

use serde_json::Value;

/// Calls a function with each element of a list, if the object has it.
pub(super) fn each(object: &mut Value, list: &str, change: impl FnMut(&mut Value)) {
    if let Some(Value::Array(elements)) = object.get_mut(list) {
        elements.iter_mut().for_each(change);
    }
}

/// Gives a member another name, unless a member has that name already.
pub(super) fn rename(object: &mut Value, from: &str, to: &str) {
    if let Value::Object(members) = object
        && !members.contains_key(to)
        && let Some(value) = members.remove(from)
    {
        members.insert(to.to_owned(), value);
    }
}

/// Removes a member that has this text.
pub(super) fn remove_text(object: &mut Value, name: &str, text: &str) {
    if let Value::Object(members) = object
        && members.get(name).and_then(Value::as_str) == Some(text)
    {
        members.remove(name);
    }
}

/// Adds a member, unless it is there.
pub(super) fn add(object: &mut Value, name: &str, value: Value) {
    if let Value::Object(members) = object {
        let member = members.entry(name).or_insert(Value::Null);
        if member.is_null() {
            *member = value;
        }
    }
}

pub(super) fn has(object: &Value, name: &str) -> bool {
    object.get(name).is_some_and(|value| !value.is_null())
}
