//! The database: statements on pooled connections, within the time that an operation has.

use std::time::Duration;

use acp_agent::store::StoreError;
use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime,
};
use tokio::time::{Instant, sleep, timeout};
#[cfg(feature = "tls-rustls")]
use tokio_postgres::config::Host;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Config, NoTls, Row};

use crate::error::{Failure, Passing, PostgresError};
use crate::options::Options;

/// The first wait between two attempts. Each further one is twice as long, up to the last.
const FIRST_WAIT: Duration = Duration::from_millis(20);
const LAST_WAIT: Duration = Duration::from_secs(1);

/// An attempt has a millisecond more for so many bytes that it sends: 4 MiB in a second.
const BYTES_IN_A_MILLISECOND: u64 = 4 * 1024;

/// Makes a process of the server keep its memory. The C library gives the memory of a large append
/// back to the system after it, and takes it again page by page for the next one, which costs as
/// much as the append. It does so beyond twice the largest piece that was ever given back.
const KEEPING: &str = "select octet_length(repeat('x', 8388608))";

/// A parameter of a statement with its type. The type goes along, so that nothing has to be
/// prepared: a pooler may give each transaction to another connection.
pub(crate) type Param<'p> = (&'p (dyn ToSql + Sync), Type);

/// A pool of connections to the database.
#[derive(Clone, Debug)]
pub(crate) struct Database {
    pool: Pool,
    attempt: Duration,
    patience: Duration,
    prepares: bool,
}

impl Database {
    pub(crate) fn new(options: &Options) -> Result<Self, PostgresError> {
        let mut config = options.config.clone();
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(options.attempt);
        }
        #[cfg(feature = "tls-rustls")]
        let manager = manager(config, &options.roots)?;
        #[cfg(not(feature = "tls-rustls"))]
        let manager = manager(config);
        let pool = Pool::builder(manager).max_size(options.connections).runtime(Runtime::Tokio1);
        let pool = pool.post_create(Hook::async_fn(|client, _| {
            Box::pin(async { client.batch_execute(KEEPING).await.map_err(HookError::Backend) })
        }));
        let pool = pool.build().map_err(|error| PostgresError::Tls(error.to_string()))?;
        let Options { attempt, patience, prepares, .. } = *options;
        Ok(Database { pool, attempt, patience, prepares })
    }

    /// Returns the time that an operation has from now on.
    pub(crate) fn patience(&self) -> Patience {
        Patience { started: Instant::now(), limit: self.patience, wait: FIRST_WAIT }
    }

    /// Carries out one statement, again and again until the patience ends. It must do no harm if it
    /// is carried out twice. An attempt after one that took too long has twice the time: the rows
    /// may be long, or the way slow.
    pub(crate) async fn rows(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, StoreError> {
        let (mut patience, mut more) = (self.patience(), Duration::ZERO);
        loop {
            let failure = match self.try_within(sql, params, more).await {
                Ok(rows) => return Ok(rows),
                Err(failure) => failure,
            };
            if matches!(failure, Failure::Passing(Passing::Late)) {
                more = more.saturating_mul(2).saturating_add(self.attempt);
            }
            patience.again(failure).await?;
        }
    }

    /// Returns a connection, once one is free.
    pub(crate) async fn client(&self) -> Result<Object, Failure> {
        match timeout(self.attempt, self.pool.get()).await {
            Ok(Ok(client)) => Ok(client),
            Ok(Err(PoolError::Backend(error))) => Err(Failure::of(error)),
            Ok(Err(error)) => Err(Failure::Passing(Passing::Other(error.to_string()))),
            Err(_) => Err(Failure::Passing(Passing::Other("no connection is free".to_owned()))),
        }
    }

    /// Carries out one statement, in one attempt.
    pub(crate) async fn try_rows(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, Failure> {
        self.try_within(sql, params, Duration::ZERO).await
    }

    /// Carries out one statement with so many bytes of parameters, in one attempt.
    pub(crate) async fn try_long(
        &self,
        sql: &str,
        params: &[Param<'_>],
        bytes: usize,
    ) -> Result<Vec<Row>, Failure> {
        self.try_within(sql, params, Duration::from_millis(bytes as u64 / BYTES_IN_A_MILLISECOND)).await
    }

    /// Carries out one statement, in one attempt that has so much more time than others.
    async fn try_within(&self, sql: &str, params: &[Param<'_>], more: Duration) -> Result<Vec<Row>, Failure> {
        let started = Instant::now();
        let client = self.client().await?;
        let rest = self.attempt.saturating_sub(started.elapsed()).max(self.attempt / 4).saturating_add(more);
        let outcome = match timeout(rest, self.query(&client, sql, params)).await {
            Ok(outcome) => outcome.map_err(Failure::of),
            Err(_) => Err(Failure::Passing(Passing::Late)),
        };
        if let Err(Failure::Passing(_)) = outcome {
            // It may be that of a server which is read-only now, or in the middle of an answer.
            drop(Object::take(client));
        }
        outcome
    }

    async fn query(
        &self,
        client: &Object,
        sql: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        if !self.prepares {
            return client.query_typed(sql, params).await;
        }
        let types: Vec<Type> = params.iter().map(|(_, of)| of.clone()).collect();
        let statement = client.prepare_typed_cached(sql, &types).await?;
        let values: Vec<&(dyn ToSql + Sync)> = params.iter().map(|(value, _)| *value).collect();
        client.query(&statement, &values).await
    }
}

const RECYCLING: ManagerConfig = ManagerConfig { recycling_method: RecyclingMethod::Fast };

#[cfg(feature = "tls-rustls")]
fn manager(config: Config, roots: &crate::tls::Roots) -> Result<Manager, PostgresError> {
    // Sockets of this machine have no TLS, and no name that a certificate could have.
    if config.get_hosts().is_empty() || !config.get_hosts().iter().all(is_socket) {
        return Ok(Manager::from_config(config, roots.connector()?, RECYCLING));
    }
    Ok(Manager::from_config(config, NoTls, RECYCLING))
}

#[cfg(not(feature = "tls-rustls"))]
fn manager(config: Config) -> Manager {
    Manager::from_config(config, NoTls, RECYCLING)
}

#[cfg(feature = "tls-rustls")]
const fn is_socket(host: &Host) -> bool {
    match host {
        Host::Tcp(_) => false,
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// The time that an operation has.
pub(crate) struct Patience {
    started: Instant,
    limit: Duration,
    wait: Duration,
}

impl Patience {
    /// Waits until the next attempt.
    ///
    /// # Errors
    /// The failure is a lasting one, or the time is over.
    pub(crate) async fn again(&mut self, failure: Failure) -> Result<(), StoreError> {
        let reason = match failure {
            Failure::Passing(reason) => reason,
            Failure::Lasting(error) => return Err(error.into()),
        };
        let waited = self.started.elapsed();
        if waited + self.wait > self.limit {
            return Err(StoreError::Unavailable { waited, reason: std::sync::Arc::new(reason) });
        }
        sleep(self.wait).await;
        self.wait = (self.wait * 2).min(LAST_WAIT);
        Ok(())
    }
}
