//! The active cases: each does something to the agent and judges one rule by its answer.

mod auth;
pub(super) mod cancel;
pub(super) mod initialize;
mod lists;
mod mcp;
mod modes;
mod permission;
mod prompt;
mod reopen;
pub(super) mod rpc;
pub(super) mod session;
mod settings;

use super::case::Case;
use super::either::Either;
use super::tester::Tester;

/// Returns all cases.
pub(super) fn all() -> impl Iterator<Item = &'static Case<Tester>> {
    let tables = [
        rpc::CASES,
        Tester::CASES,
        session::CASES,
        settings::CASES,
        modes::CASES,
        mcp::CASES,
        lists::CASES,
        prompt::CASES,
        cancel::CASES,
        permission::CASES,
        reopen::CASES,
        initialize::CASES,
        auth::CASES,
    ];
    tables.into_iter().flatten()
}
