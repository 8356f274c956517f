//! Answers to `session/request_permission`.

mod memory;
mod policy;

pub use policy::PermissionPolicy;
