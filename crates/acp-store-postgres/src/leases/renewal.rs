//! The leases of this process, and the task that prolongs them.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use acp_agent::store::StoreError;
use acp_types::v1::SessionId;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout_at};
use tokio_postgres::types::Type;

use crate::database::{Database, Param};
use crate::error::{Failure, Passing, PostgresError};
use crate::statements;

/// The most leases that one statement prolongs.
const AT_ONCE: usize = 500;
/// The time between two attempts to prolong leases.
const RETRY: Duration = Duration::from_millis(500);

/// The most leases that wait to be given up.
const MOST_GIVEN_UP: usize = 4096;

/// The leases of a store. The task that prolongs them runs while there are any.
pub(crate) struct Leases {
    database: Database,
    time: Duration,
    millis: i64,
    held: Mutex<Held>,
    /// Set while the task runs. It changes under the lock of `held`, or when a runtime drops the
    /// task.
    is_renewing: Arc<AtomicBool>,
    /// Lets the task try again soon.
    soon: Arc<Notify>,
}

#[derive(Default)]
struct Held {
    /// The sessions of the logs, by the ids of these.
    sessions: HashMap<String, HeldSession>,
    /// The leases that nobody has any more, and that the database may still have.
    given_up: VecDeque<GivenUp>,
}

/// The task that prolongs leases. Its drop lets another one start, in another runtime.
struct Renewing(Arc<AtomicBool>);

impl Drop for Renewing {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// A session and the log that holds it.
#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) principal: String,
    pub(crate) session: String,
    pub(crate) holder: String,
}

/// A lease that is to be given up.
pub(crate) struct GivenUp {
    pub(crate) key: Key,
    /// The session may have been created with the lease. Nobody knows it then.
    pub(crate) may_be_new: bool,
}

struct HeldSession {
    key: Key,
    id: SessionId,
    /// The time at which the lease began, at the latest.
    since: Instant,
    /// A change is under way. It prolongs the lease itself, and the database may have its row
    /// locked.
    is_changing: bool,
    lost: watch::Sender<Option<StoreError>>,
}

/// A change under way, until it is dropped.
pub(crate) struct Changing<'l> {
    leases: &'l Leases,
    holder: String,
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        if let Some(held) = self.leases.held().sessions.get_mut(&self.holder) {
            held.is_changing = false;
        }
    }
}

impl Leases {
    pub(crate) fn new(database: Database, time: Duration) -> Arc<Self> {
        let millis = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        let (held, is_renewing, soon) = (Mutex::default(), Arc::default(), Arc::default());
        Arc::new(Leases { database, time, millis, held, is_renewing, soon })
    }

    /// Returns the time of a lease in milliseconds.
    pub(crate) const fn millis(&self) -> &i64 {
        &self.millis
    }

    /// Prolongs the lease of a log from now on. Returns the receiver of its loss.
    pub(crate) fn add(
        self: &Arc<Self>,
        key: Key,
        id: SessionId,
        since: Instant,
    ) -> watch::Receiver<Option<StoreError>> {
        let (lost, receiver) = watch::channel(None);
        let mut held = self.held();
        held.sessions.insert(key.holder.clone(), HeldSession { key, id, since, is_changing: false, lost });
        self.start(&held);
        receiver
    }

    /// Prolongs the lease of this log no more. Returns its session if it did.
    pub(crate) fn remove(&self, holder: &str) -> Option<Key> {
        self.held().sessions.remove(holder).map(|held| held.key)
    }

    /// Notes that a change of this log begins. Until its end the lease is not prolonged: one slow
    /// change would hold up the statement that prolongs all others.
    pub(crate) fn changing(&self, holder: &str) -> Changing<'_> {
        if let Some(held) = self.held().sessions.get_mut(holder) {
            held.is_changing = true;
        }
        Changing { leases: self, holder: holder.to_owned() }
    }

    /// Notes that a change of this log has prolonged its lease.
    pub(crate) fn prolonged(&self, holder: &str, since: Instant) {
        if let Some(held) = self.held().sessions.get_mut(holder) {
            held.since = since.max(held.since);
        }
    }

    /// Gives a lease up. If the database is away, this is done once it is there again.
    pub(crate) async fn release(self: Arc<Self>, key: Key) {
        let given_up = GivenUp { key, may_be_new: false };
        if self.try_release(&given_up).await.is_err_and(|failure| matches!(failure, Failure::Passing(_))) {
            self.give_up(given_up);
        }
    }

    /// Gives a lease up a little later.
    pub(crate) fn give_up(self: &Arc<Self>, lease: GivenUp) {
        if tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        let mut held = self.held();
        held.given_up.push_back(lease);
        if held.given_up.len() > MOST_GIVEN_UP {
            // It ends by itself.
            held.given_up.pop_front();
        }
        self.start(&held);
        self.soon.notify_one();
    }

    async fn try_release(&self, GivenUp { key, may_be_new }: &GivenUp) -> Result<(), Failure> {
        let params: [Param<'_>; 3] =
            [(&key.principal, Type::TEXT), (&key.session, Type::TEXT), (&key.holder, Type::TEXT)];
        if *may_be_new {
            self.database.try_rows(&statements::DELETE_NEW, &params).await?;
        }
        self.database.try_rows(&statements::RELEASE_SESSION, &params).await.map(drop)
    }

    /// Starts the task, unless it runs. The caller has the lock.
    fn start(self: &Arc<Self>, _: &MutexGuard<'_, Held>) {
        if !self.is_renewing.swap(true, Ordering::AcqRel) {
            let renewing = Renewing(Arc::clone(&self.is_renewing));
            tokio::spawn(renew(Arc::downgrade(self), self.time / 3, Arc::clone(&self.soon), renewing));
        }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // Nothing under this lock can leave the table half-changed.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the leases that are to be prolonged; `None` if there are no leases, and the task
    /// ends. Those that a change has just prolonged come next time, which is in time.
    fn due(&self, renewing: Renewing) -> Option<(Vec<Key>, Renewing)> {
        let held = self.held();
        if held.sessions.is_empty() && held.given_up.is_empty() {
            // Under the lock, so that the next lease starts the task anew.
            drop(renewing);
            return None;
        }
        let is_due = |held: &&HeldSession| !held.is_changing && held.since.elapsed() >= self.time / 6;
        Some((held.sessions.values().filter(is_due).map(|held| held.key.clone()).collect(), renewing))
    }

    /// Prolongs leases. Returns whether the database has answered.
    async fn renew(&self, leases: &[Key]) -> bool {
        for leases in leases.chunks(AT_ONCE) {
            let since = Instant::now();
            match self.try_renew(leases).await {
                Ok(renewed) => self.note(leases, &renewed, since),
                // The next ones would wait as long for nothing, and their logs would hear of it
                // late.
                Err(_) => {
                    self.note_overdue();
                    return false;
                }
            }
        }
        self.note_overdue();
        true
    }

    /// Prolongs leases. Returns the holders that still have their sessions.
    async fn try_renew(&self, leases: &[Key]) -> Result<HashSet<String>, Failure> {
        let principals: Vec<&str> = leases.iter().map(|lease| lease.principal.as_str()).collect();
        let sessions: Vec<&str> = leases.iter().map(|lease| lease.session.as_str()).collect();
        let holders: Vec<&str> = leases.iter().map(|lease| lease.holder.as_str()).collect();
        let params: [Param<'_>; 4] = [
            (&principals, Type::TEXT_ARRAY),
            (&sessions, Type::TEXT_ARRAY),
            (&holders, Type::TEXT_ARRAY),
            (&self.millis, Type::INT8),
        ];
        let rows = self.database.try_rows(&statements::RENEW_ALL, &params).await?;
        let holder = |row: &tokio_postgres::Row| row.try_get(0).map_err(PostgresError::Database);
        rows.iter().map(holder).collect::<Result<_, _>>().map_err(Failure::Lasting)
    }

    /// Notes the answer to a renewal, and tells the logs that have lost their sessions.
    fn note(&self, asked: &[Key], renewed: &HashSet<String>, since: Instant) {
        let mut held = self.held();
        for key in asked {
            let Some(session) = held.sessions.get_mut(&key.holder) else { continue };
            if renewed.contains(&key.holder) {
                session.since = since.max(session.since);
                // It was only overdue.
                session.lost.send_if_modified(|lost| {
                    lost.take_if(|lost| matches!(lost, StoreError::Unavailable { .. })).is_some()
                });
            } else {
                session.lost.send_replace(Some(StoreError::Changed { session: session.id.clone() }));
            }
        }
    }

    /// Tells the logs whose leases could not be prolonged for two thirds of their time. Another
    /// process may soon have their sessions.
    fn note_overdue(&self) {
        for session in self.held().sessions.values() {
            let waited = session.since.elapsed();
            let is_lost = matches!(*session.lost.borrow(), Some(StoreError::Changed { .. }));
            if waited >= self.time / 3 * 2 && !is_lost {
                let reason = Passing::Other("the lease of the session could not be prolonged".to_owned());
                session.lost.send_replace(Some(StoreError::Unavailable { waited, reason: Arc::new(reason) }));
            }
        }
    }

    /// Gives up the leases that could not be given up before. Returns whether that is done.
    async fn release_rest(&self) -> bool {
        loop {
            let Some(lease) = self.held().given_up.pop_front() else { return true };
            if self.try_release(&lease).await.is_err_and(|failure| matches!(failure, Failure::Passing(_))) {
                self.held().given_up.push_front(lease);
                return false;
            }
        }
    }
}

/// Prolongs the leases of a store three times in their time, until there are none.
async fn renew(leases: Weak<Leases>, every: Duration, soon: Arc<Notify>, mut renewing: Renewing) {
    let retry = RETRY.min(every);
    let mut next = Instant::now() + every;
    loop {
        // However often it is called, the time of the next attempt comes.
        if timeout_at(next, soon.notified()).await.is_ok() {
            next = next.min(Instant::now() + retry);
            continue;
        }
        let Some(leases) = leases.upgrade() else { return };
        let Some((due, still)) = leases.due(renewing) else { return };
        renewing = still;
        let is_done = leases.renew(&due).await && leases.release_rest().await;
        next = Instant::now() + if is_done { every } else { retry };
    }
}
