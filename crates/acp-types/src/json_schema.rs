//! The parts from which the generated `JsonSchema` impls are made. It is public because crates that
//! are generated from a schema of their own use it, too.
//!
//! A type reads every value that its schema accepts. The schema is as strict as the protocol is
//! with writers; it does not include the faults that readers tolerate.

mod by_hand;
mod object;
mod tagged;
mod untagged;
mod values;

use std::borrow::Cow;

pub use object::Object;
pub use schemars::{JsonSchema, Schema, SchemaGenerator};
pub use tagged::Tagged;
pub use untagged::Untagged;
pub use values::{closed_enum, integer_enum, newtype, open_enum};

/// The name of a schema, or its identity.
pub type Name = Cow<'static, str>;

/// Adds our wording to a schema, where we have some.
fn described(mut schema: Schema, description: &str) -> Schema {
    if !description.is_empty() {
        schema.insert("description".to_owned(), description.into());
    }
    schema
}
