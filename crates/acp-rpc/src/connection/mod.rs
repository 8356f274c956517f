//! A connection at work: the loop that owns the pipe, and the tasks that come of it.

mod dispatch;
pub(crate) mod driver;
pub(crate) mod flush_barrier;
mod idle;
pub(crate) mod lane;
pub(crate) mod options;
pub(crate) mod pump;
mod share;
pub(crate) mod task;
