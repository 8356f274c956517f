//! Sessions that are kept.
#![cfg_attr(feature = "store", doc = "", doc = include_str!("store.md"))]

mod block;
mod byte_budget;
mod error;
mod history;
mod idle;
#[cfg(feature = "store")]
mod journal;
mod keeps;
mod memory;
mod record;
mod recorded_update;
mod recorder;
mod replay;
mod session_store;
mod state;
mod store_handle;
mod timestamp;
mod unreadable;
mod writer;

pub use acp_types::v1::ext::StoreProblem;

pub use self::error::StoreError;
pub use self::history::History;
#[cfg(feature = "store")]
pub use self::journal::{Damage, DamageKind, Journal};
pub use self::memory::MemoryStore;
pub use self::record::{Entry, Record, RecordKind};
pub(crate) use self::recorded_update::RecordedUpdate;
pub(crate) use self::recorder::Recorder;
pub use self::session_store::{Loss, Pending, Records, SessionLog, SessionStore};
pub use self::state::SAVED_LIMIT;
pub(crate) use self::state::{StoredState, saved_json};
pub(crate) use self::store_handle::StoreHandle;
pub(crate) use crate::wire::record::write_settings as settings_json;
