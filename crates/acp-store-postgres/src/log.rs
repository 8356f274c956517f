//! The writing side of a session.

use std::sync::Arc;

use acp_agent::store::{Loss, Pending, Record, SessionLog, StoreError};
use acp_types::v1::SessionInfo;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::database::{Database, Param};
use crate::error::{Failure, PostgresError};
use crate::lease::{Change, Ending, Lease, Step};
use crate::leases::Leases;
use crate::rows::batch::{self, Rows};
use crate::rows::facts::{self, StateAt};
use crate::statements;

/// An open session.
pub(crate) struct PostgresLog {
    pub(crate) database: Database,
    pub(crate) leases: Arc<Leases>,
    pub(crate) principal: String,
    pub(crate) session: String,
    pub(crate) info: SessionInfo,
    pub(crate) state_at: StateAt,
    pub(crate) lease: Lease<String>,
    /// The facts after the change that was sent last, until its outcome is known.
    pub(crate) sent: Option<Facts>,
    /// The loss of the session, as the task that prolongs leases notices it.
    pub(crate) lost: watch::Receiver<Option<StoreError>>,
    /// Set once another log has the session.
    pub(crate) is_lost: bool,
}

/// The content of a change.
enum Changes<'c> {
    /// The rows, and the kinds of state in them with the place of their last record.
    Append {
        rows: &'c Rows<'c>,
        states: &'c StateAt,
    },
    SetInfo {
        info: &'c SessionInfo,
        is_use: bool,
        time: Option<&'c str>,
    },
}

/// The facts of a log that a change replaces.
pub(crate) enum Facts {
    State(StateAt),
    Info(SessionInfo),
}

impl Changes<'_> {
    /// Returns the facts once this is made. `state_at` are the places of the state before, and
    /// `seq` is the number of changes.
    fn after(&self, state_at: &StateAt, seq: i64) -> Facts {
        match self {
            Changes::Append { states, .. } => {
                let mut state_at = state_at.clone();
                state_at.extend(states.iter().map(|(kind, place)| (kind.clone(), seq + place)));
                Facts::State(state_at)
            }
            Changes::SetInfo { info, .. } => Facts::Info((*info).clone()),
        }
    }
}

impl Facts {
    fn write(&self) -> Result<String, StoreError> {
        match self {
            Facts::State(state_at) => facts::write_state(state_at),
            Facts::Info(info) => Ok(facts::write(info)),
        }
    }
}

impl PostgresLog {
    /// Makes a change. Tries for as long as an operation has, and is certain of the outcome, unless
    /// the database stays away.
    async fn change(&mut self, changes: &Changes<'_>) -> Result<(), StoreError> {
        let millis = *self.leases.millis();
        let _changing = self.leases.changing(&self.lease.holder);
        let adds = match changes {
            Changes::Append { rows, .. } => i64::try_from(rows.len()).map_err(StoreError::other)?,
            Changes::SetInfo { .. } => 1,
        };
        let of = Of { database: &self.database, principal: &self.principal, session: &self.session, millis };
        let mut patience = self.database.patience();
        let (lease, mut change) = (&mut self.lease, Change::new(adds));
        loop {
            let (since, before) = (Instant::now(), lease.seq);
            let step = change.next(lease);
            let answer = match step {
                Step::Fence => of.fence(lease).await.map(|row| change.fenced(lease, row)),
                Step::Apply => {
                    // Only now is it known which of the earlier changes were made.
                    let facts = self.sent.insert(changes.after(&self.state_at, before)).write()?;
                    let applied = of.apply(lease, changes, adds, &facts).await;
                    applied.map(|has_row| change.applied(lease, has_row))
                }
            };
            // It is made: this change, or an earlier one that was given up.
            if lease.seq != before {
                match self.sent.take() {
                    Some(Facts::State(state_at)) => self.state_at = state_at,
                    Some(Facts::Info(info)) => self.info = info,
                    None => {}
                }
            }
            match answer {
                Ok(None) => {}
                Ok(Some(Ending::Made)) => {
                    self.leases.prolonged(&self.lease.holder, since);
                    return Ok(());
                }
                Ok(Some(Ending::Lost)) => {
                    self.is_lost = true;
                    return Err(StoreError::Changed { session: self.info.session_id.clone() });
                }
                Err(failure) => {
                    if step == Step::Apply && failure.is_answer() {
                        change.refused(lease);
                    }
                    patience.again(failure).await?;
                }
            }
        }
    }

    async fn append_all(&mut self, records: &[Record]) -> Result<(), StoreError> {
        for rows in Rows::of(records)?.into_parts() {
            self.change(&Changes::Append { rows: &rows, states: &rows.states() }).await?;
        }
        Ok(())
    }

    async fn set_info(&mut self, info: SessionInfo, is_use: bool) -> Result<(), StoreError> {
        self.change(&Changes::SetInfo { info: &info, is_use, time: None }).await
    }

    async fn read_state(&self) -> Result<Vec<Record>, StoreError> {
        let mut state: Vec<Record> = Vec::new();
        for (kind, place) in &self.state_at {
            let params: [Param<'_>; 3] =
                [(&self.principal, Type::TEXT), (&self.session, Type::TEXT), (place, Type::INT8)];
            let mut found = Vec::new();
            for row in self.database.rows(statements::BATCH, &params).await? {
                batch::read(row.try_get(0).map_err(PostgresError::Database)?, &mut found)?;
            }
            state.extend(found.into_iter().rfind(|record| record.kind().name() == kind));
        }
        Ok(state)
    }

    /// Gives the lease up, in a task of its own: nobody can stop it halfway. Returns `None` if it
    /// was given up before, or the runtime has ended.
    fn release(&mut self) -> Option<JoinHandle<()>> {
        let key = self.leases.remove(&self.lease.holder)?;
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        Some(runtime.spawn(Arc::clone(&self.leases).release(key)))
    }
}

/// The session of a change.
struct Of<'l> {
    database: &'l Database,
    principal: &'l String,
    session: &'l String,
    millis: i64,
}

impl Of<'_> {
    /// Raises the epoch of the lease. Returns the new one and the number of changes.
    async fn fence(&self, lease: &Lease<String>) -> Result<Option<(i64, i64)>, Failure> {
        let params: [Param<'_>; 4] = [
            (self.principal, Type::TEXT),
            (self.session, Type::TEXT),
            (&lease.holder, Type::TEXT),
            (&self.millis, Type::INT8),
        ];
        let rows = self.database.try_rows(&statements::FENCE_SELF, &params).await?;
        rows.first().map(epoch_and_seq).transpose().map_err(Failure::Lasting)
    }

    /// Makes the change, with the facts after it. Returns whether the conditions held.
    async fn apply(
        &self,
        lease: &Lease<String>,
        changes: &Changes<'_>,
        adds: i64,
        facts: &String,
    ) -> Result<bool, Failure> {
        let head: [Param<'_>; 4] = [
            (self.principal, Type::TEXT),
            (self.session, Type::TEXT),
            (&lease.holder, Type::TEXT),
            (&lease.epoch, Type::INT8),
        ];
        let [principal, session, holder, epoch] = head;
        let rows = match changes {
            Changes::Append { rows, .. } => {
                let params: [Param<'_>; 8] = [
                    principal,
                    session,
                    holder,
                    epoch,
                    (&adds, Type::INT8),
                    (facts, Type::TEXT),
                    (&self.millis, Type::INT8),
                    (*rows, Type::BYTEA_ARRAY),
                ];
                self.database.try_long(&statements::APPEND, &params, rows.bytes()).await?
            }
            Changes::SetInfo { is_use, time, .. } => {
                let params: [Param<'_>; 8] = [
                    principal,
                    session,
                    holder,
                    epoch,
                    (facts, Type::TEXT),
                    (&self.millis, Type::INT8),
                    (is_use, Type::BOOL),
                    (time, Type::TEXT),
                ];
                self.database.try_rows(&statements::SET_INFO, &params).await?
            }
        };
        Ok(!rows.is_empty())
    }
}

/// Reads the first two columns of a row.
pub(crate) fn epoch_and_seq(row: &Row) -> Result<(i64, i64), PostgresError> {
    let column = |at| row.try_get(at).map_err(PostgresError::Database);
    Ok((column(0)?, column(1)?))
}

impl SessionLog for PostgresLog {
    fn info(&self) -> &SessionInfo {
        &self.info
    }

    fn state(&mut self) -> Pending<'_, Option<Vec<Record>>> {
        Box::pin(async { self.read_state().await.map(Some) })
    }

    fn position(&self) -> Option<u64> {
        // A session that is lost ends here or later, and later is elsewhere.
        (self.is_lost || !self.lease.is_in_doubt()).then_some(self.lease.seq.unsigned_abs())
    }

    fn lost(&self) -> Loss {
        let mut lost = self.lost.clone();
        Box::pin(async move {
            // That a lease is overdue is noted again and again, so an old note does not count.
            let known = lost.borrow_and_update().clone();
            if let Some(error @ StoreError::Changed { .. }) = known {
                return error;
            }
            while lost.changed().await.is_ok() {
                let noted = lost.borrow().clone();
                if let Some(error) = noted {
                    return error;
                }
            }
            // The lease was given up.
            std::future::pending().await
        })
    }

    fn append(&mut self, records: Vec<Record>) -> Pending<'_, ()> {
        Box::pin(async move { self.append_all(&records).await })
    }

    fn set_title(&mut self, title: Option<String>) -> Pending<'_, ()> {
        let mut info = self.info.clone();
        info.title = title;
        Box::pin(self.set_info(info, true))
    }

    fn set_additional_directories(&mut self, directories: Vec<String>) -> Pending<'_, ()> {
        let mut info = self.info.clone();
        info.additional_directories = directories;
        Box::pin(self.set_info(info, false))
    }

    fn set_updated_at(&mut self, time: String) -> Pending<'_, ()> {
        let info = self.info.clone();
        Box::pin(async move {
            facts::check_time(&time)?;
            let changes = Changes::SetInfo { info: &info, is_use: false, time: Some(&time) };
            self.change(&changes).await
        })
    }

    fn commit(&mut self) -> Pending<'_, ()> {
        // Each change is committed when it is made.
        Box::pin(async { Ok(()) })
    }

    fn close(mut self: Box<Self>) -> Pending<'static, ()> {
        let released = self.release();
        Box::pin(async move {
            if let Some(released) = released {
                released.await.map_err(StoreError::other)?;
            }
            Ok(())
        })
    }
}

/// Gives the lease up a little later.
impl Drop for PostgresLog {
    fn drop(&mut self) {
        drop(self.release());
    }
}
