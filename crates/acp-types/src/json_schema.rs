//! What the emitted `JsonSchema` impls are written with. Crates that are generated from a schema of their own
//! use it as well, hence public.
//!
//! What such a schema accepts, the type reads. It is as strict as the protocol is with whoever writes a value:
//! what readers bear beyond that is not in it.

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

/// The name of a schema, or what makes it one of its own.
pub type Name = Cow<'static, str>;

/// Puts our wording beside a schema. What has none yet stays without.
fn described(mut schema: Schema, description: &str) -> Schema {
    if !description.is_empty() {
        schema.insert("description".to_owned(), description.into());
    }
    schema
}
