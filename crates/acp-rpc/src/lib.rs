#![doc = include_str!("lib.md")]

mod budget;
mod call;
pub mod codec;
mod dispatch;
mod driver;
mod encode;
pub mod endpoint;
mod envelope;
mod error;
mod fault;
mod head;
mod hold;
mod idle;
mod lane;
pub mod layer;
mod message;
mod options;
mod peer;
mod pump;
mod reading;
mod reason;
mod service;
mod share;
mod shared;
pub mod tap;
mod task;
pub mod trace;
pub mod transport;
mod waiter;
mod weight;
mod writer;

#[cfg(feature = "process")]
pub use acp_process::{Child, Command, Exit, Output, Running};
pub use tokio_util::sync::CancellationToken;

pub use crate::call::Pending;
pub use crate::driver::{Driver, connect};
pub use crate::error::{CallError, CloseReason};
pub use crate::fault::{Fault, Origin};
pub use crate::hold::Hold;
pub use crate::message::{Answer, Error, Id, Message, NotJson};
pub use crate::options::{Noise, Options};
pub use crate::peer::Peer;
pub use crate::service::{BoxFuture, Delivery, Encode, EncodeError, LaneKey, Reply, Request, Service, Task};
pub use crate::tap::{Direction, Kind, Tap, Traffic};
pub use crate::transport::Transport;
