#![doc = include_str!("lib.md")]

mod connection;
mod core;
pub mod layer;
mod peer;
mod service;
pub mod tap;
pub mod trace;
pub mod transport;
mod wire;

pub use tokio_util::sync::CancellationToken;

pub use crate::connection::driver::{Driver, connect};
pub use crate::connection::flush_barrier::Hold;
pub use crate::connection::options::{Noise, Options};
pub use crate::core::endpoint;
pub use crate::core::error::{CallError, CloseReason, Exit};
pub use crate::core::fault::{Fault, Origin};
pub use crate::peer::Peer;
pub use crate::peer::call::Pending;
pub use crate::service::{BoxFuture, Delivery, Encode, EncodeError, LaneKey, Reply, Request, Service, Task};
pub use crate::tap::{Direction, Kind, Tap, Traffic};
pub use crate::transport::Transport;
#[cfg(feature = "process")]
pub use crate::transport::command::Command;
#[cfg(feature = "process")]
pub use crate::transport::process::Child;
#[cfg(feature = "process")]
pub use crate::transport::run::{Output, Running};
pub use crate::wire::codec;
pub use crate::wire::message::{Answer, Error, Id, Message, NotJson};
