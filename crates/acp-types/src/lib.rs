//! Types of the Agent Client Protocol (ACP), generated from its canonical JSON Schema.
//!
//! [`v1`] has one type for each definition of protocol version 1 and a marker for each method
//! ([`v1::methods`]), with a table of all methods. The messages of each side are enums
//! ([`v1::messages`]). The types are values without I/O and without policy.
//!
//! The feature `unstable` adds the parts that only the unstable schema has, and the feature `v2`
//! the draft of version 2. The feature `schemars` gives every type a `schemars::JsonSchema`, which
//! says in our wording what may be written.
//!
//! * Required members are the arguments of `new`. The others have setters that chain.
//! * Nothing that a peer sends is lost silently. Unknown values of enums and unknown kinds of
//!   unions become an `Unknown` variant, and are written as they came. Where the protocol asks
//!   readers to be lenient, malformed members read as absent, and [`from_str_reporting`] lists
//!   them.
//! * A member whose value means the same as its absence is not written.
//!
//! ```
//! use acp_types::v1::{ContentBlock, PromptRequest};
//!
//! let request = PromptRequest::new("s1", [ContentBlock::text("What changed today?")]);
//! let json = r#"{"sessionId":"s1","prompt":[{"type":"text","text":"What changed today?"}]}"#;
//! assert_eq!(acp_types::to_string(&request), json);
//! assert_eq!(acp_types::from_str::<PromptRequest>(json)?, request);
//! # Ok::<(), acp_types::ReadError>(())
//! ```

pub mod base64;
#[cfg(feature = "schemars")]
#[doc(hidden)]
pub mod json_schema;
mod maybe;
mod meta;
pub mod method;
mod newtype;
pub mod op;
mod open;
mod unknown;

pub mod v1;
#[cfg(feature = "v2")]
pub mod v2;

pub use acp_json::{FromNode, Map, Note, NoteKind, ReadError, Report, Value, from_slice, from_str};
pub use maybe::Maybe;
pub use meta::Meta;
pub use unknown::UnknownVariant;

use serde_core::Serialize;

/// Reads a value, and lists the parts that were defaulted, skipped or unknown.
///
/// # Errors
/// Fails if the text is not JSON or does not hold a `T`. The error names the path.
pub fn from_str_reporting<T: FromNode>(text: &str) -> Result<(T, Report), ReadError> {
    let mut report = Report::default();
    let value = acp_json::read_reporting(acp_json::parse(text)?, &mut report)?;
    Ok((value, report))
}

/// Returns the JSON text of a value of this crate, on one line.
#[must_use]
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> String {
    acp_json::to_string(value)
}
