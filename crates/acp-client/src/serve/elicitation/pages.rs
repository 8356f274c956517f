//! Web pages that users agreed to visit.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use acp_types::v1::ElicitationId;

/// The number of web pages that are remembered.
const PAGES: usize = 64;

/// The web pages that the user agreed to visit and has not left as far as known. Beyond the
/// limit the oldest are forgotten.
#[derive(Default)]
pub(crate) struct Pages(Mutex<VecDeque<ElicitationId>>);

impl Pages {
    pub(crate) fn add(&self, id: ElicitationId) {
        let mut pages = self.lock();
        if pages.len() == PAGES {
            pages.pop_front();
        }
        pages.push_back(id);
    }

    /// Removes a page. Returns false if it was not there.
    pub(crate) fn remove(&self, id: &ElicitationId) -> bool {
        let mut pages = self.lock();
        let found = pages.iter().position(|page| page == id);
        found.is_some_and(|index| pages.remove(index).is_some())
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<ElicitationId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
