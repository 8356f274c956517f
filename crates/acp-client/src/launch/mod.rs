//! Programs as registries and agents describe them.

mod members;
pub(crate) mod registry;
pub(crate) mod terminal_login;
