//! The order of messages that handlers of a proxy work on.

mod budget;
mod lanes;

pub(crate) use self::budget::Budget;
pub(crate) use self::lanes::{Holding, Job, Lanes, Turn};
