//! Lines: how they are split, and how they are written.

#[cfg(feature = "v2")]
mod alike;
pub(crate) mod forms;
pub(crate) mod member;
pub(crate) mod message;
pub(crate) mod methods;
pub(crate) mod random;
pub(crate) mod spelling;
#[cfg(feature = "v2")]
pub(crate) mod state;
#[cfg(feature = "v2")]
pub(crate) mod view;
