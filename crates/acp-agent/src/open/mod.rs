//! Sessions on their way to being open.

pub(crate) mod opened;
pub(crate) mod opening;
pub(crate) mod request;
