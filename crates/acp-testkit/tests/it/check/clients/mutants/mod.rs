//! The faults of clients, by the rule that each breaks.

mod faults;
mod reading;
mod rpc;
mod serving;
mod sessions;

use super::client::Base;
use crate::check::mutant::Fault;

/// A fault, and the rule that it breaks.
pub(super) struct Mutant {
    pub(super) rule: &'static str,
    pub(super) base: Base,
    pub(super) fault: Fault,
}

/// Returns every mutant.
pub(super) fn all() -> impl Iterator<Item = &'static Mutant> {
    rpc::MUTANTS.iter().chain(sessions::MUTANTS).chain(reading::MUTANTS).chain(serving::MUTANTS)
}
