//! The ways to deal with a notification.

use std::fmt;

use crate::core::job::{BoxFuture, LaneKey};

/// The way to deal with a notification.
pub enum Delivery {
    /// Ignore it: it has no meaning here.
    Ignore,
    /// Do nothing more: the service has dealt with it already.
    Done,
    /// Run this beside everything else.
    Task(BoxFuture),
    /// Run this after every earlier job of the lane has finished.
    Lane {
        /// The lane.
        lane: LaneKey,
        /// The job to run.
        job: BoxFuture,
    },
}

impl fmt::Debug for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ignore => f.write_str("Ignore"),
            Self::Done => f.write_str("Done"),
            Self::Task(_) => f.write_str("Task"),
            Self::Lane { lane, .. } => f.debug_tuple("Lane").field(lane).finish(),
        }
    }
}
