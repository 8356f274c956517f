//! Tests of the public API, in one program: a module for each subject.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test stops at a broken assumption, and shows sizes"
)]

mod absence;
mod base64;
mod checks;
mod enums;
mod free_json;
mod hostile;
#[cfg(feature = "schemars")]
mod json_schema;
mod messages;
mod methods;
mod names;
mod reports;
mod shapes;
mod sizes;
mod steering;
mod store_problems;
mod strictness;
mod timestamps;
mod unions;
#[cfg(feature = "v2")]
mod v2;

// The code of `shapes` is generated for the library, and names these by `crate`.
use acp_types::{Maybe, Meta, UnknownVariant, integer_newtype, newtype, string_enum, string_newtype};
