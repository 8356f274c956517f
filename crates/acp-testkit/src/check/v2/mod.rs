//! Version 2: its scenarios, and its rules over every line.
//!
//! Rules of version 1 that hold here as they are have the ids of version 1.

#![allow(
    clippy::indexing_slicing,
    reason = "a `Value` that has no member of a name reads as `null`, and nothing else is indexed here"
)]

mod ask;
mod cases;
pub(super) mod client;
mod evidence;
mod passive;
mod turn;

pub(super) use self::cases::all as cases;
pub(super) use self::evidence::gather as evidence;
pub(super) use self::passive::content::{blocks, path};
pub(super) use self::passive::schema::V2;
pub(super) use self::passive::{judge, requests, rules as passive_rules};
