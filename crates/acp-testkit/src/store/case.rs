//! One promise of a store, and the code that tries it.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use acp_agent::store::{SessionStore, StoreError};

use super::{PATIENCE, access, content, lists, owners, writers};

/// Two handles on one empty storage.
pub(super) type Stores = [Arc<dyn SessionStore>; 2];
/// Returns one handle and the other in turn.
pub(super) fn in_turn([first, second]: &Stores, round: usize) -> &dyn SessionStore {
    if round.is_multiple_of(2) { &**first } else { &**second }
}

/// The outcome of a case's code.
pub(super) type Tried<T = ()> = Result<T, Stop>;
type Running = Pin<Box<dyn Future<Output = Tried> + Send>>;

/// A promise that every store makes, with the code that tries it.
pub struct StoreCase {
    pub(super) name: &'static str,
    pub(super) promise: &'static str,
    pub(super) run: fn(Stores) -> Running,
}

/// The outcome of a [`StoreCase`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The store has kept its promise.
    Passed,
    /// The store does not have this operation.
    Unsupported(&'static str),
    /// The store has not kept its promise, for this reason.
    Failed(String),
}

impl StoreCase {
    /// Returns every case.
    pub fn all() -> impl Iterator<Item = &'static StoreCase> {
        [content::CASES, access::CASES, writers::CASES, lists::CASES, owners::CASES].into_iter().flatten()
    }

    /// Returns its name, such as `records-come-back`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the promise in a sentence.
    #[must_use]
    pub const fn promise(&self) -> &'static str {
        self.promise
    }

    /// Tries the promise, with two handles on one empty storage. It takes at most two minutes.
    pub async fn run(&self, stores: [Arc<dyn SessionStore>; 2]) -> Verdict {
        match tokio::time::timeout(PATIENCE, (self.run)(stores)).await {
            Ok(Ok(())) => Verdict::Passed,
            Ok(Err(Stop::Unsupported(operation))) => Verdict::Unsupported(operation),
            Ok(Err(Stop::Failed(reason))) => Verdict::Failed(reason),
            Err(_) => Verdict::Failed(format!("no end after {} s", PATIENCE.as_secs())),
        }
    }
}

impl fmt::Debug for StoreCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreCase").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The reason why a case has ended early.
pub(super) enum Stop {
    Failed(String),
    Unsupported(&'static str),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unsupported { operation } => Stop::Unsupported(operation),
            error => Stop::Failed(error.to_string()),
        }
    }
}

/// Fails the case unless the condition holds.
pub(super) fn require(holds: bool, reason: impl FnOnce() -> String) -> Tried {
    if holds { Ok(()) } else { Err(Stop::Failed(reason())) }
}

/// Builds the table of a module's cases.
macro_rules! cases {
    ($($name:literal, $promise:literal, $run:ident;)*) => {
        pub(super) const CASES: &[$crate::store::StoreCase] = &[$($crate::store::StoreCase {
            name: $name,
            promise: $promise,
            run: |stores| Box::pin($run(stores)),
        }),*];
    };
}

pub(super) use cases;
