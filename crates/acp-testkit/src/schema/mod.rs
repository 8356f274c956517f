//! The opinion of the canonical schema, which stands in this repository.

mod canonical;
mod line_check;

pub use self::canonical::CanonicalSchema;
pub use self::line_check::LineCheck;
