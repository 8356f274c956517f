//! The operations: one marker type for each.

use acp_json::{FromNode, Node};
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
    /// What it is answered with on the wire.
    type Response: Serialize + Send + 'static;

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

    fn meta(_: &Self::Params) -> Option<&Meta> {
        None
    }

    /// Of these, nothing is assumed.
    fn no_params() -> Node<'static> {
        Node::Null
    }
}
