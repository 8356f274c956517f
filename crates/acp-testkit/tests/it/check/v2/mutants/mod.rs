//! The faults of version 2, by the rule that each breaks.

mod prompts;
mod rpc;
mod sessions;
mod updates;

use acp_testkit::check::{Coverage, Version};

use crate::check::mutant::Mutant;
use crate::check::mutants as earlier;

/// Returns every mutant, those of rules of version 1 that hold in version 2 among them.
pub(super) fn all() -> impl Iterator<Item = &'static Mutant> {
    let coverage = Coverage::of_agents(Version::V2);
    let holds = move |mutant: &&Mutant| coverage.earlier.iter().any(|rule| rule.id == mutant.rule);
    let tables = [rpc::MUTANTS, sessions::MUTANTS, prompts::MUTANTS, updates::MUTANTS];
    earlier::all().filter(holds).chain(tables.into_iter().flatten())
}
