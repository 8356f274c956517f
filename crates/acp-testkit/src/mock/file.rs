//! The two forms of a script: TOML, and NDJSON with a step a line.

use std::path::Path;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::error::ScriptError;
use super::step::{Placed, Step};
use super::{Mock, Side};
use crate::script::Garble;

/// The form of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// A table `[[step]]` for each step. A value that is a text is read as JSON.
    Toml,
    /// A JSON object a line.
    Ndjson,
}

impl Form {
    /// Returns the form of a file by its name: NDJSON for `.ndjson` and `.jsonl`, else TOML.
    #[must_use]
    pub fn of_file(file: &Path) -> Self {
        let extension = file.extension().unwrap_or_default();
        if extension == "ndjson" || extension == "jsonl" { Form::Ndjson } else { Form::Toml }
    }
}

impl Mock {
    /// Reads a script for a side.
    ///
    /// # Errors
    /// Fails if the text does not have the form, or if a step is not one of those that are known.
    pub fn parse(text: &str, form: Form, side: Side) -> Result<Self, ScriptError> {
        let steps = match form {
            Form::Toml => toml(text)?,
            Form::Ndjson => ndjson(text)?,
        };
        if steps.is_empty() {
            let problem = "the script has no steps: the first is `[[step]]`, or a line".to_owned();
            return Err(ScriptError { line: None, problem });
        }
        Ok(Self { side, steps })
    }
}

fn toml(text: &str) -> Result<Vec<Placed>, ScriptError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(default)]
        step: Vec<toml::Spanned<Written>>,
    }
    let file: File =
        toml::from_str(text).map_err(|error| ScriptError { line: None, problem: error.to_string() })?;
    let steps = file.step.into_iter().map(|step| {
        let before = text.get(..step.span().start).unwrap_or_default();
        placed(before.matches('\n').count() + 1, step.into_inner().with_json())
    });
    steps.collect()
}

fn ndjson(text: &str) -> Result<Vec<Placed>, ScriptError> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let steps = lines.map(|(line, text)| match serde_json::from_str(text) {
        Ok(written) => placed(line, Ok(written)),
        Err(error) => Err(ScriptError { line: Some(line), problem: error.to_string() }),
    });
    steps.collect()
}

fn placed(line: usize, written: Result<Written, String>) -> Result<Placed, ScriptError> {
    let step = written.and_then(Step::read);
    match step {
        Ok(step) => Ok(Placed { line, step }),
        Err(problem) => Err(ScriptError { line: Some(line), problem }),
    }
}

/// A step as it is written: one of its members names what it does.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    pub(super) expect: Option<String>,
    pub(super) wait: Option<String>,
    pub(super) request: Option<String>,
    pub(super) notify: Option<String>,
    pub(super) standing: Option<String>,
    #[serde(default, deserialize_with = "present")]
    pub(super) answer: Option<Value>,
    pub(super) fail: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    pub(super) result: Option<Value>,
    pub(super) error: Option<Value>,
    pub(super) raw: Option<String>,
    pub(super) delay: Option<f64>,
    pub(super) patience: Option<f64>,
    pub(super) close: Option<bool>,
    pub(super) end: Option<bool>,
    // Members beside these.
    pub(super) params: Option<Value>,
    #[serde(rename = "as")]
    pub(super) name: Option<String>,
    pub(super) to: Option<String>,
    pub(super) of: Option<String>,
    pub(super) optional: Option<bool>,
    pub(super) garble: Option<Garble>,
}

impl Written {
    /// Reads the texts as JSON, which TOML cannot hold all of.
    fn with_json(mut self) -> Result<Self, String> {
        let values = [
            ("params", &mut self.params),
            ("answer", &mut self.answer),
            ("fail", &mut self.fail),
            ("result", &mut self.result),
            ("error", &mut self.error),
        ];
        for (name, value) in values {
            let Some(value @ Value::String(_)) = value else { continue };
            match value.as_str().map(serde_json::from_str) {
                Some(Err(error)) => return Err(format!("`{name}` is a text that stands for JSON: {error}")),
                Some(Ok(json)) => *value = json,
                None => {}
            }
        }
        Ok(self)
    }
}

/// Reads a member that may be `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
