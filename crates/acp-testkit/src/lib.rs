//! Checks that the types of `acp-types` read and write the wire faithfully.
//!
//! * [`Definition`] reads a JSON value as one definition of the schema and writes it again.
//!   [`answer`] does so for one line of the binary `roundtrip` (`cargo xtask roundtrip`).
//! * [`CanonicalSchema`] gives an independent opinion: a JSON Schema validator over the imported
//!   schema.
//! * `TypeSchemas` (feature `schemars`) gives the opinion of the types themselves, by the same
//!   validator.
//! * [`transcripts`] decodes recorded traffic and reports losses.

mod canonical;
mod definition;
#[rustfmt::skip]
mod generated {
    pub(crate) mod definitions;
}
mod line;
mod roundtrip;
pub mod transcripts;
#[cfg(feature = "schemars")]
mod type_schemas;

pub use canonical::CanonicalSchema;
pub use definition::{Definition, Failure, round_trip};
pub use line::answer;
#[cfg(feature = "schemars")]
pub use type_schemas::TypeSchemas;
