//! The parts of two values that differ.

use serde_json::Value;

use super::Change;

/// A value that a recorder has hidden.
const HIDDEN: &str = "[redacted]";

pub(super) fn changes(first: &Value, second: &Value) -> Vec<Change> {
    let mut found = Vec::new();
    compare(String::new(), Some(first), Some(second), &mut found);
    found
}

fn compare(path: String, first: Option<&Value>, second: Option<&Value>, found: &mut Vec<Change>) {
    match (first, second) {
        (Some(Value::Object(ours)), Some(Value::Object(theirs))) => {
            let added = theirs.keys().filter(|name| !ours.contains_key(*name));
            for name in ours.keys().chain(added) {
                let step = name.replace('~', "~0").replace('/', "~1");
                compare(format!("{path}/{step}"), ours.get(name), theirs.get(name), found);
            }
        }
        (Some(Value::Array(ours)), Some(Value::Array(theirs))) => {
            for at in 0..ours.len().max(theirs.len()) {
                compare(format!("{path}/{at}"), ours.get(at), theirs.get(at), found);
            }
        }
        (Some(first), Some(second)) if is_equal(first, second) => {}
        (first, second) => found.push(Change { path, first: first.cloned(), second: second.cloned() }),
    }
}

fn is_equal(first: &Value, second: &Value) -> bool {
    let is_text = |value: &Value| value.is_string() || value.is_number();
    first == second
        || (first == HIDDEN && is_text(second))
        || (second == HIDDEN && is_text(first))
        || numbers_equal(first, second)
}

/// Returns true for `1` and `1.0`.
fn numbers_equal(first: &Value, second: &Value) -> bool {
    matches!((first.as_f64(), second.as_f64()), (Some(first), Some(second)) if first.to_bits() == second.to_bits())
        && (first.is_f64() != second.is_f64())
}
