//! Reading the records of a session.

use acp_agent::store::{Pending, Record, Records, StoreError};
use acp_types::v1::SessionId;
use tokio::task::JoinHandle;
use tokio_postgres::types::Type;

use crate::database::{Database, Param};
use crate::error::PostgresError;
use crate::rows::batch;
use crate::statements;

/// The most rows and bytes of a statement that reads. A row that is longer comes alone.
const ROWS: i64 = 64;
const BYTES: i64 = 1024 * 1024;

/// The records of a session up to the change that was the last one when it was read. The next rows
/// are on their way while the ones before are used.
pub(crate) struct PostgresRecords {
    ahead: Ahead,
}

enum Ahead {
    Reading(JoinHandle<Read>),
    /// A part could not be read. What comes after it would pass for all.
    Failed(StoreError),
    End,
}

/// The records of some rows, and the reader of those after them.
type Read = Result<(Vec<Record>, Reader), StoreError>;

/// A place in a session.
pub(crate) struct Reader {
    pub(crate) database: Database,
    pub(crate) principal: String,
    pub(crate) session: String,
    pub(crate) id: SessionId,
    /// The last row that was read.
    pub(crate) after: i64,
    pub(crate) end: i64,
}

impl Reader {
    /// Begins to read.
    pub(crate) fn start(self) -> PostgresRecords {
        PostgresRecords { ahead: Ahead::Reading(tokio::spawn(self.read())) }
    }

    /// Reads the next rows. There are no records at the end only.
    async fn read(mut self) -> Read {
        let mut records = Vec::new();
        // Rows may have nothing but records of a later version.
        while records.is_empty() && self.after < self.end {
            let params: [Param<'_>; 6] = [
                (&self.principal, Type::TEXT),
                (&self.session, Type::TEXT),
                (&self.after, Type::INT8),
                (&self.end, Type::INT8),
                (&ROWS, Type::INT8),
                (&BYTES, Type::INT8),
            ];
            let rows = self.database.rows(statements::READ, &params).await?;
            if rows.is_empty() {
                self.check().await?;
                self.after = self.end;
            }
            for row in rows {
                self.after = row.try_get(0).map_err(PostgresError::Database)?;
                batch::read(row.try_get(1).map_err(PostgresError::Database)?, &mut records)?;
            }
        }
        Ok((records, self))
    }

    /// Fails if the session was deleted since the reading began.
    async fn check(&self) -> Result<(), StoreError> {
        let params: [Param<'_>; 2] = [(&self.principal, Type::TEXT), (&self.session, Type::TEXT)];
        let rows = self.database.rows(statements::END, &params).await?;
        let end: Option<i64> =
            rows.first().map(|row| row.try_get(0)).transpose().map_err(PostgresError::Database)?;
        if end.is_none_or(|end| end < self.end) {
            return Err(StoreError::Unknown { session: self.id.clone() });
        }
        Ok(())
    }
}

impl PostgresRecords {
    async fn read(&mut self) -> Result<Vec<Record>, StoreError> {
        let ahead = match &mut self.ahead {
            Ahead::Reading(ahead) => ahead,
            Ahead::Failed(error) => return Err(error.clone()),
            Ahead::End => return Ok(Vec::new()),
        };
        match ahead.await.map_err(StoreError::other).and_then(|read| read) {
            Ok((records, rest)) => {
                let is_end = rest.after >= rest.end;
                self.ahead = if is_end { Ahead::End } else { Ahead::Reading(tokio::spawn(rest.read())) };
                Ok(records)
            }
            Err(error) => {
                self.ahead = Ahead::Failed(error.clone());
                Err(error)
            }
        }
    }
}

impl Records for PostgresRecords {
    fn next(&mut self) -> Pending<'_, Vec<Record>> {
        Box::pin(self.read())
    }
}

/// Ends the reading.
impl Drop for PostgresRecords {
    fn drop(&mut self) {
        if let Ahead::Reading(ahead) = &self.ahead {
            ahead.abort();
        }
    }
}
