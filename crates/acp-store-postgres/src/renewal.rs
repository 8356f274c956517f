//! The leases of this process, and the task that prolongs them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::sleep;
use tokio_postgres::types::Type;

use crate::database::{Database, Param};
use crate::statements;

/// The most leases that one statement prolongs.
const AT_ONCE: usize = 500;
/// The time between two attempts to prolong leases.
const RETRY: Duration = Duration::from_millis(500);

/// The leases of a store. The task that prolongs them runs while there are any.
pub(crate) struct Leases {
    database: Database,
    time: Duration,
    millis: i64,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    /// The principal and the session of each log, by its id.
    sessions: HashMap<String, (String, String)>,
    is_renewing: bool,
}

impl Leases {
    pub(crate) fn new(database: Database, time: Duration) -> Arc<Self> {
        let millis = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        Arc::new(Leases { database, time, millis, held: Mutex::default() })
    }

    /// Returns the time of a lease in milliseconds.
    pub(crate) const fn millis(&self) -> &i64 {
        &self.millis
    }

    /// Prolongs the lease of this log from now on.
    pub(crate) fn add(self: &Arc<Self>, holder: &str, principal: &str, session: &str) {
        let mut held = self.held();
        held.sessions.insert(holder.to_owned(), (principal.to_owned(), session.to_owned()));
        if !std::mem::replace(&mut held.is_renewing, true) {
            tokio::spawn(renew(Arc::downgrade(self), self.time / 3));
        }
    }

    /// Prolongs the lease of this log no more. Returns true if it did.
    pub(crate) fn remove(&self, holder: &str) -> bool {
        self.held().sessions.remove(holder).is_some()
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // Nothing under this lock can leave the table half-changed.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the leases; `None` if there are none, and the task ends.
    fn present(&self) -> Option<Vec<(String, String, String)>> {
        let mut held = self.held();
        held.is_renewing = !held.sessions.is_empty();
        let all = held.sessions.iter();
        held.is_renewing.then(|| {
            all.map(|(holder, (principal, session))| (principal.clone(), session.clone(), holder.clone()))
                .collect()
        })
    }

    async fn renew(&self, leases: &[(String, String, String)]) -> bool {
        let mut renewed = true;
        for leases in leases.chunks(AT_ONCE) {
            let principals: Vec<&str> = leases.iter().map(|lease| lease.0.as_str()).collect();
            let sessions: Vec<&str> = leases.iter().map(|lease| lease.1.as_str()).collect();
            let holders: Vec<&str> = leases.iter().map(|lease| lease.2.as_str()).collect();
            let params: [Param<'_>; 4] = [
                (&principals, Type::TEXT_ARRAY),
                (&sessions, Type::TEXT_ARRAY),
                (&holders, Type::TEXT_ARRAY),
                (&self.millis, Type::INT8),
            ];
            renewed &= self.database.try_rows(&statements::RENEW_ALL, &params).await.is_ok();
        }
        renewed
    }
}

/// Prolongs the leases of a store three times in their time, until there are none.
async fn renew(leases: Weak<Leases>, every: Duration) {
    let mut wait = every;
    loop {
        sleep(wait).await;
        let Some(leases) = leases.upgrade() else { return };
        let Some(present) = leases.present() else { return };
        wait = if leases.renew(&present).await { every } else { RETRY.min(every) };
    }
}
