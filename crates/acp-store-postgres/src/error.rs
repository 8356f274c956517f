//! Errors of the database, and which of them pass.

use std::fmt;

use acp_agent::store::StoreError;
use tokio_postgres::error::SqlState;

/// An error of a [`PostgresStore`](crate::PostgresStore) that does not pass by itself. It is the
/// content of a [`StoreError::Other`].
///
/// Errors that may pass become [`StoreError::Unavailable`] once the store has waited long enough.
#[derive(Debug)]
#[non_exhaustive]
pub enum PostgresError {
    /// The URL of the database cannot be used.
    Url(tokio_postgres::Error),
    /// The tables do not exist. A role that may create them has to call
    /// [`migrate`](crate::migrate).
    NotMigrated,
    /// The tables are of an older version than this program takes. Call
    /// [`migrate`](crate::migrate) first.
    OlderSchema {
        /// The version of the tables.
        found: i32,
        /// The oldest version that this program takes.
        oldest: i32,
    },
    /// The tables are of a newer version, which programs as old as this one must not use.
    NewerSchema {
        /// The version of the tables.
        found: i32,
        /// The oldest program that may use them.
        oldest_program: i32,
        /// The version of this program.
        program: i32,
    },
    /// The database does not wait for its disk: `synchronous_commit` or `fsync` is off. A commit
    /// that it acknowledges could be lost.
    NotDurable {
        /// The name of the setting.
        setting: String,
    },
    /// A row is not of the form in which this crate writes it.
    Damaged {
        /// The name of the column.
        column: &'static str,
    },
    /// The TLS library has no certificates, or no cryptography, or it refuses the database: its
    /// certificate is not that of the host, or comes from an authority that is not trusted.
    Tls(String),
    /// The database refuses a statement for good.
    Database(tokio_postgres::Error),
}

impl fmt::Display for PostgresError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PostgresError::Url(error) => write!(f, "the URL of the database: {}", Shown(error)),
            PostgresError::NotMigrated => f.write_str(
                "the database has no tables for sessions: call `acp_store_postgres::migrate` first",
            ),
            PostgresError::OlderSchema { found, oldest } => write!(
                f,
                "the tables for sessions have version {found}, and this program takes {oldest} and later ones: \
                 call `acp_store_postgres::migrate` first",
            ),
            PostgresError::NewerSchema { found, oldest_program, program } => write!(
                f,
                "the tables for sessions have version {found}, which programs from version {oldest_program} on \
                 may use, and this one has {program}: update this program",
            ),
            PostgresError::NotDurable { setting } => write!(
                f,
                "the database does not wait for its disk: switch `{setting}` on for the role of the agent",
            ),
            PostgresError::Damaged { column } => {
                write!(f, "a row has a value in `{column}` that is not ours")
            }
            PostgresError::Tls(reason) => write!(f, "TLS to the database: {reason}"),
            PostgresError::Database(error) => write!(f, "the database: {}", Shown(error)),
        }
    }
}

impl std::error::Error for PostgresError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PostgresError::Url(error) | PostgresError::Database(error) => Some(error),
            _ => None,
        }
    }
}

impl From<PostgresError> for StoreError {
    fn from(error: PostgresError) -> Self {
        StoreError::other(error)
    }
}

/// Shows an error of the database with its reason, and without the values of a row, which are a
/// user's.
pub(crate) struct Shown<'e>(pub(crate) &'e tokio_postgres::Error);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(error) = self.0.as_db_error() {
            return write!(f, "{} ({})", error.message(), error.code().code());
        }
        self.0.fmt(f)?;
        match std::error::Error::source(self.0) {
            Some(reason) => write!(f, ": {reason}"),
            None => Ok(()),
        }
    }
}

/// The reason why an attempt has failed that may succeed later.
#[derive(Debug)]
pub(crate) enum Passing {
    /// Its time was over.
    Late,
    Other(String),
}

impl fmt::Display for Passing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Passing::Late => "a statement took too long",
            Passing::Other(reason) => reason,
        })
    }
}

impl std::error::Error for Passing {}

/// The failure of one attempt.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It may succeed later. The statement may have been carried out.
    Passing(Passing),
    Lasting(PostgresError),
}

/// The failure of something that no database can mend.
impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Passing(reason) => StoreError::other(reason),
            Failure::Lasting(error) => error.into(),
        }
    }
}

impl Failure {
    /// Returns true if the database has refused the statement for good, and so has not carried it
    /// out.
    pub(crate) fn is_answer(&self) -> bool {
        match self {
            Failure::Passing(_) => false,
            Failure::Lasting(PostgresError::Database(error)) => error.as_db_error().is_some(),
            Failure::Lasting(error) => matches!(error, PostgresError::NotMigrated),
        }
    }

    pub(crate) fn of(error: tokio_postgres::Error) -> Self {
        #[cfg(feature = "tls-rustls")]
        if let Some(refused) = crate::tls::refusal(&error) {
            return Failure::Lasting(refused);
        }
        if passes(&error) {
            return Failure::Passing(Passing::Other(Shown(&error).to_string()));
        }
        let is_without_tables = error.code() == Some(&SqlState::UNDEFINED_TABLE);
        Failure::Lasting(if is_without_tables {
            PostgresError::NotMigrated
        } else {
            PostgresError::Database(error)
        })
    }
}

/// Returns whether an attempt may succeed later, on another connection or another server.
fn passes(error: &tokio_postgres::Error) -> bool {
    let Some(code) = error.code() else {
        // The connection, not the statement. Values that do not fit their types are our fault.
        return error.is_closed()
            || std::error::Error::source(error).is_some_and(|source| source.is::<std::io::Error>());
    };
    // Connections, resources, the operator (a shutdown, a statement timeout), and rollbacks.
    let class = code.code().get(..2).unwrap_or_default();
    matches!(class, "08" | "53" | "57" | "40")
        || *code == SqlState::READ_ONLY_SQL_TRANSACTION
        || *code == SqlState::LOCK_NOT_AVAILABLE
        // The database has forgotten a prepared statement. A new connection prepares it again.
        || *code == SqlState::INVALID_SQL_STATEMENT_NAME
}
