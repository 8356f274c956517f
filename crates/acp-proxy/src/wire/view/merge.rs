//! The changes of a handler, merged into the message that it has seen.

use serde_json::Value;

/// Changes `message` as a handler has changed `before` to `after`. `before` is the part of the message
/// that the handler's type takes. What the type does not take stays, apart from elements of lists that
/// the handler has replaced.
pub(crate) fn merge(message: &mut Value, before: &Value, after: Value) {
    if *before == after {
        return;
    }
    match (message, before, after) {
        (Value::Object(message), Value::Object(before), Value::Object(after)) => {
            for name in before.keys().filter(|name| !after.contains_key(*name)) {
                message.remove(name);
            }
            for (name, after) in after {
                match (message.get_mut(&name), before.get(&name)) {
                    (Some(message), Some(before)) => merge(message, before, after),
                    // The type writes a member that the message leaves out.
                    (None, Some(before)) if *before == after => {}
                    _ => drop(message.insert(name, after)),
                }
            }
        }
        (Value::Array(message), Value::Array(before), Value::Array(after))
            if message.len() == before.len() =>
        {
            *message = elements(std::mem::take(message), before, after);
        }
        (message, _, after) => *message = after,
    }
}

/// Returns the elements of a changed list. An element that was there before is the one of the message,
/// wherever it stands now. In a list of the same length, elements change in their places.
fn elements(message: Vec<Value>, before: &[Value], after: Vec<Value>) -> Vec<Value> {
    if before.len() == after.len() {
        let changed = message.into_iter().zip(before).zip(after);
        return changed
            .map(|((mut message, before), after)| {
                merge(&mut message, before, after);
                message
            })
            .collect();
    }
    let mut left: Vec<(Option<Value>, &Value)> = message.into_iter().map(Some).zip(before).collect();
    let mut taken = |element: &Value| {
        left.iter_mut().find_map(|(message, before)| if *before == element { message.take() } else { None })
    };
    after.into_iter().map(|element| taken(&element).unwrap_or(element)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_keeps_what_its_handler_has_not_changed() {
        let message =
            json!({"a": 1, "_x": 2, "list": [{"n": 1, "_y": 3}, {"n": 2, "_y": 4}], "o": {"p": 1, "_q": 5}});
        let before = json!({"a": 1, "list": [{"n": 1}, {"n": 2}], "o": {"p": 1}, "absent": null});
        for (after, expected) in [
            (before.clone(), message.clone()),
            // A member changes, goes, and comes.
            (
                json!({"list": [{"n": 1}, {"n": 2}], "o": {"p": 7}, "absent": null, "new": true}),
                json!({"_x": 2, "list": [{"n": 1, "_y": 3}, {"n": 2, "_y": 4}], "o": {"p": 7, "_q": 5}, "new": true}),
            ),
            // An element changes in its place.
            (
                json!({"a": 1, "list": [{"n": 1}, {"n": 9}], "o": {"p": 1}, "absent": null}),
                json!({"a": 1, "_x": 2, "list": [{"n": 1, "_y": 3}, {"n": 9, "_y": 4}], "o": {"p": 1, "_q": 5}}),
            ),
            // One comes first, and one goes.
            (
                json!({"a": 1, "list": [{"n": 0}, {"n": 1}, {"n": 2}], "o": {"p": 1}, "absent": null}),
                json!({"a": 1, "_x": 2, "list": [{"n": 0}, {"n": 1, "_y": 3}, {"n": 2, "_y": 4}], "o": {"p": 1, "_q": 5}}),
            ),
            (
                json!({"a": 1, "list": [{"n": 2}], "o": {"p": 1}, "absent": null}),
                json!({"a": 1, "_x": 2, "list": [{"n": 2, "_y": 4}], "o": {"p": 1, "_q": 5}}),
            ),
        ] {
            let mut merged = message.clone();
            merge(&mut merged, &before, after.clone());
            assert_eq!(merged, expected, "{after}");
        }
    }
}
