//! One promise of a store, and the code that tries it.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use acp_agent::store::{SessionStore, StoreError};

/// The time that a case may take.
const PATIENCE: Duration = Duration::from_secs(120);

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
        pub(super) const CASES: &[$crate::store::case::StoreCase] = &[$($crate::store::case::StoreCase {
            name: $name,
            promise: $promise,
            run: |stores| Box::pin($run(stores)),
        }),*];
    };
}

pub(super) use cases;
