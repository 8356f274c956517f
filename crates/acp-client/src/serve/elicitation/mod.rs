//! Questions to the user: forms, and web pages to visit.

pub(crate) mod form;
pub(crate) mod modes;
mod pages;
pub(crate) mod question;
mod register;
