//! Constructs of a schema that the generator does not understand.

use std::fmt;

use toml::{Table, Value};

/// A construct of the schema that fits no shape.
#[derive(Debug)]
pub struct Defect {
    pub definition: String,
    /// JSON pointer into the schema file.
    pub pointer: String,
    pub message: String,
    /// Entries of the overlay that mend it, with names that the generator suggests.
    pub remedy: Table,
}

impl Defect {
    /// A defect of a whole definition.
    #[must_use]
    pub fn of(definition: &str, message: impl Into<String>) -> Self {
        Self::at(definition, format!("#/$defs/{definition}"), message)
    }

    #[must_use]
    pub fn at(definition: &str, pointer: String, message: impl Into<String>) -> Self {
        let definition = definition.to_owned();
        Defect { definition, pointer, message: message.into(), remedy: Table::new() }
    }

    #[must_use]
    pub fn empty_union(definition: &str) -> Self {
        Self::of(definition, "a union without arms")
    }

    /// Suggests an entry of the overlay: the sections and keys that lead to it, and its value.
    #[must_use]
    pub fn mended_by(mut self, path: &[&str], value: &str) -> Self {
        let value = Value::String(value.to_owned());
        let entry = path
            .iter()
            .rev()
            .fold(value, |value, key| Value::Table(Table::from_iter([((*key).to_owned(), value)])));
        if let Value::Table(entry) = entry {
            fill(&mut self.remedy, entry);
        }
        self
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

impl Defects {
    /// The entries of the overlay that mend all defects that an overlay can mend.
    #[must_use]
    pub fn remedy(&self) -> Table {
        let mut all = Table::new();
        for defect in &self.0 {
            fill(&mut all, defect.remedy.clone());
        }
        all
    }
}

impl fmt::Display for Defects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the schema has constructs that the generator does not know; nothing was written")?;
        self.0.iter().try_for_each(|defect| write!(f, "\n  {defect}"))?;
        let remedy = self.remedy();
        if remedy.is_empty() {
            return Ok(());
        }
        let text = toml::to_string(&remedy).map_err(|_| fmt::Error)?;
        write!(f, "\nadd to the overlay, with these names or better ones:\n")?;
        text.lines().try_for_each(|line| write!(f, "\n{}{line}", if line.is_empty() { "" } else { "    " }))
    }
}

impl std::error::Error for Defects {}

/// Adds the entries of another table. Entries that are there already stay as they are.
pub(super) fn fill(table: &mut Table, other: Table) {
    for (key, value) in other {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(others)) => fill(inner, others),
            (Some(_), _) => {}
            (None, value) => {
                table.insert(key, value);
            }
        }
    }
}
