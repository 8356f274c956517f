//! The questions that wait for a person.

use crate::store::Store;

/// The most questions that are told at once.
const MOST: usize = 20;

/// Returns the numbers of the requests for permission without an answer.
pub(crate) fn asks(store: &Store) -> Vec<u64> {
    store.lock().asks.iter().take(MOST).map(|seq| u64::from(*seq)).collect()
}
