//! The store: sessions of one principal in a database.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use acp_agent::store::{Pending, Records, SessionLog, SessionStore, StoreError};
use acp_types::v1::{ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo};
use tokio::time::Instant;
use tokio_postgres::types::Type;

use crate::database::{Database, Param};
use crate::error::PostgresError;
use crate::lease::Lease;
use crate::leases::{Attempts, Key, Leases};
use crate::log::{PostgresLog, epoch_and_seq};
use crate::options::Options;
use crate::read::Reader;
use crate::rows::{facts, names};
use crate::{list, migrate, statements};

/// The most sessions that are deleted for their age before others are looked for.
const AT_ONCE: i64 = 100;

/// The times of a database go from 4714 BC to 294276. No session is older than this, and none is
/// later than that many seconds after 1970.
const OLDEST: Duration = Duration::from_secs(5_000 * 365 * 86_400);
const LATEST: Duration = Duration::from_secs(290_000 * 365 * 86_400);

/// The most rows that one transaction deletes. A row has 64 KiB, or one record that is longer.
const ROWS_AT_ONCE: i64 = 128;

/// Sessions in a PostgreSQL database. Any number of processes may use them.
///
/// The [crate](crate) explains its promises. A clone is cheap, and shares the connections.
///
/// ```no_run
/// use acp_agent::{Result, Router, StopReason, Turn, op};
/// use acp_store_postgres::{Options, PostgresStore};
///
/// # async fn prompt(_: &(), turn: Turn) -> Result<StopReason> {
/// #     turn.say("Noted.").await?;
/// #     Ok(StopReason::EndTurn)
/// # }
/// # async fn run() -> std::result::Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// let options = Options::new("postgresql://agent@db.example/sessions")?;
/// let store = PostgresStore::connect(&options).await?;
/// let agent = Router::new("notes", "1.0.0", ()).on::<op::Prompt, _>(prompt).store(store);
/// # let _ = agent;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct PostgresStore {
    database: Database,
    leases: Arc<Leases>,
    principal: String,
    page_size: usize,
}

impl PostgresStore {
    /// Connects to a database that has the [tables](crate::migrate). It begins with the sessions of
    /// the principal without a name.
    ///
    /// # Errors
    /// A [`PostgresError`] if this program must not use the tables, or the database does not keep
    /// what it acknowledges. [`StoreError::Unavailable`] if it does not answer in time.
    pub async fn connect(options: &Options) -> Result<Self, StoreError> {
        let database = Database::new(options)?;
        migrate::check(&database).await?;
        let leases = Leases::new(database.clone(), options.lease);
        Ok(PostgresStore { database, leases, principal: String::new(), page_size: options.page_size })
    }

    async fn create_log(&self, info: SessionInfo) -> Result<Box<dyn SessionLog>, StoreError> {
        let session = names::new_session(&info.session_id)?;
        loop {
            if let Some(log) = self.try_create(&session, &info).await? {
                return Ok(log);
            }
            if self.is_stored(&session).await? {
                return Err(StoreError::Exists { session: info.session_id });
            }
            // A deletion of it was stopped. The id is free once that is done.
            self.delete_rows(&session).await?;
        }
    }

    /// Creates a session. Returns `None` if its row exists.
    async fn try_create(
        &self,
        session: &String,
        info: &SessionInfo,
    ) -> Result<Option<Box<dyn SessionLog>>, StoreError> {
        let (json, folder) = (facts::write(info), names::folder(&info.cwd));
        let mut attempts = self.attempts(session);
        attempts.creates = true;
        loop {
            let (lease, since) = (Lease::new(attempts.next(), 1, 0), Instant::now());
            let params: [Param<'_>; 7] = [
                (&self.principal, Type::TEXT),
                (session, Type::TEXT),
                (&lease.holder, Type::TEXT),
                (&lease.epoch, Type::INT8),
                (&json, Type::TEXT),
                (&folder, Type::TEXT),
                (self.leases.millis(), Type::INT8),
            ];
            match self.database.try_rows(statements::CREATE, &params).await {
                Ok(rows) if rows.is_empty() => {
                    attempts.refused();
                    break;
                }
                Ok(_) => {
                    attempts.taken();
                    let state_at = facts::StateAt::new();
                    let log = self.held(session.clone(), info.clone(), state_at, lease, since);
                    return Ok(Some(Box::new(log)));
                }
                Err(failure) => attempts.again(failure).await?,
            }
        }
        // It exists. It is this one's own if the answer to an earlier attempt was lost.
        self.take(&statements::ADOPT_SESSION, session, attempts).await
    }

    fn attempts(&self, session: &str) -> Attempts {
        Attempts::new(&self.database, &self.leases, &self.principal, session)
    }

    async fn is_stored(&self, session: &String) -> Result<bool, StoreError> {
        let params: [Param<'_>; 2] = [(&self.principal, Type::TEXT), (session, Type::TEXT)];
        Ok(!self.database.rows(statements::END, &params).await?.is_empty())
    }

    async fn open_log(&self, id: &SessionId) -> Result<Box<dyn SessionLog>, StoreError> {
        let session = names::stored_session(id)?;
        match self.take(&statements::OPEN_SESSION, &session, self.attempts(&session)).await? {
            Some(log) => Ok(log),
            None => Err(self.why_not(id, &session).await?),
        }
    }

    /// Takes the lease of a session. Returns `None` if the conditions do not hold.
    async fn take(
        &self,
        sql: &str,
        session: &String,
        mut attempts: Attempts,
    ) -> Result<Option<Box<dyn SessionLog>>, StoreError> {
        loop {
            let (holder, since) = (attempts.next(), Instant::now());
            let params: [Param<'_>; 5] = [
                (&self.principal, Type::TEXT),
                (session, Type::TEXT),
                (&holder, Type::TEXT),
                (self.leases.millis(), Type::INT8),
                (attempts.holders(), Type::TEXT_ARRAY),
            ];
            let rows = match self.database.try_rows(sql, &params).await {
                Ok(rows) => rows,
                Err(failure) => {
                    attempts.again(failure).await?;
                    continue;
                }
            };
            let Some(row) = rows.first() else {
                attempts.refused();
                return Ok(None);
            };
            let text = |at| row.try_get::<_, &str>(at).map_err(PostgresError::Database);
            let (info, state_at) = (facts::read(text(2)?)?, facts::read_state(text(3)?)?);
            let (epoch, seq) = epoch_and_seq(row)?;
            let lease = Lease::new(holder, epoch, seq);
            attempts.taken();
            return Ok(Some(Box::new(self.held(session.clone(), info, state_at, lease, since))));
        }
    }

    fn held(
        &self,
        session: String,
        info: SessionInfo,
        state_at: facts::StateAt,
        lease: Lease<String>,
        since: Instant,
    ) -> PostgresLog {
        let (principal, holder) = (self.principal.clone(), lease.holder.clone());
        let key = Key { principal, session: session.clone(), holder };
        let lost = self.leases.add(key, info.session_id.clone(), since);
        PostgresLog {
            database: self.database.clone(),
            leases: Arc::clone(&self.leases),
            principal: self.principal.clone(),
            session,
            info,
            state_at,
            sent: None,
            lease,
            lost,
            is_lost: false,
        }
    }

    /// Returns the reason why a session could not be opened or deleted.
    async fn why_not(&self, id: &SessionId, session: &String) -> Result<StoreError, StoreError> {
        let params: [Param<'_>; 2] = [(&self.principal, Type::TEXT), (session, Type::TEXT)];
        let rows = self.database.rows(statements::LEASE_LEFT, &params).await?;
        let Some(row) = rows.first() else { return Ok(StoreError::Unknown { session: id.clone() }) };
        let left: Option<i64> = row.try_get(0).map_err(PostgresError::Database)?;
        let left = Duration::from_millis(left.unwrap_or_default().try_into().unwrap_or_default());
        Ok(StoreError::Busy { session: id.clone(), until: Some(SystemTime::now() + left) })
    }

    async fn records(&self, id: &SessionId) -> Result<Box<dyn Records>, StoreError> {
        let session = names::stored_session(id)?;
        let params: [Param<'_>; 2] = [(&self.principal, Type::TEXT), (&session, Type::TEXT)];
        let rows = self.database.rows(statements::END, &params).await?;
        let row = rows.first().ok_or_else(|| StoreError::Unknown { session: id.clone() })?;
        let end = row.try_get(0).map_err(PostgresError::Database)?;
        let (database, principal) = (self.database.clone(), self.principal.clone());
        Ok(Box::new(Reader { database, principal, session, id: id.clone(), after: 0, end }.start()))
    }

    async fn delete_session(&self, id: &SessionId) -> Result<(), StoreError> {
        let session = names::stored_session(id)?;
        let params: [Param<'_>; 2] = [(&self.principal, Type::TEXT), (&session, Type::TEXT)];
        if self.database.rows(&statements::DELETE_SESSION, &params).await?.is_empty() {
            return Err(self.why_not(id, &session).await?);
        }
        self.delete_rows(&session).await
    }

    /// Deletes the rows of a session that is marked as deleted, a few in each transaction. It may
    /// be stopped at any time, and called again.
    async fn delete_rows(&self, session: &String) -> Result<(), StoreError> {
        let params: [Param<'_>; 3] =
            [(&self.principal, Type::TEXT), (session, Type::TEXT), (&ROWS_AT_ONCE, Type::INT8)];
        while !self.database.rows(&statements::DELETE_RECORDS, &params).await?.is_empty() {}
        let [principal, session, _] = params;
        self.database.rows(&statements::DELETE_ROW, &[principal, session]).await.map(drop)
    }

    async fn delete_older(&self, time: SystemTime) -> Result<u64, StoreError> {
        let (time, mut deleted) = (within_calendar(time), 0);
        loop {
            let params: [Param<'_>; 3] =
                [(&self.principal, Type::TEXT), (&time, Type::TIMESTAMPTZ), (&AT_ONCE, Type::INT8)];
            let rows = self.database.rows(statements::OLDER_THAN, &params).await?;
            let before = deleted;
            for row in &rows {
                let session: String = row.try_get(0).map_err(PostgresError::Database)?;
                let params: [Param<'_>; 3] =
                    [(&self.principal, Type::TEXT), (&session, Type::TEXT), (&time, Type::TIMESTAMPTZ)];
                if !self.database.rows(&statements::DELETE_OLDER, &params).await?.is_empty() {
                    self.delete_rows(&session).await?;
                    deleted += 1;
                }
            }
            // The rest may all be open by now.
            if deleted == before {
                return Ok(deleted);
            }
        }
    }

    async fn delete_unused(&self, age: Duration) -> Result<u64, StoreError> {
        let micros = i64::try_from(age.min(OLDEST).as_micros()).map_err(StoreError::other)?;
        let rows = self.database.rows(statements::TIME_BEFORE, &[(&micros, Type::INT8)]).await?;
        match rows.first().map(|row| row.try_get(0)).transpose().map_err(PostgresError::Database)? {
            Some(time) => self.delete_older(time).await,
            None => Ok(0),
        }
    }
}

/// Returns the time, or the nearest one that the database has.
fn within_calendar(time: SystemTime) -> SystemTime {
    let first = SystemTime::UNIX_EPOCH.checked_sub(OLDEST).unwrap_or(time);
    let last = SystemTime::UNIX_EPOCH.checked_add(LATEST).unwrap_or(time);
    time.max(first).min(last)
}

impl SessionStore for PostgresStore {
    fn create(&self, session: SessionInfo) -> Pending<'_, Box<dyn SessionLog>> {
        Box::pin(self.create_log(session))
    }

    fn open<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn SessionLog>> {
        Box::pin(self.open_log(session))
    }

    fn read<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn Records>> {
        Box::pin(self.records(session))
    }

    fn list<'a>(&'a self, request: &'a ListSessionsRequest) -> Pending<'a, ListSessionsResponse> {
        Box::pin(list::list(&self.database, &self.principal, request, self.page_size))
    }

    fn delete<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        Box::pin(self.delete_session(session))
    }

    fn delete_older_than(&self, time: SystemTime) -> Pending<'_, u64> {
        Box::pin(self.delete_older(time))
    }

    fn delete_unused_for(&self, age: Duration) -> Pending<'_, u64> {
        Box::pin(self.delete_unused(age))
    }

    fn for_principal(&self, principal: &str) -> Result<Arc<dyn SessionStore>, StoreError> {
        let principal = names::principal(principal)?;
        Ok(Arc::new(PostgresStore { principal, ..self.clone() }))
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").field("pool", &self.database).finish_non_exhaustive()
    }
}
