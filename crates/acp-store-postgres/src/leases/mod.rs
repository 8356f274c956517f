//! The leases of this process: taken, prolonged and given up.

mod attempts;
mod renewal;

pub(crate) use self::attempts::Attempts;
pub(crate) use self::renewal::{Key, Leases};
