//! Protocol version 2, a draft: the types of its messages.
//!
//! Ids, the version and the messages of extensions are the types of [`v1`](crate::v1). Little else
//! is shared. A type of the same name may have another shape, and in a type of the same shape
//! `null` may have another meaning. [`WritesV2`] and [`ReadsV2`] mark the types of `v1` for which
//! none of that is so. [`as_is`] writes and reads the marked types, and [`from_v1`] writes content
//! of `v1`, which has no mark.

mod alike;
pub mod as_is;
mod ext;
pub mod from_v1;
// Formatted by its generator, so that it does not depend on the toolchain.
#[rustfmt::skip]
mod generated;

pub use alike::{ReadsV2, WritesV2};
pub use generated::*;
