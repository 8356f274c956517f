//! The faults of clients, by the rule that each breaks.

pub(super) mod faults;
mod reading;
pub(super) mod rpc;
mod serving;
mod sessions;

use super::client::Base;
use crate::check::mutant;

pub(super) type Mutant = mutant::Mutant<Base>;

/// Returns every mutant.
pub(super) fn all() -> impl Iterator<Item = &'static Mutant> {
    rpc::MUTANTS.iter().chain(sessions::MUTANTS).chain(reading::MUTANTS).chain(serving::MUTANTS)
}
