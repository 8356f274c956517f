//! Operations: methods as the functions of an agent or a client handle them.
//!
//! `acp-agent` and `acp-client` have a marker for each method that their side handles, and re-export what is here for
//! the methods that the protocol does not have.

use std::fmt;
use std::marker::PhantomData;

use acp_json::{FromNode, Node, Value};
use serde_core::Serialize;

use crate::Meta;
use crate::method;

/// Something that one side can be asked or told: a marker type without values stands for each.
///
/// `#[agent]` and `#[client]` find the marker by the name of the function; the method `on` of a `Router` is given it.
pub trait Op: Sized + Send + Sync + 'static {
    /// The name of the function that answers it in an `#[agent]` or `#[client]` block.
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

    /// What a request without params is asked with: an object without members (rule `v1-rpc-10`).
    #[must_use]
    fn no_params() -> Node<'static> {
        Node::Map(Vec::new())
    }
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

    /// Of these, nothing is assumed.
    fn no_params() -> Node<'static> {
        Node::Null
    }
}

/// A request of one's own that has a marker `M` with its name and its types, such as `cargo xtask codegen --schema`
/// of the repository writes from a schema. A handler takes the params of `M` and returns its response.
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

/// Holds the name of a method of one's own against the rule; in an `#[agent]` or `#[client]` block while it is
/// compiled.
///
/// # Panics
/// The name does not start with `_`.
#[track_caller]
pub const fn assert_own(method: &str) {
    assert!(
        matches!(method.as_bytes(), [b'_', ..]),
        "the name of a method of one's own starts with `_`: all others belong to the protocol"
    );
}
