//! The operations: one marker type for each.

use std::fmt;
use std::marker::PhantomData;

use acp_json::FromNode;
use acp_types::v1::SessionId;
use acp_types::{Meta, Value, method};
use serde_core::Serialize;

pub use crate::generated::op::*;

/// Something that a client can be asked or told: a marker type without values stands for each.
///
/// `#[client]` finds the marker by the name of the function; [`Router::on`](crate::Router::on) is given it.
pub trait Op: Sized + Send + Sync + 'static {
    /// The name of the function that answers it in a `#[client]` block.
    const NAME: &'static str;
    /// The protocol method.
    const METHOD: &'static str;
    /// What it is asked with.
    type Params: FromNode + Clone + Send + Sync + 'static;
    /// What it is answered with on the wire; `()` for notifications.
    type Response: Serialize + Send + 'static;
    /// Whether it is a method of one's own, whose name starts with `_`.
    const IS_OWN: bool = false;

    /// The `_meta` of the params.
    fn meta(params: &Self::Params) -> Option<&Meta>;
}

/// An operation whose params name a session.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names no session",
    label = "there is no session here",
    note = "`SessionId` is an argument of operations of a session, such as `update` and `read_text_file`"
)]
pub trait OnSession: Op {
    /// The session.
    fn session(params: &Self::Params) -> &SessionId;
}

/// A request or notification of one's own, whose method starts with `_`.
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
}

/// A request of one's own that has a marker `M` with its name and its types, such as `cargo xtask codegen --schema`
/// of the repository writes from a schema. A handler takes the params of `M` and returns its response.
///
/// ```
/// use acp_client::v1::{PlanEntry, UsageUpdate};
/// use acp_client::{Result, client};
///
/// enum CountEntries {}
///
/// impl acp_client::method::Method for CountEntries {
///     const NAME: &'static str = "_acme.dev/count";
///     const HANDLER: acp_client::method::Side = acp_client::method::Side::Client;
///     type Params = PlanEntry;
/// }
///
/// impl acp_client::method::Request for CountEntries {
///     type Response = UsageUpdate;
/// }
///
/// struct Counter;
///
/// #[client]
/// impl Counter {
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

/// Holds the name of a method of one's own against the rule; in a `#[client]` block while it is compiled.
///
/// # Panics
/// The name does not start with `_`.
pub const fn assert_own(method: &str) {
    assert!(
        matches!(method.as_bytes(), [b'_', ..]),
        "the name of a method of one's own starts with `_`: all others belong to the protocol"
    );
}
