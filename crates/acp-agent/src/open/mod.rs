//! Sessions on their way to being open.

pub(crate) mod checks;
pub(crate) mod guard;
pub(crate) mod opened;
pub(crate) mod opening;
pub(crate) mod reopen;
pub(crate) mod request;
pub(crate) mod restored;
