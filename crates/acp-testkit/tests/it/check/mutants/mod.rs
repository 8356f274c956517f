//! The faults, by the rule that each breaks.

mod content;
pub(super) mod faults;
mod rpc;
mod sessions;

use super::mutant::Mutant;

/// Returns every mutant.
pub(super) fn all() -> impl Iterator<Item = &'static Mutant> {
    rpc::MUTANTS.iter().chain(sessions::MUTANTS).chain(content::MUTANTS)
}
