//! Constructs of a schema that the generator does not understand.

use std::fmt;

/// A construct of the schema that fits no shape.
#[derive(Debug)]
pub struct Defect {
    pub definition: String,
    /// JSON pointer into the schema file.
    pub pointer: String,
    pub message: String,
}

impl Defect {
    #[must_use]
    pub fn empty_union(definition: &str) -> Self {
        Defect {
            definition: definition.to_owned(),
            pointer: format!("#/$defs/{definition}"),
            message: "a union without arms".to_owned(),
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "definition \"{}\" at {}: {}", self.definition, self.pointer, self.message)
    }
}

/// All of them, so that one run shows all there is to mend.
#[derive(Debug)]
pub struct Defects(pub Vec<Defect>);

impl fmt::Display for Defects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the schema has constructs that the generator does not know; nothing was written")?;
        self.0.iter().try_for_each(|defect| write!(f, "\n  {defect}"))
    }
}

impl std::error::Error for Defects {}
