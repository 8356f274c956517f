#![doc = include_str!("trace.md")]

mod context;
mod propagate;
#[cfg(feature = "tracing")]
mod spans;

pub use self::context::TraceContext;
pub use self::propagate::{Propagate, Propagated};
#[cfg(feature = "tracing")]
pub use self::spans::{Spanned, Tracing};
