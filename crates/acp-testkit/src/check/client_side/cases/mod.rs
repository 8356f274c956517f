//! The active cases for clients: each leads the client through something and judges one rule.

mod cancel;
mod content;
mod elicitation;
mod ends;
mod files;
mod initialize;
mod logins;
mod permission;
mod rpc;
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
