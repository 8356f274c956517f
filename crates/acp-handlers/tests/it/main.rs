//! Tests of the machine under the handlers, in one program: a module for each subject.
//!
//! `acp-agent` and `acp-client` test it with the operations of their sides. Here stand the steps
//! that both share, with a side that has nothing else.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod conflicts;
mod renamed;
mod side;
mod steps;
