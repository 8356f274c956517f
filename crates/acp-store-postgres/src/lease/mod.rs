//! The protocol of leases: one log writes a session at a time, and no acknowledged record is lost.
//!
//! A session's row has a `holder`, the id of the log that writes it, and an `epoch`. Each statement
//! that makes a holder has an id of its own, which is never used again: not by another log, and not
//! if the statement is sent again. Four rules make the protocol:
//!
//! 1. A log opens a session only while nobody holds an unexpired lease of it, apart from an earlier
//!    attempt of its own. This writes its `holder` and raises the `epoch`, in one statement. Time
//!    is the database's.
//! 2. Each change has the `holder` and the `epoch` among its conditions, in the statement that
//!    makes it. So a log whose session was opened by another one changes nothing more, however long
//!    its process was paused.
//! 3. If the answer to a change is lost, the log *fences* itself before it does anything else: it
//!    raises its own `epoch`. From then on a change that is still under way cannot be made, and the
//!    number of changes says if it was.
//! 4. A lease is prolonged by its holder only. A session is deleted while it has none: one
//!    statement marks it, for good, and then its records go in pieces, and its row after them. A
//!    creation that is given up is undone by its own holder only.
//!
//! [`Condition`] has these conditions, both as SQL and as a function that the simulation of the
//! protocol uses. [`Change`] decides each next step, there as here.

mod change;
mod condition;
#[cfg(test)]
mod simulation;

pub(crate) use self::change::{Change, Ending, Lease, Step};
pub(crate) use self::condition::{
    ADOPT, CHANGE, Condition, DELETE, FENCE, OPEN, PIECE, RELEASE, REMOVE, RENEW, UNDO, sql,
};
#[cfg(test)]
pub(crate) use self::condition::{DELETED, Given, Head};
