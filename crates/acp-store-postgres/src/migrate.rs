//! The tables and their versions.

use acp_agent::store::StoreError;
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;

use crate::database::Database;
use crate::error::{Failure, PostgresError};
use crate::options::Options;

/// The version of the tables that this program makes.
const VERSION: i32 = 2;
/// The oldest version of the tables that this program takes.
const OLDEST_TABLES: i32 = 1;

/// A step from one version of the tables to the next.
struct Migration {
    version: i32,
    /// The oldest program that may use the tables after it, by the version of the tables that it
    /// makes.
    oldest_program: i32,
    /// Set if programs can do without it. A server that does not know it is left as it is.
    is_optional: bool,
    sql: &'static str,
}

const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        oldest_program: 1,
        is_optional: false,
        sql: include_str!("../migrations/0001_sessions.sql"),
    },
    Migration {
        version: 2,
        oldest_program: 1,
        is_optional: true,
        sql: include_str!("../migrations/0002_compression.sql"),
    },
];

/// A change of a table waits for statements that use it, such as those of a dump, and all others
/// wait behind it. So it gives up soon, and tries again later.
const LOCK_TIMEOUT: &str = "set local lock_timeout = '2s'";
/// Two programs that migrate wait for each other. The lock ends with the transaction.
const LOCK: &str = "select pg_advisory_xact_lock(4702111234474983745)";
const VERSIONS: &str =
    "create table if not exists acp_schema (version int not null, oldest_program int not null)";
const FOUND: &str = "select version, oldest_program from acp_schema";
const SETTINGS: &str = "select name from pg_catalog.pg_settings \
     where name in ('synchronous_commit', 'fsync') and setting = 'off' order by name";

/// Makes the tables for sessions, or brings them to the version of this program. Returns that
/// version. Everything is done in one transaction, or nothing.
///
/// The role of the URL owns the tables. The role of the agents needs no more than these rights:
///
/// ```sql
/// grant select on acp_schema to agent;
/// grant select, insert, update, delete on acp_session, acp_batch to agent;
/// ```
///
/// Agents of the version before and of this one may run at the same time, before and after it. If a
/// version of the tables does not allow that, older agents are refused with
/// [`PostgresError::NewerSchema`].
///
/// # Errors
/// The database is not available within [`Options::patience`], refuses a statement, or has tables
/// that are too new for this program.
pub async fn migrate(options: &Options) -> Result<u32, StoreError> {
    let database = Database::new(options)?;
    let mut patience = database.patience();
    loop {
        match run(&database).await {
            Ok(version) => return Ok(version.unsigned_abs()),
            Err(failure) => patience.again(failure).await?,
        }
    }
}

async fn run(database: &Database) -> Result<i32, Failure> {
    let mut client = database.client().await?;
    let transaction = client.transaction().await.map_err(Failure::of)?;
    let script = async |sql: &str| transaction.batch_execute(sql).await.map_err(Failure::of);
    script(LOCK).await?;
    script(LOCK_TIMEOUT).await?;
    script(VERSIONS).await?;
    let found = transaction.query_typed(FOUND, &[]).await.map_err(Failure::of)?;
    let version = match versions(&found) {
        Some(versions) => check_program(versions).map_err(Failure::Lasting)?,
        None => {
            script("insert into acp_schema (version, oldest_program) values (0, 0)").await?;
            0
        }
    };
    for migration in MIGRATIONS.iter().filter(|migration| migration.version > version) {
        if migration.is_optional {
            script("savepoint optional").await?;
        }
        match transaction.batch_execute(migration.sql).await {
            Err(error) if migration.is_optional && is_unknown(&error) => {
                script("rollback to savepoint optional").await?;
            }
            done => done.map_err(Failure::of)?,
        }
        let Migration { version, oldest_program, .. } = migration;
        script(&format!("update acp_schema set version = {version}, oldest_program = {oldest_program}"))
            .await?;
    }
    transaction.commit().await.map_err(Failure::of)?;
    Ok(version.max(VERSION))
}

/// Fails unless this program may use the tables, and the database keeps what it acknowledges.
pub(crate) async fn check(database: &Database) -> Result<(), StoreError> {
    let found = versions(&database.rows(FOUND, &[]).await?).ok_or(PostgresError::NotMigrated)?;
    let version = check_program(found)?;
    if version < OLDEST_TABLES {
        return Err(PostgresError::OlderSchema { found: version, oldest: OLDEST_TABLES }.into());
    }
    let off = database.rows(SETTINGS, &[]).await?;
    match off.first().map(|row| row.try_get(0)) {
        None => Ok(()),
        Some(Ok(setting)) => Err(PostgresError::NotDurable { setting }.into()),
        Some(Err(error)) => Err(PostgresError::Database(error).into()),
    }
}

/// Returns whether the server does not know what it was asked to do.
fn is_unknown(error: &tokio_postgres::Error) -> bool {
    let known = [SqlState::FEATURE_NOT_SUPPORTED, SqlState::SYNTAX_ERROR, SqlState::INVALID_PARAMETER_VALUE];
    error.code().is_some_and(|code| known.contains(code))
}

/// Returns the version of the tables and the oldest program that may use them.
fn versions(rows: &[Row]) -> Option<(i32, i32)> {
    let row = rows.first()?;
    Some((row.try_get(0).ok()?, row.try_get(1).ok()?))
}

/// Returns the version of the tables, if this program may use them.
const fn check_program((found, oldest_program): (i32, i32)) -> Result<i32, PostgresError> {
    if oldest_program > VERSION {
        return Err(PostgresError::NewerSchema { found, oldest_program, program: VERSION });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_are_in_order_and_lead_to_the_version_of_the_program() {
        let versions: Vec<i32> = MIGRATIONS.iter().map(|migration| migration.version).collect();
        assert_eq!(versions, (1..=VERSION).collect::<Vec<_>>());
        assert!(MIGRATIONS.iter().all(|migration| migration.oldest_program <= migration.version));
    }

    #[test]
    fn older_programs_are_refused_only_if_the_tables_say_so() {
        assert!(matches!(check_program((9, VERSION)), Ok(9)));
        let refused = check_program((9, VERSION + 1));
        assert!(matches!(refused, Err(PostgresError::NewerSchema { found: 9, program: VERSION, .. })));
    }
}
