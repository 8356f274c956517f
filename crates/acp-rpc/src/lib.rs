#![doc = include_str!("lib.md")]

mod budget;
pub mod codec;
mod dispatch;
mod driver;
mod encode;
pub mod endpoint;
mod envelope;
mod error;
mod fault;
mod lane;
mod message;
mod options;
mod peer;
mod pump;
mod service;
mod tap;
mod task;
pub mod transport;
mod waiter;
mod writer;

pub use tokio_util::sync::CancellationToken;

pub use crate::driver::{Driver, connect};
pub use crate::error::{CallError, CloseReason, Exit};
pub use crate::fault::{Fault, Origin};
pub use crate::message::{Answer, Error, Id, Message, NotJson};
pub use crate::options::{Noise, Options};
pub use crate::peer::Peer;
pub use crate::service::{BoxFuture, Delivery, LaneKey, Reply, Request, Service, Task};
pub use crate::tap::{Direction, Kind, Tap, Traffic};
pub use crate::transport::Transport;
pub use crate::transport::process::{Child, Command};
