//! Questions to the user.

pub(crate) mod asked;
pub(crate) mod elicitation;
pub(crate) mod elicited;
pub(crate) mod form;
pub(crate) mod permission;
pub(crate) mod question;
