//! Placeholders: values that a script takes from messages and puts into others.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::peer::Difference;

/// The name that matches everything and keeps nothing.
const ANY: &str = "_";
/// The last item of a list that may go on.
const REST: &str = "...";

/// Values by the names of placeholders.
#[derive(Clone, Debug, Default)]
pub(super) struct Values(BTreeMap<String, Value>);

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
enum Part<'a> {
    Text(&'a str),
    Name(&'a str),
}

impl Values {
    pub(super) fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// Puts values in the place of their names. The error is a name without a value.
    pub(super) fn fill(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => self.fill_text(text)?,
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.fill(item)).collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let filled = members.iter().map(|(name, value)| Ok((name.clone(), self.fill(value)?)));
                Value::Object(filled.collect::<Result<Map<_, _>, String>>()?)
            }
            other => other.clone(),
        })
    }

    fn fill_text(&self, text: &str) -> Result<Value, String> {
        let value = |name: &str| self.0.get(name).ok_or_else(|| name.to_owned());
        let parts = parts(text);
        if let [Part::Name(name)] = parts.as_slice() {
            return value(name).cloned();
        }
        let mut filled = String::new();
        for part in parts {
            match part {
                Part::Text(text) => filled.push_str(text),
                Part::Name(name) => filled.push_str(&plain(value(name)?)),
            }
        }
        Ok(filled.into())
    }

    /// Compares a value with the expected one, and takes the values of new names. After a
    /// difference nothing is taken.
    pub(super) fn compare(&mut self, expected: &Value, seen: &Value) -> Option<Difference> {
        let before = self.clone();
        let difference = self.at(String::new(), expected, Some(seen));
        if difference.is_some() {
            *self = before;
        }
        difference
    }

    fn at(&mut self, path: String, expected: &Value, seen: Option<&Value>) -> Option<Difference> {
        match (expected, seen) {
            (Value::Object(expected), Some(Value::Object(seen))) => {
                expected.iter().find_map(|(name, value)| self.member(&path, name, value, seen))
            }
            (Value::Array(wanted), Some(Value::Array(got))) => {
                let (wanted, goes_on) = match wanted.split_last() {
                    Some((last, rest)) if last == REST => (rest, true),
                    _ => (wanted.as_slice(), false),
                };
                if got.len() < wanted.len() || (got.len() > wanted.len() && !goes_on) {
                    return self.differs(path, expected, seen);
                }
                let mut pairs = wanted.iter().zip(got).enumerate();
                pairs.find_map(|(index, (value, got))| self.at(format!("{path}[{index}]"), value, Some(got)))
            }
            (Value::String(text), Some(seen)) if self.matches(text, seen) => None,
            (expected, Some(seen)) if expected == seen => None,
            (expected, seen) => self.differs(path, expected, seen),
        }
    }

    fn member(
        &mut self,
        path: &str,
        name: &str,
        expected: &Value,
        seen: &Map<String, Value>,
    ) -> Option<Difference> {
        let (name, optional) = match name.strip_suffix('?') {
            Some(name) if !name.is_empty() => (name, true),
            _ => (name, false),
        };
        let seen = seen.get(name);
        if optional && seen.is_none_or(Value::is_null) {
            return None;
        }
        let dot = if path.is_empty() { "" } else { "." };
        self.at(format!("{path}{dot}{name}"), expected, seen)
    }

    /// Returns a difference, with the values of the names that have one.
    fn differs(&self, path: String, expected: &Value, seen: Option<&Value>) -> Option<Difference> {
        let expected = self.fill(expected).unwrap_or_else(|_| expected.clone());
        Some(Difference { path, expected, seen: seen.cloned() })
    }

    fn matches(&mut self, text: &str, seen: &Value) -> bool {
        let parts = parts(text);
        if let [Part::Name(name)] = parts.as_slice() {
            return *name == ANY
                || *self.0.entry((*name).to_owned()).or_insert_with(|| seen.clone()) == *seen;
        }
        let Some(seen) = seen.as_str() else { return false };
        // The texts between the parts that may be anything.
        let mut texts = vec![String::new()];
        for part in parts {
            match (part, texts.last_mut()) {
                (Part::Name(ANY), _) => texts.push(String::new()),
                (Part::Text(text), Some(last)) => last.push_str(text),
                (Part::Name(name), Some(last)) => match self.0.get(name) {
                    Some(value) => last.push_str(&plain(value)),
                    None => return false,
                },
                (_, None) => {}
            }
        }
        has_texts(seen, &texts)
    }
}

/// Returns true if a text consists of these texts with anything between them.
fn has_texts(seen: &str, texts: &[String]) -> bool {
    let [first, rest @ ..] = texts else { return false };
    let Some(mut seen) = seen.strip_prefix(first.as_str()) else { return false };
    let [middle @ .., last] = rest else { return seen.is_empty() };
    for text in middle {
        let Some((_, behind)) = seen.split_once(text.as_str()) else { return false };
        seen = behind;
    }
    seen.ends_with(last.as_str())
}

/// Returns the text of a value inside another text.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Splits a text at its placeholders `${name}`. `$${` is the text `${`.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, found) = rest.split_at(at);
        let escaped = before.ends_with('$');
        let name = found.get(2..).and_then(|name| name.split_once('}'));
        let named = name.filter(|(name, _)| !escaped && is_name(name));
        let (text, behind) = match named {
            Some((_, behind)) => (before, behind),
            // One of the dollars goes.
            None if escaped => (rest.get(..at - 1).unwrap_or_default(), found.get(2..).unwrap_or_default()),
            None => (rest.get(..at + 2).unwrap_or_default(), found.get(2..).unwrap_or_default()),
        };
        if !text.is_empty() {
            parts.push(Part::Text(text));
        }
        match named {
            Some((name, _)) => parts.push(Part::Name(name)),
            None if escaped => parts.push(Part::Text("${")),
            None => {}
        }
        rest = behind;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    parts
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// Writes a text so that it has no placeholders.
pub(super) fn literal(text: &str) -> String {
    text.replace("${", "$${")
}
