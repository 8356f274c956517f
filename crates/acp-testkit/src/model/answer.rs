//! An answer of the model: its thought, its words, its calls of tools, and its end.

use std::time::Duration;

use serde_json::Value;

/// The reason why an answer ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Finish {
    #[default]
    Stop,
    Calls,
    Length,
    Refusal,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    /// The namespace of the tool, in the only API that has them.
    pub(super) namespace: Option<String>,
    /// JSON, or free text for a custom tool.
    pub(super) arguments: Value,
    pub(super) is_custom: bool,
}

impl Call {
    /// Returns its arguments as text.
    pub(super) fn text(&self) -> String {
        match &self.arguments {
            Value::String(text) => text.clone(),
            json => json.to_string(),
        }
    }
}

/// An answer, as it is said.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) thought: String,
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
    pub(super) finish: Finish,
    pub(super) hang: Duration,
    pub(super) slow: Duration,
    pub(super) error: Option<u16>,
    /// True if the connection ends in the middle of the text.
    pub(super) drops: bool,
}
