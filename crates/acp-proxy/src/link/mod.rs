//! One connection of a chain: ids, open requests, and the lines that leave.

mod link;
mod reader;

pub(crate) use self::link::{Gone, Link};
pub(crate) use self::reader::{Event, Reader, Site};
