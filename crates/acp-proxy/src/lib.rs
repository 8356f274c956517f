#![doc = include_str!("lib.md")]

mod audit;
mod bridge;
mod chain;
mod conductor;
mod flow;
#[cfg(all(doc, not(doctest)))]
#[doc = include_str!("../GUIDE.md")]
pub mod guide {}
mod lane;
mod link;
mod policy;
mod proxy;
mod shim;
mod wire;

pub use crate::audit::{Audit, AuditError, Verified};
pub use crate::bridge::McpBridge;
pub use crate::chain::{Component, Failure, Kind, Policy};
pub use crate::conductor::{ConductError, Conductor};
pub use crate::flow::json::Json;
pub use crate::flow::reply::Reply;
pub use crate::flow::route::Toward;
pub use crate::policy::{Rule, Rules, Verdict};
pub use crate::proxy::{McpCall, Neighbor, Next, Observed, OverBudget, Pass, Proxy, UpdateError};
pub use crate::shim::{ShimError, shim_main};
pub use crate::wire::spelling::Spelling;
pub use acp_rpc::{Command, EncodeError, Error as RpcError, Source, Transport};
/// The messages of the vocabulary, as [`acp_types`] has them.
pub use acp_types::v1 as types;

#[doc = include_str!("proxy.md")]
pub use acp_macros::proxy;

#[doc(hidden)]
pub use crate::proxy::served as __served;

/// The page about proxies. Every piece of code in it is compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/PROXIES.md")]
mod page {}
