//! The JSON Schemas that the types give of themselves.

use std::collections::BTreeMap;
use std::fmt;

use jsonschema::ValidatorMap;
use schemars::generate::SchemaSettings;
use serde_json::{Value as Json, json};

use crate::definition::{Definition, Failure};

/// The JSON Schemas of the types of some versions in one document, with a validator for each.
pub struct TypeSchemas {
    document: Json,
    /// The validators, by version and definition.
    pointers: BTreeMap<String, BTreeMap<&'static str, String>>,
    validators: ValidatorMap,
}

impl TypeSchemas {
    /// Collects the schemas of all types of these versions (written like `v1`), by draft 2020-12.
    ///
    /// # Errors
    /// Fails if a version is unknown, or if a type's schema is not valid.
    pub fn of(versions: &[&str]) -> Result<Self, Failure> {
        let mut generator = SchemaSettings::draft2020_12().into_generator();
        let mut pointers = BTreeMap::new();
        for version in versions {
            let of_version: &mut BTreeMap<_, _> = pointers.entry((*version).to_owned()).or_default();
            for definition in Definition::all(version)? {
                let schema = definition.json_schema(&mut generator);
                let pointer = schema.get("$ref").and_then(Json::as_str).ok_or_else(|| {
                    Failure::Schema(format!("{version} {} stands under no name", definition.name()))
                })?;
                of_version.insert(definition.name(), pointer.to_owned());
            }
        }
        let dialect = generator.settings().meta_schema.clone();
        let document = json!({ "$schema": dialect, "$defs": generator.take_definitions(true) });
        let validators =
            jsonschema::validator_map_for(&document).map_err(|error| Failure::Schema(error.to_string()))?;
        // A validator leaves out the definitions that it cannot compile. That must not pass for a
        // refusal.
        match pointers.values().flat_map(BTreeMap::values).find(|pointer| validators.get(pointer).is_none()) {
            Some(pointer) => Err(Failure::Schema(format!("{pointer} does not compile"))),
            None => Ok(TypeSchemas { document, pointers, validators }),
        }
    }

    /// Returns all schemas, under the names by which they refer to each other.
    #[must_use]
    pub const fn document(&self) -> &Json {
        &self.document
    }

    /// Returns the place of a definition's schema in the document.
    #[must_use]
    pub fn pointer(&self, version: &str, definition: &str) -> Option<&str> {
        self.pointers.get(version)?.get(definition).map(String::as_str)
    }

    /// Returns true if the type's own schema accepts a value. Returns false for an unknown
    /// definition.
    #[must_use]
    pub fn accepts(&self, version: &str, definition: &str, value: &Json) -> bool {
        let validator = self.pointer(version, definition).and_then(|pointer| self.validators.get(pointer));
        validator.is_some_and(|validator| validator.is_valid(value))
    }
}

impl fmt::Debug for TypeSchemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypeSchemas").field("versions", &self.pointers.keys()).finish()
    }
}
