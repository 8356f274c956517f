#![doc = include_str!("store.md")]

mod block;
mod error;
mod history;
mod idle;
mod journal;
mod keeper;
mod kept;
mod record;
mod recorder;
mod replay;
mod room;
mod session_store;
mod unreadable;
mod writer;

pub use self::error::StoreError;
pub use self::history::History;
pub use self::journal::{Damage, DamageKind, Journal};
pub(crate) use self::keeper::Keeper;
pub(crate) use self::kept::Kept;
pub use self::record::{Entry, Record, RecordKind};
pub(crate) use self::recorder::Recorder;
pub use self::session_store::{Pending, Records, SessionLog, SessionStore};
