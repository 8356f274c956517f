//! Acme's extension of the Agent Client Protocol: reviews.

#![deny(missing_docs, warnings)]

#[rustfmt::skip]
mod generated;
mod reviewer;

pub use generated::*;
pub use reviewer::Reviewer;
