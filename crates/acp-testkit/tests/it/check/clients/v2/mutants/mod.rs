//! The faults of clients in version 2, by the rule that each breaks.

mod reading;
mod rpc;
mod sessions;

use acp_testkit::check::{Coverage, Version};

use crate::check::clients::client::Base;
use crate::check::clients::mutants as earlier;
use crate::check::clients::mutants::Mutant;

/// Returns every mutant, those of rules of version 1 that hold in version 2 among them.
pub(super) fn all() -> impl Iterator<Item = &'static Mutant> {
    let coverage = Coverage::of_clients(Version::V2);
    // Version 2 has no commands that the client runs.
    let holds = move |mutant: &&Mutant| {
        mutant.base != Base::Machine && coverage.earlier.iter().any(|rule| rule.id == mutant.rule)
    };
    let tables = [rpc::MUTANTS, sessions::MUTANTS, reading::MUTANTS];
    earlier::all().filter(holds).chain(tables.into_iter().flatten())
}
