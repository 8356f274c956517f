//! The borrowed JSON tree that the types of the Agent Client Protocol are read from.
//!
//! A message arrives as one line of text. It is parsed once into a [`Node`], whose strings point
//! into that line. Typed values are then read from the tree by [`FromNode`], which copies only what
//! the value keeps. On a tree it is plain code to look at a tag before choosing a type, to skip one
//! bad list item, or to name the place of an error.
//!
//! * [`Node`] is the tree, [`Value`] an owned part of it for members that may hold any JSON.
//! * [`FromNode`] reads a type; [`Record`] reads and writes a type that is a JSON object.
//! * [`ReadError`] names the path of a value that could not be read. It never repeats the payload.
//! * [`Report`] lists everything that a lenient reader defaulted, skipped or did not know.
//! * [`Outline`] finds single members of an object that is too long to be kept, or broken.
//!
//! ```
//! use acp_json::{FromNode, Report};
//!
//! let mut report = Report::default();
//! let list = acp_json::from_str::<Vec<u32>>("[1, 2, 3]")?;
//! assert_eq!(list, [1, 2, 3]);
//!
//! let error = acp_json::from_str::<Vec<u32>>(r#"[1, "two"]"#).unwrap_err();
//! assert_eq!(error.to_string(), "`[1]`: expected an unsigned 32-bit integer, found a string");
//! # Ok::<(), acp_json::ReadError>(())
//! ```
//!
//! # Hostile input
//!
//! Whatever the bytes are, the result is defined, the work grows only with their number, and
//! nothing panics.
//!
//! | in the text | result |
//! |---|---|
//! | bytes that are not UTF-8, half a surrogate pair, NUL or another control character unescaped in a string | not JSON: the whole text is refused, wherever in it that stands; [`repair_surrogates`] mends halves of pairs |
//! | a byte order mark, more than white space after the value | not JSON |
//! | more than 127 levels of arrays and objects | not JSON |
//! | `\u0000`, an empty name, a name or text of any length | kept |
//! | an integer of up to 64 bits, such as 2^53 + 1 or 2^64 - 1 | kept exactly |
//! | a fraction, an exponent, `-0` that a double stands for | that double, which is written so that it reads as the same |
//! | any other number, such as 2^64, `1e-400`, 20 digits of a fraction, `1e400` | its text, in a [`Node`] and a [`Value`]; where a type asks for a double the nearest, or an error if it is beyond the largest |
//! | `1.0` or `1e3` for an integer | that integer, up to 2^53 - 1: beyond it a double may stand for two |
//! | an integer that does not fit its type | an error, or by the member's rule absence; never wrapped or cut |
//! | a name given twice, in a typed object, for a tag or in a [`Map`] | the last counts, at its own place, and is the only one written; if it is malformed, an earlier one does not stand in |
//! | a name given twice inside a [`Value`] | written as it came; look-ups find the last |
//! | very many members, items or names | read; a [`Report`] keeps 1000 notes and counts the others, and paths cut long names |

mod bounds;
mod exact;
mod fields;
#[cfg(feature = "schemars")]
mod json_schema;
mod map;
mod members;
mod node;
mod node_de;
mod node_error;
mod outline;
mod path;
mod primitive;
mod read;
mod repair;
mod report;
mod value;

pub use bounds::within;
#[doc(hidden)]
pub use bounds::{Finite, finite};
#[doc(hidden)]
pub use exact::watch_numbers;
pub use fields::{Fields, Record, skip_invalid};
pub use map::Map;
pub use node::Node;
pub use node_error::NodeError;
pub use outline::Outline;
pub use path::At;
pub use read::{
    FromNode, deserialize, from_slice, from_str, parse, parse_slice, read, read_reporting, serialize,
    to_string,
};
pub use repair::repair_surrogates;
pub use report::{Note, NoteKind, Problem, ReadError, Report};
pub use value::Value;

#[doc(hidden)]
pub use serde_core as __serde;
