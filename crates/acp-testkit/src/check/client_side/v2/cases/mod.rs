//! The active cases of version 2 for clients.

mod cancel;
mod envelope;
mod initialize;
mod messages;
mod questions;
mod sessions;
mod states;
mod terminals;
mod tools;
mod updates;

use crate::check::case::Case;
use crate::check::client_side::cases;
use crate::check::client_side::stage::Stage;

/// The rules of version 1 whose scenarios are those of version 2, too.
const EARLIER: &[&str] = &[
    "v1-tr-01",
    "v1-tr-08",
    "v1-tr-09",
    "v1-rpc-06",
    "v1-rpc-10",
    "v1-rpc-12",
    "v1-rpc-14",
    "v1-rpc-16",
    "v1-rpc-17",
    "v1-rpc-19",
    "v1-rpc-20",
    "v1-rpc-22",
    "v1-rpc-26",
    "v1-ext-02",
    "v1-ext-06",
    "v1-ext-07",
    "v1-err-02",
    "v1-err-07",
    "v1-init-01",
    "v1-auth-07",
    "v1-auth-09",
    "v1-new-12",
    "v1-perm-06",
    "v1-cont-07",
];

/// Returns all cases.
pub(in crate::check::client_side) fn all() -> impl Iterator<Item = &'static Case<Stage>> {
    let earlier = cases::all().filter(|case| EARLIER.contains(&case.rule));
    let tables = [
        envelope::CASES,
        questions::CASES,
        messages::CASES,
        tools::CASES,
        terminals::CASES,
        updates::CASES,
        states::CASES,
        cancel::CASES,
        initialize::CASES,
        sessions::CASES,
    ];
    earlier.chain(tables.into_iter().flatten())
}
