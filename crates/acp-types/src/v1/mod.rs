//! Protocol version 1: the types of its messages.

pub mod ext;
// Formatted by its generator, so that it does not depend on the toolchain.
#[rustfmt::skip]
mod generated;

pub use generated::*;
