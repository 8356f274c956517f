//! How a client answers `session/request_permission`.

mod choice;
mod memory;
mod policy;

pub use choice::Choice;
pub use policy::PermissionPolicy;
