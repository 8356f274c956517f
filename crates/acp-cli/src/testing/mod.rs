//! Commands that test agents and clients: `acp check` and `acp mock`.

pub(crate) mod check;
pub(crate) mod checking_client;
pub(crate) mod mock;
mod model;
