//! Questions to the user: forms, and web pages to visit.

pub(crate) mod form;
mod pages;
pub(crate) mod register;
