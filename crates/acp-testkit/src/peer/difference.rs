//! The comparison of a message with an expectation.

use std::fmt;

use serde_json::Value;

/// The first member that differs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// Its path: names joined by dots, positions in brackets. It is empty for the whole value.
    pub path: String,
    /// The expected value.
    pub expected: Value,
    /// The value that was seen, `None` if the member is missing.
    pub seen: Option<Value>,
}

impl Difference {
    /// Compares a value with the expected one. Members that the expected objects do not have may be
    /// there; lists must have the same length.
    ///
    /// ```
    /// use acp_testkit::Difference;
    /// use serde_json::json;
    ///
    /// let seen = json!({"prompt": [{"type": "text", "text": "hi"}], "sessionId": "s1"});
    /// assert_eq!(Difference::between(&json!({"prompt": [{"text": "hi"}]}), &seen), None);
    /// let difference = Difference::between(&json!({"prompt": [{"text": "ho"}]}), &seen).unwrap();
    /// assert_eq!(difference.to_string(), r#"`prompt[0].text`: expected "ho", seen "hi""#);
    /// ```
    #[must_use]
    pub fn between(expected: &Value, seen: &Value) -> Option<Self> {
        at(String::new(), expected, Some(seen))
    }
}

fn at(path: String, expected: &Value, seen: Option<&Value>) -> Option<Difference> {
    match (expected, seen) {
        (Value::Object(expected), Some(Value::Object(seen))) => expected.iter().find_map(|(name, value)| {
            let dot = if path.is_empty() { "" } else { "." };
            at(format!("{path}{dot}{name}"), value, seen.get(name))
        }),
        (Value::Array(wanted), Some(Value::Array(got))) if wanted.len() == got.len() => wanted
            .iter()
            .zip(got)
            .enumerate()
            .find_map(|(index, (value, seen))| at(format!("{path}[{index}]"), value, Some(seen))),
        (expected, Some(seen)) if expected == seen => None,
        (expected, seen) => Some(Difference { path, expected: expected.clone(), seen: seen.cloned() }),
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "`{}`: ", self.path)?;
        }
        write!(f, "expected {}, ", self.expected)?;
        match &self.seen {
            Some(seen) => write!(f, "seen {seen}"),
            None => f.write_str("but it is missing"),
        }
    }
}
