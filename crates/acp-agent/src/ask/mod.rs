//! Questions to the user.

pub(crate) mod elicit;
pub(crate) mod elicitation;
pub(crate) mod form;
pub(crate) mod permission;
