//! Options of a store.

use std::fmt;
use std::time::Duration;

use tokio_postgres::Config;

use crate::error::PostgresError;

/// The database, and the limits of a [`PostgresStore`](crate::PostgresStore).
///
/// ```
/// use std::time::Duration;
///
/// use acp_store_postgres::Options;
///
/// let options = Options::new("postgresql://agent@db.example/sessions")?
///     .connections(16)
///     .patience(Duration::from_secs(10));
/// # Ok::<(), acp_store_postgres::PostgresError>(())
/// ```
#[derive(Clone)]
pub struct Options {
    pub(crate) config: Config,
    pub(crate) connections: usize,
    pub(crate) lease: Duration,
    pub(crate) patience: Duration,
    pub(crate) attempt: Duration,
    pub(crate) page_size: usize,
    pub(crate) prepares: bool,
    #[cfg(feature = "tls-rustls")]
    pub(crate) roots: crate::tls::Roots,
}

impl Options {
    /// Takes the URL of a database, `postgresql://user:password@host:port/name`, or a string of
    /// `key=value` pairs. Several hosts are tried in turn; `target_session_attrs=read-write` takes
    /// the primary of them.
    ///
    /// # Errors
    /// [`PostgresError::Url`] if it cannot be read.
    pub fn new(url: &str) -> Result<Self, PostgresError> {
        Ok(Self::from_config(url.parse().map_err(PostgresError::Url)?))
    }

    /// Takes a database as the crate `tokio-postgres` describes it.
    #[must_use]
    pub fn from_config(config: Config) -> Self {
        Options {
            config,
            connections: 8,
            lease: Duration::from_secs(30),
            patience: Duration::from_secs(20),
            attempt: Duration::from_secs(5),
            page_size: 50,
            prepares: false,
            #[cfg(feature = "tls-rustls")]
            roots: crate::tls::Roots::default(),
        }
    }

    /// Trusts these certificates of authorities, as PEM, and no others. By default it trusts those
    /// that the operating system trusts.
    ///
    /// TLS checks the name of the host in every `sslmode` that uses it. `sslmode=require` in the
    /// URL refuses a server without TLS.
    ///
    /// # Errors
    /// [`PostgresError::Tls`] if the text has no certificate.
    #[cfg(feature = "tls-rustls")]
    pub fn root_certificates(mut self, pem: impl AsRef<[u8]>) -> Result<Self, PostgresError> {
        self.roots = crate::tls::Roots::of_pem(pem.as_ref())?;
        Ok(self)
    }

    /// Sets the most connections to the database. Default 8, at least 1. Sessions share them: each
    /// has one only during a statement.
    #[must_use]
    pub fn connections(mut self, count: usize) -> Self {
        self.connections = count.max(1);
        self
    }

    /// Sets the time after which another process may open a session whose process has died. Default
    /// 30 seconds, at least 1 second, at most a day. The lease is prolonged three times in it.
    #[must_use]
    pub fn lease(mut self, time: Duration) -> Self {
        self.lease = time.clamp(Duration::from_secs(1), Duration::from_secs(86_400));
        self
    }

    /// Sets the time that each operation tries for while the database is not available. After that
    /// it fails with [`StoreError::Unavailable`](acp_agent::store::StoreError::Unavailable).
    /// Default 20 seconds.
    #[must_use]
    pub const fn patience(mut self, time: Duration) -> Self {
        self.patience = time;
        self
    }

    /// Sets the time after which an attempt is given up and made again on another connection. One
    /// that sends many bytes has a second more for every 4 MiB, and a read that took too long has
    /// twice the time the next time. Default 5 seconds, at least 10 milliseconds.
    #[must_use]
    pub fn attempt(mut self, time: Duration) -> Self {
        self.attempt = time.max(Duration::from_millis(10));
        self
    }

    /// Sets the number of sessions on a page of a list. Default 50, at least 1.
    #[must_use]
    pub fn page_size(mut self, sessions: usize) -> Self {
        self.page_size = sessions.clamp(1, 10_000);
        self
    }

    /// Sets whether each connection prepares a statement once and then uses it again. The database
    /// then neither parses nor plans an append, which for large ones is a good part of its work.
    ///
    /// Set it if each connection is one to the database itself, or to a pooler that knows prepared
    /// statements, such as pgbouncer from 1.21 on with `max_prepared_statements`. Behind any other
    /// pooler of transactions, statements of several programs meet under the same names. Default
    /// false, which goes with every pooler.
    #[must_use]
    pub const fn prepared_statements(mut self, prepares: bool) -> Self {
        self.prepares = prepares;
        self
    }
}

/// Shows no password.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("hosts", &self.config.get_hosts())
            .field("connections", &self.connections)
            .field("lease", &self.lease)
            .field("patience", &self.patience)
            .field("attempt", &self.attempt)
            .field("page_size", &self.page_size)
            .field("prepared_statements", &self.prepares)
            .finish_non_exhaustive()
    }
}
