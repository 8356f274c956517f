//! What a page shows of a store, as JSON. Reading blocks on the file.

mod about;
mod asks;
mod compare;
mod diff;
mod export;
mod filter;
mod findings;
mod item;
mod message;
mod output;
mod overview;
mod question;
mod row;
mod rows;
mod sequence;
mod sessions;
mod statistics;
mod summary;
mod tool;
mod transcript;
mod turns;
mod typed;
mod unseen;

pub(crate) use self::asks::asks;
pub(crate) use self::compare::compare;
pub(crate) use self::export::{Form, export};
pub(crate) use self::filter::Filter;
pub(crate) use self::message::{message, raw};
pub(crate) use self::overview::overview;
pub(crate) use self::question::question;
pub(crate) use self::rows::{Page, rows};
pub(crate) use self::sequence::sequence;
pub(crate) use self::sessions::sessions;
pub(crate) use self::statistics::statistics;
pub(crate) use self::summary::capabilities;
pub(crate) use self::transcript::transcript;

/// The longest line that is parsed to be shown, in bytes. Of a longer one the page has the text.
const PARSED: usize = 1024 * 1024;
