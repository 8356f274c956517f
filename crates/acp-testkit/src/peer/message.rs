//! A message of the other side.

use std::borrow::Cow;
use std::ops::Deref;

use serde_json::{Map, Value};

/// A JSON-RPC message. It derefs to its JSON: `message["params"]["sessionId"]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Message(Value);

impl Message {
    pub(crate) const fn new(value: Value) -> Self {
        Self(value)
    }

    /// Returns the method of a request or a notification.
    #[must_use]
    pub fn method(&self) -> Option<&str> {
        self.0.get("method")?.as_str()
    }

    /// Returns the params, `null` if there are none.
    #[must_use]
    pub fn params(&self) -> &Value {
        self.0.get("params").unwrap_or(&Value::Null)
    }

    /// Returns the params for a comparison with these. If they are left out, they have no members.
    pub(crate) fn params_like(&self, expected: &Value) -> Cow<'_, Value> {
        match self.0.get("params") {
            None if expected.is_object() => Cow::Owned(Value::Object(Map::new())),
            _ => Cow::Borrowed(self.params()),
        }
    }

    /// Returns the id of a request or an answer.
    #[must_use]
    pub fn id(&self) -> Option<&Value> {
        self.0.get("id")
    }

    /// Returns true if it has a method and an id.
    #[must_use]
    pub fn is_request(&self) -> bool {
        self.method().is_some() && self.id().is_some()
    }

    /// Returns true if it has a method and no id.
    #[must_use]
    pub fn is_notification(&self) -> bool {
        self.method().is_some() && self.id().is_none()
    }

    /// Returns true if it has no method.
    #[must_use]
    pub fn is_answer(&self) -> bool {
        self.method().is_none()
    }

    /// Returns the result of an answer that is a success.
    #[must_use]
    pub fn result(&self) -> Option<&Value> {
        self.0.get("result")
    }

    /// Returns the code of an answer that is an error.
    #[must_use]
    pub fn code(&self) -> Option<i64> {
        self.0.get("error")?.get("code")?.as_i64()
    }

    /// Returns its JSON.
    #[must_use]
    pub fn into_json(self) -> Value {
        self.0
    }
}

impl Deref for Message {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0
    }
}
