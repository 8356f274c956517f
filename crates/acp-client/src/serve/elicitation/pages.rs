//! Web pages that users were asked to visit.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_types::v1::ElicitationId;

/// How many web pages are remembered that the agent may still say something about.
const PAGES: usize = 64;

/// The web pages that the user was asked to visit and is not known to be done with. Of very many
/// the oldest are forgotten.
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

    /// False if it was not there.
    pub(crate) fn remove(&self, id: &ElicitationId) -> bool {
        let mut pages = self.lock();
        let found = pages.iter().position(|page| page == id);
        found.is_some_and(|index| pages.remove(index).is_some())
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<ElicitationId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A page that the user is asked about. Unless he agrees, there is nothing that he could be done
/// with.
pub(crate) struct Visit {
    pages: Arc<Pages>,
    id: ElicitationId,
    pub(crate) is_agreed: bool,
}

impl Visit {
    pub(crate) fn new(pages: Arc<Pages>, id: ElicitationId) -> Self {
        pages.add(id.clone());
        Self { pages, id, is_agreed: false }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if !self.is_agreed {
            self.pages.remove(&self.id);
        }
    }
}
