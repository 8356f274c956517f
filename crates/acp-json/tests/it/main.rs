//! Tests of the public API, in one program: a module for each subject.

#![allow(clippy::unwrap_used, reason = "a test stops at a broken assumption")]

mod hostile;
mod members;
mod node;
mod reading;
mod serde_types;
mod value;
