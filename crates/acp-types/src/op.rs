//! Operations: methods as the functions of an agent or a client handle them.
//!
//! `acp-agent` and `acp-client` have a marker for each method that their side handles. For methods
//! that the protocol does not have, they re-export the items here.

use std::fmt;
use std::marker::PhantomData;

use acp_json::{FromNode, Node, Value};
use serde_core::Serialize;

use crate::Meta;
use crate::method;

/// A request or notification that one side handles. A marker type without values stands for each.
///
/// `#[agent]` and `#[client]` find the marker by the name of the function. The method `on` of a
/// `Router` takes it.
pub trait Op: Sized + Send + Sync + 'static {
    /// The name of the function in an `#[agent]` or `#[client]` block.
    const NAME: &'static str;
    /// The protocol method.
    const METHOD: &'static str;
    /// The params.
    type Params: FromNode + Clone + Send + Sync + 'static;
    /// The result on the wire; `()` for notifications.
    type Response: Serialize + Send + 'static;
    /// True for an extension, a method whose name starts with `_`.
    const IS_OWN: bool = false;

    /// Returns the `_meta` of the params.
    fn meta(params: &Self::Params) -> Option<&Meta>;

    /// Returns the params of a request that came without params: [an object without
    /// members](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-rpc-10).
    #[must_use]
    fn no_params() -> Node<'static> {
        Node::Map(Vec::new())
    }
}

/// An extension, a request or notification whose method starts with `_`.
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

    /// Nothing is assumed about the params of an extension.
    fn no_params() -> Node<'static> {
        Node::Null
    }
}

/// An extension request with a marker `M`, which has its name and its types. `cargo xtask codegen
/// --schema` of the repository writes such markers from a schema. A handler takes the params of `M`
/// and returns its response.
pub struct Request<M>(PhantomData<fn() -> M>);

/// An extension notification with a marker `M`, which has its name and its type. A handler takes
/// the params of `M`.
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

/// Checks the name of an extension. In an `#[agent]` or `#[client]` block the check runs while the
/// block is compiled.
///
/// # Panics
/// Panics if the name does not start with `_`.
#[track_caller]
pub const fn assert_own(method: &str) {
    assert!(
        method::check_extension(method).is_ok(),
        "the name of an extension method starts with `_`: all others belong to the protocol"
    );
}
