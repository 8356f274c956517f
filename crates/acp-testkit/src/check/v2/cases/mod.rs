//! The active cases of version 2.

mod auth;
mod cancel;
mod close;
mod envelope;
mod initialize;
mod permission;
mod prompt;
mod reopen;
mod settings;
mod setup;

pub(super) use self::settings::select_values;
use crate::check::case::Case;
use crate::check::cases;
use crate::check::tester::Tester;

/// The rules of version 1 whose scenarios are those of version 2, too.
const EARLIER: &[&str] = &[
    "v1-tr-09",
    "v1-rpc-06",
    "v1-rpc-14",
    "v1-rpc-16",
    "v1-rpc-17",
    "v1-rpc-19",
    "v1-rpc-20",
    "v1-rpc-22",
    "v1-ext-02",
    "v1-ext-06",
    "v1-ext-07",
    "v1-err-07",
    "v1-new-01",
    "v1-new-03",
    "v1-new-09",
];

/// Returns all cases.
pub(in crate::check) fn all() -> impl Iterator<Item = &'static Case<Tester>> {
    let earlier = cases::all().filter(|case| EARLIER.contains(&case.rule));
    let tables = [
        envelope::CASES,
        setup::CASES,
        settings::CASES,
        close::CASES,
        prompt::CASES,
        cancel::CASES,
        permission::CASES,
        reopen::CASES,
        initialize::CASES,
        auth::CASES,
    ];
    earlier.chain(tables.into_iter().flatten())
}
