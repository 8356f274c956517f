//! Errors of readers of foreign types, without the payload, which serde's own wording quotes.

use std::fmt::{self, Write as _};

use serde_core::de::{self, Expected, Unexpected};

/// The reason why a foreign type could not be read from a tree.
#[derive(Debug)]
pub struct NodeError(String);

impl fmt::Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NodeError {}

impl de::Error for NodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        NodeError(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        NodeError(format!("expected {expected}, found {}", kind(&found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        NodeError(format!("expected {expected}, found {} that does not fit", kind(&found)))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        NodeError(format!("unknown variant{}", one_of(expected)))
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        NodeError(format!("unknown member{}", one_of(expected)))
    }
}

fn kind(found: &Unexpected<'_>) -> &'static str {
    match found {
        Unexpected::Bool(_) => "a boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => "a number",
        Unexpected::Char(_) | Unexpected::Str(_) => "a string",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Seq => "an array",
        Unexpected::Map => "an object",
        _ => "something else",
    }
}

fn one_of(expected: &[&str]) -> String {
    let mut text = String::new();
    for (index, name) in expected.iter().enumerate() {
        // Writing into a `String` cannot fail.
        let _ = write!(text, "{} `{name}`", if index == 0 { ", expected one of" } else { "," });
    }
    text
}
