//! The active cases for clients: each leads the client through something and judges one rule.

pub(super) mod cancel;
mod content;
pub(super) mod elicitation;
pub(super) mod ends;
mod files;
pub(super) mod initialize;
pub(super) mod logins;
pub(super) mod permission;
pub(super) mod rpc;
mod sessions;
mod settings;
mod terminals;
mod tools;
mod updates;

use super::stage::Stage;
use crate::check::case::Case;
use crate::check::either::Either;

/// Returns all cases.
pub(super) fn all() -> impl Iterator<Item = &'static Case<Stage>> {
    let tables = [
        rpc::CASES,
        Stage::CASES,
        permission::CASES,
        tools::CASES,
        content::CASES,
        updates::CASES,
        settings::CASES,
        files::CASES,
        terminals::CASES,
        elicitation::CASES,
        cancel::CASES,
        initialize::CASES,
        sessions::CASES,
        logins::CASES,
        ends::CASES,
    ];
    tables.into_iter().flatten()
}
