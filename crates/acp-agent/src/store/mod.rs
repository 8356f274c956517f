#![doc = include_str!("store.md")]

mod block;
mod error;
mod history;
mod idle;
mod journal;
mod store_handle;
mod recorded_update;
mod record;
mod recorder;
mod replay;
mod byte_budget;
mod session_store;
mod unreadable;
mod writer;

pub use self::error::StoreError;
pub use self::history::History;
pub use self::journal::{Damage, DamageKind, Journal};
pub(crate) use self::store_handle::StoreHandle;
pub(crate) use self::recorded_update::RecordedUpdate;
pub use self::record::{Entry, Record, RecordKind};
pub(crate) use self::recorder::Recorder;
pub use self::session_store::{Pending, Records, SessionLog, SessionStore};
