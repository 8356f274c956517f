//! Members of a peer's messages, as the types that the page draws. A member of another type is `null`.

use serde_json::{Map, Value};

/// Returns a text.
pub(super) fn text(member: Option<&Value>) -> Value {
    member.filter(|member| member.is_string()).cloned().unwrap_or_default()
}

/// Returns the objects of a list, each with these texts and nothing else.
pub(super) fn objects(member: Option<&Value>, texts: &[&str]) -> Value {
    let Some(Value::Array(list)) = member else { return Value::Null };
    let objects = list.iter().filter_map(Value::as_object);
    objects.map(|object| Value::Object(picked(object, texts, Value::is_string))).collect()
}

/// Returns the use of tokens, and its cost.
pub(super) fn usage(member: Option<&Value>) -> Value {
    let Some(Value::Object(said)) = member else { return Value::Null };
    let mut usage = picked(said, &["used", "size", "totalTokens"], Value::is_number);
    if let Some(Value::Object(said)) = said.get("cost") {
        let mut cost = picked(said, &["amount"], Value::is_number);
        cost.extend(picked(said, &["currency"], Value::is_string));
        usage.insert("cost".to_owned(), Value::Object(cost));
    }
    Value::Object(usage)
}

/// Returns the members of these names that fit.
fn picked(object: &Map<String, Value>, names: &[&str], fits: fn(&Value) -> bool) -> Map<String, Value> {
    let of_name = |name: &&str| {
        let value = object.get(*name).filter(|value| fits(value))?;
        Some(((*name).to_owned(), value.clone()))
    };
    names.iter().filter_map(of_name).collect()
}
