//! Version 2: its unions, enums and patches, by samples.

mod bounds;
mod enums;
mod from_v1;
mod patches;
mod shared;
mod sizes;
mod state;
mod unions;

use acp_types::{FromNode, from_str, to_string};
use serde_core::Serialize;

/// Reads a text and writes it again.
fn again<T: FromNode + Serialize>(text: &str) -> String {
    to_string(&from_str::<T>(text).unwrap_or_else(|error| panic!("{text}: {error}")))
}

/// Returns the reason why a text is refused.
fn refusal<T: FromNode>(text: &str) -> String {
    match from_str::<T>(text) {
        Ok(_) => panic!("{text} was read"),
        Err(error) => error.to_string(),
    }
}

/// Returns the variant's name, from `Debug`.
fn variant(value: &impl std::fmt::Debug) -> String {
    let text = format!("{value:?}");
    text.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default().to_owned()
}
