//! The changes of a handler, merged into the message that it has seen.

use serde_json::Value;

/// Changes `message` as a handler has changed `before` to `after`. `before` is the part of the
/// message that the handler's type takes. What the type does not take stays, apart from elements of
/// lists that the handler has replaced.
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

/// Returns the elements of a changed list. An element that was there before is the one of the
/// message, wherever it stands now. In a list of the same length, elements change in their places.
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
