//! A conformance suite for stores of sessions.
//!
//! A [`SessionStore`] makes promises that the library relies on: records come back in order and
//! unchanged, one place at a time writes a session, lists have all pages. [`check_store`] tries
//! each of them. The stores of this project pass it, and so should yours:
//!
//! ```
//! use std::sync::Arc;
//!
//! use acp_agent::store::{MemoryStore, SessionStore};
//! use acp_testkit::store::check_store;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let report = check_store(async || {
//!     let store = MemoryStore::new(64 * 1024 * 1024);
//!     let stores: [Arc<dyn SessionStore>; 2] = [Arc::new(store.clone()), Arc::new(store)];
//!     stores
//! })
//! .await;
//! assert!(report.has_passed(), "{report}");
//! # }
//! ```
//!
//! The function returns two handles on one empty storage for each case, such as two pools of
//! connections to one database. The cases use them as two processes would. An operation that the
//! store does not have ([`StoreError::Unsupported`]) leaves its cases out, and the report says so.

mod access;
mod case;
mod content;
mod lists;
mod owners;
mod samples;
mod writers;

use std::fmt;
use std::sync::Arc;

use acp_agent::store::SessionStore;
#[cfg(doc)]
use acp_agent::store::StoreError;

pub use self::case::{StoreCase, Verdict};

impl StoreCase {
    /// Returns every case.
    pub fn all() -> impl Iterator<Item = &'static StoreCase> {
        [content::CASES, access::CASES, writers::CASES, lists::CASES, owners::CASES].into_iter().flatten()
    }
}

/// Runs every case with stores of its own.
pub async fn check_store(stores: impl AsyncFn() -> [Arc<dyn SessionStore>; 2]) -> StoreReport {
    let mut verdicts = Vec::new();
    for case in StoreCase::all() {
        verdicts.push((case, case.run(stores().await).await));
    }
    StoreReport { verdicts }
}

/// The verdicts of all cases. `Display` writes a line for each.
#[derive(Clone, Debug)]
pub struct StoreReport {
    verdicts: Vec<(&'static StoreCase, Verdict)>,
}

impl StoreReport {
    /// Returns true if no case has failed.
    #[must_use]
    pub fn has_passed(&self) -> bool {
        self.verdicts.iter().all(|(_, verdict)| !matches!(verdict, Verdict::Failed(_)))
    }

    /// Returns the cases and their verdicts, in order.
    pub fn verdicts(&self) -> impl Iterator<Item = (&'static StoreCase, &Verdict)> {
        self.verdicts.iter().map(|(case, verdict)| (*case, verdict))
    }
}

impl fmt::Display for StoreReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (case, verdict) in &self.verdicts {
            match verdict {
                Verdict::Passed => writeln!(f, "passed       {}", case.name())?,
                Verdict::Unsupported(operation) => {
                    writeln!(f, "unsupported  {} (`{operation}`)", case.name())?;
                }
                Verdict::Failed(reason) => {
                    writeln!(f, "FAILED       {}: {reason}\n             {}", case.name(), case.promise())?;
                }
            }
        }
        Ok(())
    }
}
