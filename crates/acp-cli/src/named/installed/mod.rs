//! Agents that `acp agents` has installed: lists, the lock file, downloads and archives.

pub(crate) mod answered;
mod download;
mod entry;
pub(crate) mod error;
pub(crate) mod guard;
pub(crate) mod home;
pub(crate) mod install;
pub(crate) mod list;
#[cfg(unix)]
pub(crate) mod listener;
pub(crate) mod lock;
pub(crate) mod start;
mod unpack;
pub(crate) mod way;
