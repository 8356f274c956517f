//! Schemas of objects, and of the objects that are parts of unions.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_core::Serialize;
use serde_json::{Map, Value as Json, json};

use super::described;

/// A description of an object in progress. Members that it does not name are allowed, because
/// readers pass them over.
#[derive(Debug, Default)]
pub struct Object {
    properties: Map<String, Json>,
    required: Vec<&'static str>,
    parts: Vec<Schema>,
    others: bool,
}

impl Object {
    /// Starts a description without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a description with the members of another type.
    #[must_use]
    pub fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Self {
        let mut object = Self::new();
        object.part::<T>(generator);
        object
    }

    /// Adds the members of another type, which lies flat in this one.
    pub fn part<T: JsonSchema>(&mut self, generator: &mut SchemaGenerator) {
        self.parts.push(generator.subschema_for::<T>());
    }

    /// Adds a member that must be there. An `Option` may be `null`.
    pub fn required<T: JsonSchema>(
        &mut self,
        generator: &mut SchemaGenerator,
        name: &'static str,
        description: &str,
    ) {
        self.required.push(name);
        self.property(name, described(generator.subschema_for::<T>(), description));
    }

    /// Adds a member that may be absent or `null`.
    pub fn optional<T: JsonSchema>(
        &mut self,
        generator: &mut SchemaGenerator,
        name: &'static str,
        description: &str,
    ) {
        self.property(name, described(generator.subschema_for::<Option<T>>(), description));
    }

    /// Adds a member that may be absent, which means the default of its type.
    pub fn defaulted<T: JsonSchema + Default + Serialize>(
        &mut self,
        generator: &mut SchemaGenerator,
        name: &'static str,
        description: &str,
    ) {
        let mut schema = described(generator.subschema_for::<T>(), description);
        schema.insert("default".to_owned(), json!(T::default()));
        self.property(name, schema);
    }

    /// Says that members of other names are kept.
    pub fn others(&mut self) {
        self.others = true;
    }

    /// Adds another requirement of the schema to a member, such as `minItems`.
    pub fn bound(&mut self, name: &'static str, keyword: &'static str, value: impl Into<Json>) {
        if let Some(Json::Object(schema)) = self.properties.get_mut(name) {
            schema.insert(keyword.to_owned(), value.into());
        }
    }

    /// Adds the member that tells variants apart.
    pub(super) fn tag(mut self, name: &'static str, schema: Json, required: bool) -> Self {
        self.properties.insert(name.to_owned(), schema);
        if required {
            self.required.push(name);
        }
        self
    }

    /// Returns the schema, with our wording.
    #[must_use]
    pub fn schema(self, description: &str) -> Schema {
        let Object { properties, required, parts, others } = self;
        let mut schema = schemars::json_schema!({ "type": "object" });
        if !properties.is_empty() {
            schema.insert("properties".to_owned(), properties.into());
        }
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        if !parts.is_empty() {
            schema.insert("allOf".to_owned(), json!(parts));
        }
        if others {
            schema.insert("additionalProperties".to_owned(), true.into());
        }
        described(schema, description)
    }

    fn property(&mut self, name: &'static str, schema: Schema) {
        self.properties.insert(name.to_owned(), schema.to_value());
    }
}
