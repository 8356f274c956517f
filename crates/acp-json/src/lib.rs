//! The borrowed JSON tree that the types of the Agent Client Protocol are read from.
//!
//! A message arrives as one line of text. It is parsed once into a [`Node`], whose strings point into that
//! line; typed values are then read from the tree by [`FromNode`], which copies only what the value keeps.
//! On a tree it is plain code to look at a tag before choosing a type, to skip one bad list item, or to say
//! where in the message something was wrong.
//!
//! * [`Node`] is the tree, [`Value`] an owned part of it for members that may hold any JSON.
//! * [`FromNode`] reads a type; [`Record`] reads and writes a type that is a JSON object.
//! * [`ReadError`] names the path of what could not be read. It never repeats the payload.
//! * [`Report`] lists what a lenient reader defaulted, skipped or did not know.
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

mod fields;
mod map;
mod members;
mod node;
mod node_de;
mod node_error;
mod path;
mod primitive;
mod read;
mod report;
mod value;

pub use fields::{Fields, Record, skip_invalid};
pub use map::Map;
pub use node::Node;
pub use node_error::NodeError;
pub use path::At;
pub use read::{
    FromNode, deserialize, from_slice, from_str, parse, read, read_reporting, serialize, to_string,
};
pub use report::{Note, NoteKind, Problem, ReadError, Report};
pub use value::Value;

#[doc(hidden)]
pub use serde_core as __serde;
