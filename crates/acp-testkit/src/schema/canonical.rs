//! The opinion of the canonical schema on a value.

use std::fmt;
use std::io;
use std::path::Path;

use jsonschema::ValidatorMap;
use serde_json::Value as Json;

/// The imported schema of a version, with a JSON Schema validator for each of its definitions.
pub struct CanonicalSchema {
    definitions: serde_json::Map<String, Json>,
    validators: ValidatorMap,
}

impl CanonicalSchema {
    /// Loads the schema of a version (written like `v1`) from this workspace's `schema` folder. It
    /// is the unstable schema with the feature `unstable`, else the stable one.
    ///
    /// # Errors
    /// Fails if the file cannot be read or does not hold a schema.
    pub fn load(version: &str) -> io::Result<Self> {
        Self::load_as(version, cfg!(feature = "unstable"))
    }

    /// Loads the unstable schema of a version, or the stable one, like [`load`](Self::load).
    ///
    /// # Errors
    /// Fails if the file cannot be read or does not hold a schema.
    pub fn load_as(version: &str, unstable: bool) -> io::Result<Self> {
        let file = if unstable { "schema.unstable.json" } else { "schema.json" };
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema").join(version).join(file);
        let named = |reason: String| io::Error::other(format!("{}: {reason}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(|error| named(error.to_string()))?;
        let schema: Json = serde_json::from_str(&text).map_err(|error| named(error.to_string()))?;
        let validators = jsonschema::validator_map_for(&schema).map_err(|error| named(error.to_string()))?;
        let definitions = schema.get("$defs").and_then(Json::as_object);
        let definitions = definitions.ok_or_else(|| named("there are no `$defs`".to_owned()))?.clone();
        // A validator leaves out the definitions that it cannot compile. That must not pass for a
        // refusal.
        if let Some(name) = definitions.keys().find(|name| validators.get(&pointer(name)).is_none()) {
            return Err(named(format!("the definition {name} does not compile")));
        }
        Ok(CanonicalSchema { definitions, validators })
    }

    /// Returns the schema of each definition.
    #[must_use]
    pub const fn definitions(&self) -> &serde_json::Map<String, Json> {
        &self.definitions
    }

    /// Returns true if the schema accepts a value as this definition. Returns false if it has no
    /// such definition.
    #[must_use]
    pub fn accepts(&self, definition: &str, value: &Json) -> bool {
        self.validators.get(&pointer(definition)).is_some_and(|validator| validator.is_valid(value))
    }

    /// Checks a value against a definition.
    ///
    /// # Errors
    /// Fails with the reason if the schema does not accept the value, or has no such definition.
    pub fn check(&self, definition: &str, value: &Json) -> Result<(), String> {
        let validator = self.validators.get(&pointer(definition));
        let validator = validator.ok_or_else(|| format!("there is no definition {definition}"))?;
        validator.validate(value).map_err(|error| format!("{definition}: {error}"))
    }
}

fn pointer(definition: &str) -> String {
    format!("#/$defs/{definition}")
}

impl fmt::Debug for CanonicalSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CanonicalSchema").field("definitions", &self.definitions.len()).finish()
    }
}
