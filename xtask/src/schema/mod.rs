//! The canonical schemas of the protocol, as they are imported: files, hashes, wording, and how
//! strictly they are read.

pub mod docs;
mod keywords;
mod parse;
mod problem;
mod read;
mod rules;
mod schema_file;
mod strip;
mod upstream;
mod validate;

pub use keywords::{FORMATS, Object, TYPES, keywords};
pub use problem::Problem;
pub use read::{count_definitions, read, read_schema, render};
pub use schema_file::SchemaFile;
pub use strip::strip_prose;
pub use upstream::{FileRecord, Upstream, record_path, sha256, verify};
