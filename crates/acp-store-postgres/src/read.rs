//! Reading the records of a session.

use acp_agent::store::{Pending, Record, Records, StoreError};
use tokio_postgres::types::Type;

use crate::batch;
use crate::database::{Database, Param};
use crate::error::PostgresError;
use crate::statements;

/// The most rows and bytes of a statement that reads. A row that is longer comes alone.
const ROWS: i64 = 64;
const BYTES: i64 = 1024 * 1024;

/// The records of a session up to the change that was the last one when it was read.
pub(crate) struct PostgresRecords {
    pub(crate) database: Database,
    pub(crate) principal: String,
    pub(crate) session: String,
    /// The last row that was read.
    pub(crate) after: i64,
    pub(crate) end: i64,
}

impl PostgresRecords {
    async fn read(&mut self) -> Result<Vec<Record>, StoreError> {
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
                self.after = self.end;
            }
            for row in rows {
                self.after = row.try_get(0).map_err(PostgresError::Database)?;
                batch::read(row.try_get(1).map_err(PostgresError::Database)?, &mut records)?;
            }
        }
        Ok(records)
    }
}

impl Records for PostgresRecords {
    fn next(&mut self) -> Pending<'_, Vec<Record>> {
        Box::pin(self.read())
    }
}
