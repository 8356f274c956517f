//! The borrowed JSON tree that the types of the Agent Client Protocol are read from.
//!
//! A message arrives as one line of text. It is parsed once into a [`Node`], whose strings point
//! into that line. [`FromNode`] then reads typed values from the tree, and copies only the text
//! that a value keeps. With a tree, plain code can look at a tag before it chooses a type, skip one
//! bad list item, and say where in the message an error is.
//!
//! * [`Node`] is the tree. [`Value`] is an owned part of it, for members that may hold any JSON.
//! * [`FromNode`] reads a type. [`Record`] reads and writes a type that is a JSON object.
//! * [`ReadError`] names the path of the part that could not be read. It never repeats the payload.
//! * [`Report`] lists the parts that a lenient reader defaulted, skipped or did not know.
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
//! Any bytes have a defined result. The work grows with their number only, and nothing panics.
//!
//! | in the text | result |
//! |---|---|
//! | bytes that are not UTF-8, half a surrogate pair, NUL or another control character unescaped in a string | not JSON: the whole text is refused; [`repair_surrogates`] mends halves of pairs |
//! | a byte order mark, or anything but white space after the value | not JSON |
//! | more than 127 levels of arrays and objects | not JSON |
//! | `\u0000`, an empty name, a name or text of any length | kept |
//! | an integer of up to 64 bits, such as 2^53 + 1 or 2^64 - 1 | kept exactly |
//! | a fraction, an exponent or `-0` that a double represents | that double, written so that it reads as an equal one |
//! | any other number, such as 2^64, `1e-400`, 20 digits of a fraction, `1e400` | its text, in a [`Node`] and a [`Value`]; a type that asks for a double gets the nearest, or an error above the largest |
//! | `1.0` or `1e3` for an integer | that integer, up to 2^53 - 1: above that, one double stands for several integers |
//! | an integer that does not fit its type | an error, or absence if the member's rule says so; it is never wrapped or cut |
//! | a name given twice, in a typed object, for a tag or in a [`Map`] | the last one counts, at its own place, and only it is written; an earlier one does not replace a malformed last one |
//! | a name given twice inside a [`Value`] | written as it came; look-ups find the last one |
//! | very many members, items or names | read; a [`Report`] keeps 1000 notes and counts the others; paths cut long names |

mod bounds;
mod fields;
#[cfg(feature = "schemars")]
mod json_schema;
mod map;
mod members;
mod node;
mod node_de;
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
pub use fields::{Fields, Record, skip_invalid};
pub use map::Map;
pub use node::Node;
#[doc(hidden)]
pub use node::exact::watch_numbers;
pub use node_de::NodeError;
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
