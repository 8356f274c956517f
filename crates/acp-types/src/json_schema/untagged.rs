//! Schemas of unions without a tag.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value as Json, json};

use super::described;

/// A description of a union in progress.
#[derive(Debug, Default)]
pub struct Untagged {
    arms: Vec<Schema>,
}

impl Untagged {
    /// Starts a description without arms.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a `T` as an arm; `()` is `null`.
    pub fn arm<T: JsonSchema>(&mut self, generator: &mut SchemaGenerator, description: &str) {
        self.arms.push(described(generator.subschema_for::<T>(), description));
    }

    /// Adds an object that has none of these members. The reader would take an object with one of
    /// them for another arm.
    pub fn arm_without<T: JsonSchema>(
        &mut self,
        generator: &mut SchemaGenerator,
        members: &[&str],
        description: &str,
    ) {
        let have: Vec<Json> = members.iter().map(|member| json!({ "required": [member] })).collect();
        let arm = schemars::json_schema!({
            "allOf": [generator.subschema_for::<T>()],
            "not": { "anyOf": have },
        });
        self.arms.push(described(arm, description));
    }

    /// Adds another requirement of the schema to the last arm, such as `minItems`.
    pub fn bound(&mut self, keyword: &'static str, value: impl Into<Json>) {
        if let Some(arm) = self.arms.last_mut() {
            arm.insert(keyword.to_owned(), value.into());
        }
    }

    /// Returns the schema, with our wording.
    #[must_use]
    pub fn schema(self, description: &str) -> Schema {
        described(schemars::json_schema!({ "anyOf": self.arms }), description)
    }
}
