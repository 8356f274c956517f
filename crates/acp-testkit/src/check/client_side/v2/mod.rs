//! Version 2 as clients have to speak it: its scenarios, and its rules over every line.
//!
//! Rules of version 1 that hold here as they are have the ids of version 1.

mod cases;
mod passive;
mod turn;

pub(super) use self::cases::all as cases;
pub(super) use self::passive::{judge, rules as passive_rules};

/// Cases whose scenarios make a client answer, and log in.
pub(super) const SCENES: &[&str] = &[
    "v1-init-01",
    "v1-perm-06",
    "v2-rpc-02",
    "v2-rpc-04",
    "v2-auth-03",
    "v2-cancel-05",
    "v2-eli-01",
    "v2-cap-01",
];
