//! The operations: one marker type for each.

use std::fmt;
use std::marker::PhantomData;

use acp_json::{FromNode, Node};
use acp_types::method;
use acp_types::v1::{InitializeRequest, InitializeResponse};
use acp_types::{Meta, Value};
use serde_core::Serialize;

pub use crate::generated::op::*;

/// Something that an agent can be asked: a marker type without values stands for each.
///
/// `#[agent]` finds the marker by the name of the function; [`Router::on`](crate::Router::on) is given it.
pub trait Op: Sized + Send + Sync + 'static {
    /// The name of the function that answers it in an `#[agent]` block.
    const NAME: &'static str;
    /// The protocol method.
    const METHOD: &'static str;
    /// What it is asked with.
    type Params: FromNode + Clone + Send + Sync + 'static;
    /// What it is answered with on the wire; `()` for notifications.
    type Response: Serialize + Send + 'static;
    /// Whether it is a method of the agent's own, whose name starts with `_`.
    const IS_OWN: bool = false;

    /// The `_meta` of the params.
    fn meta(params: &Self::Params) -> Option<&Meta>;

    /// What a request without params is asked with: an object without members (rule `v1-rpc-10`).
    #[must_use]
    fn no_params() -> Node<'static> {
        Node::Map(Vec::new())
    }
}

/// `initialize`, which the library answers. Handlers meet it in the hook `auth_methods`.
#[derive(Debug)]
pub enum Initialize {}

impl Op for Initialize {
    const NAME: &'static str = "auth_methods";
    const METHOD: &'static str = "initialize";
    type Params = InitializeRequest;
    type Response = InitializeResponse;

    fn meta(params: &Self::Params) -> Option<&Meta> {
        params.meta.as_ref()
    }
}

/// A request or notification of the agent's own, whose method starts with `_`.
#[derive(Debug)]
pub enum Extension {}

impl Op for Extension {
    const NAME: &'static str = "ext";
    const METHOD: &'static str = "_";
    type Params = Value;
    type Response = Value;
    const IS_OWN: bool = true;

    fn meta(_: &Self::Params) -> Option<&Meta> {
        None
    }

    /// Of these, nothing is assumed.
    fn no_params() -> Node<'static> {
        Node::Null
    }
}

/// A request of one's own that has a marker `M` with its name and its types, such as `cargo xtask codegen --schema`
/// of the repository writes from a schema. A handler takes the params of `M` and returns its response.
///
/// ```
/// use acp_agent::types::{PlanEntry, UsageUpdate};
/// use acp_agent::{Result, StopReason, agent};
///
/// enum CountEntries {}
///
/// impl acp_agent::method::Method for CountEntries {
///     const NAME: &'static str = "_acme.dev/count";
///     const HANDLER: acp_agent::method::Side = acp_agent::method::Side::Agent;
///     type Params = PlanEntry;
/// }
///
/// impl acp_agent::method::Request for CountEntries {
///     type Response = UsageUpdate;
/// }
///
/// struct Counter;
///
/// #[agent]
/// impl Counter {
///     async fn prompt(&self) -> Result<StopReason> {
///         Ok(StopReason::EndTurn)
///     }
///
///     #[on(CountEntries)]
///     async fn count(&self, entry: PlanEntry) -> Result<UsageUpdate> {
///         Ok(UsageUpdate::new(entry.content.len() as u64, 100_u64))
///     }
/// }
/// ```
pub struct Request<M>(PhantomData<fn() -> M>);

/// A notification of one's own that has a marker `M` with its name and its type. A handler takes the params of `M`.
pub struct Notification<M>(PhantomData<fn() -> M>);

impl<M> Op for Request<M>
where
    M: method::Request<Params: Clone + Sync> + 'static,
{
    const NAME: &'static str = "on";
    const METHOD: &'static str = M::NAME;
    const IS_OWN: bool = true;
    type Params = M::Params;
    type Response = M::Response;

    fn meta(_: &Self::Params) -> Option<&Meta> {
        None
    }
}

impl<M> Op for Notification<M>
where
    M: method::Notification<Params: Clone + Sync> + 'static,
{
    const NAME: &'static str = "on";
    const METHOD: &'static str = M::NAME;
    const IS_OWN: bool = true;
    type Params = M::Params;
    type Response = ();

    fn meta(_: &Self::Params) -> Option<&Meta> {
        None
    }
}

impl<M> fmt::Debug for Request<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Request")
    }
}

impl<M> fmt::Debug for Notification<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Notification")
    }
}
