//! Tests of the attributes from outside, in one program. They use no attribute: what a test program
//! of a macro crate depends on, Cargo builds apart from the rest of the workspace, for the sake of
//! features. So `acp-ui-tests` and `acp-handlers` have the tests that use them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod messages;
