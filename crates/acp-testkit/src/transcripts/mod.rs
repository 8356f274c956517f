//! Decoding recorded traffic, to find parts that the types cannot read or would lose.

mod check;
mod loss;
mod message;
mod recording;
mod summary;

pub use check::decode;
pub use summary::{Counts, Summary, Unreadable};
