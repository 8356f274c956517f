#![doc = include_str!("../README.md")]

mod copy;
mod database;
mod error;
mod lease;
mod leases;
mod list;
mod log;
mod migrate;
mod options;
mod read;

mod rows;
mod statements;
mod store;
#[cfg(feature = "tls-rustls")]
mod tls;

pub use self::copy::{Copied, copy};
pub use self::error::PostgresError;
pub use self::migrate::migrate;
pub use self::options::Options;
pub use self::store::PostgresStore;
