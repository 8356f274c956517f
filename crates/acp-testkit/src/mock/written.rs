//! The TOML of a step.

use std::fmt::Write;

use serde_json::Value;

/// Writes steps.
#[derive(Debug, Default)]
pub(super) struct Writer(String);

impl Writer {
    /// Begins a file with a comment.
    pub(super) fn new(comment: &str) -> Self {
        Self(comment.lines().map(|line| format!("# {line}\n")).collect())
    }

    /// Writes a step: the member that says what it does, and its text.
    pub(super) fn step(&mut self, kind: &str, text: &str) -> &mut Self {
        self.0.push_str("\n[[step]]\n");
        self.text(kind, text)
    }

    /// Writes a step whose value is JSON.
    pub(super) fn json_step(&mut self, kind: &str, value: &Value) -> &mut Self {
        self.step(kind, &value.to_string())
    }

    /// Writes a member of the step: a text.
    pub(super) fn text(&mut self, name: &str, text: &str) -> &mut Self {
        let is_plain = text.chars().all(|char| char != '\'' && !char.is_control());
        let quoted = if is_plain { format!("'{text}'") } else { toml::Value::from(text).to_string() };
        // Writing into a text cannot fail.
        let _ = writeln!(self.0, "{name} = {quoted}");
        self
    }

    /// Writes a member of the step, if there is one.
    pub(super) fn maybe(&mut self, name: &str, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) => self.text(name, text),
            None => self,
        }
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}
