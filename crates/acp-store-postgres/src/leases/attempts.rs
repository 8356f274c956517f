//! Attempts to take the lease of a session.

use std::sync::Arc;

use acp_agent::store::StoreError;
use acp_types::v1::SessionId;

use super::renewal::{GivenUp, Key, Leases};
use crate::database::{Database, Patience};
use crate::error::Failure;

/// The attempts to take a lease. Each is a holder of its own, so that one that comes late, when the
/// session may be another one, is not taken for the log that has the lease.
///
/// The drop gives up the leases of attempts whose outcome is not known. After
/// [`taken`](Self::taken) there are none.
pub(crate) struct Attempts {
    leases: Arc<Leases>,
    principal: String,
    session: String,
    /// Set if an attempt may have created the session.
    pub(crate) creates: bool,
    patience: Patience,
    /// The holders of attempts whose outcome is not known.
    holders: Vec<String>,
}

impl Attempts {
    pub(crate) fn new(database: &Database, leases: &Arc<Leases>, principal: &str, session: &str) -> Self {
        Attempts {
            leases: Arc::clone(leases),
            principal: principal.to_owned(),
            session: session.to_owned(),
            creates: false,
            patience: database.patience(),
            holders: Vec::new(),
        }
    }

    /// Returns the holder of a new attempt, an id that nobody has.
    pub(crate) fn next(&mut self) -> String {
        let holder = SessionId::unique().to_string();
        self.holders.push(holder.clone());
        holder
    }

    /// Returns the holders of all attempts whose outcome is not known.
    pub(crate) const fn holders(&self) -> &Vec<String> {
        &self.holders
    }

    /// Notes that the last attempt has taken nothing.
    pub(crate) fn refused(&mut self) {
        self.holders.pop();
    }

    /// Notes that the last attempt has taken the session, and with it all that the others took.
    pub(crate) fn taken(&mut self) {
        self.holders.clear();
    }

    /// Waits until the next attempt.
    pub(crate) async fn again(&mut self, failure: Failure) -> Result<(), StoreError> {
        self.patience.again(failure).await
    }
}

impl Drop for Attempts {
    fn drop(&mut self) {
        for holder in self.holders.drain(..) {
            let (principal, session) = (self.principal.clone(), self.session.clone());
            self.leases
                .give_up(GivenUp { key: Key { principal, session, holder }, may_be_new: self.creates });
        }
    }
}
