#![doc = include_str!("lib.md")]

mod connection;
mod core;
pub mod layer;
pub mod lines;
mod peer;
mod service;
pub mod tap;
pub mod trace;
pub mod transport;
mod wire;

#[cfg(feature = "process")]
pub use acp_process::{Child, Command, Exit, Output, Running};
pub use tokio_util::sync::CancellationToken;

pub use crate::connection::driver::{Driver, connect};
pub use crate::connection::flush_barrier::FlushBarrier;
pub use crate::connection::options::Options;
pub use crate::core::endpoint;
pub use crate::core::error::{CallError, CloseReason};
pub use crate::core::fault::{Fault, Origin};
pub use crate::core::job::{BoxFuture, LaneKey};
pub use crate::peer::Peer;
pub use crate::peer::call::Pending;
pub use crate::service::Service;
pub use crate::service::delivery::Delivery;
pub use crate::service::reply::{Reply, Task};
pub use crate::service::request::Request;
pub use crate::tap::{Direction, Kind, Tap, Traffic};
pub use crate::transport::{Source, Transport, TransportParts};
pub use crate::wire::codec;
pub use crate::wire::encode::{Encode, EncodeError, encode_str};
pub use crate::wire::message::{Answer, Error, Id, Message, NotJson};
pub use crate::wire::reading::Noise;
