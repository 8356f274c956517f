//! What becomes of a notification.

use std::fmt;

use crate::core::job::{BoxFuture, LaneKey};

/// What to do with a notification.
pub enum Delivery {
    /// Nothing: it means nothing here.
    Ignore,
    /// Nothing more: the service has dealt with it on the spot.
    Done,
    /// Run this beside everything else.
    Task(BoxFuture),
    /// Run this after every earlier job of the lane has finished.
    Lane {
        /// The lane.
        lane: LaneKey,
        /// What to run.
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
