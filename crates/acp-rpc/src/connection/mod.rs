//! A connection at work: the loop that owns the pipe, and the tasks that it starts.

mod answering;
mod dispatch;
pub(crate) mod driver;
pub(crate) mod flush_barrier;
mod idle;
mod lane;
pub(crate) mod options;
pub(crate) mod pump;
pub(crate) mod share;
pub(crate) mod waits;
