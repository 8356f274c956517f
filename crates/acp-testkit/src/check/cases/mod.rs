//! The active cases: each does something to the agent and judges one rule by its answer.

mod auth;
pub(super) mod cancel;
pub(super) mod initialize;
mod lists;
mod permission;
mod prompt;
mod reopen;
pub(super) mod rpc;
pub(super) mod session;
mod settings;

use super::case::Case;

/// Returns all cases. Those that share a connection stand before the others.
pub(super) fn all() -> Vec<&'static Case> {
    let tables = [
        rpc::CASES,
        session::CASES,
        settings::CASES,
        lists::CASES,
        prompt::CASES,
        cancel::CASES,
        permission::CASES,
        reopen::CASES,
        initialize::CASES,
        auth::CASES,
    ];
    let mut cases: Vec<&Case> = tables.into_iter().flatten().collect();
    cases.sort_by_key(|case| case.fresh);
    cases
}
