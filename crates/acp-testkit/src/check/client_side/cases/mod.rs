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

use super::case::Case;

/// Returns all cases. Those that share a start of the client stand before the others.
pub(super) fn all() -> Vec<&'static Case> {
    let tables = [
        rpc::CASES,
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
    let mut cases: Vec<&Case> = tables.into_iter().flatten().collect();
    cases.sort_by_key(|case| case.fresh);
    cases
}
