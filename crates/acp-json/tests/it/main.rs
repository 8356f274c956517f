//! The integration tests of acp-json, a module for each subject.

mod hostile;
mod members;
mod node;
mod reading;
mod serde_types;
mod value;
