//! Messages of the agent.

use std::any::Any;

use acp_json::{FromNode, Node, ReadError};
use acp_rpc::{Id, Reply};
use acp_types::method::{Method, Request, check_extension};
use acp_types::v1::{
    CreateElicitationRequest, RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse,
    methods,
};
use acp_types::v2::{ReadsV2, WritesV2};

use super::{ask, elicitation};
use crate::RpcError;

/// Requests whose answers are those of the vocabulary.
const REQUESTS: &[&str] = &[
    answered_alike::<methods::SessionRequestPermission>(),
    answered_alike::<methods::ElicitationCreate>(),
    #[cfg(feature = "unstable")]
    read_alike::<methods::McpMessage>(),
];

/// Another guarantee about a request of the list.
#[cfg(feature = "unstable")]
const _: &str = answered_alike::<methods::McpMessage>();

/// Notifications whose params are those of the vocabulary.
const NOTIFICATIONS: &[&str] = &[
    read_alike::<methods::ElicitationComplete>(),
    #[cfg(feature = "unstable")]
    read_alike::<methods::AuthStatusUpdate>(),
    #[cfg(feature = "unstable")]
    read_alike::<methods::McpMessageNotify>(),
];

const fn answered_alike<Q: Request>() -> &'static str
where
    Q::Response: WritesV2,
{
    Q::NAME
}

const fn read_alike<M: Method>() -> &'static str
where
    M::Params: ReadsV2,
{
    M::NAME
}

/// Returns the name that the vocabulary has for a method. `None` is for a method that version 2
/// does not have: there the agent works in files and terminals by itself.
pub(in crate::wire) fn operation(method: &str) -> Option<&str> {
    let is_known = REQUESTS.contains(&method) || NOTIFICATIONS.contains(&method);
    (is_known || check_extension(method).is_ok()).then_some(method)
}

/// Refuses ids that this version does not have (rule `v2-rpc-01`).
pub(in crate::wire) fn check_id(id: &Id) -> Result<(), RpcError> {
    match id {
        Id::Null => Err(RpcError::invalid_request("`id`: must be a string or an integer")),
        Id::Int(_) | Id::Str(_) => Ok(()),
    }
}

/// Returns the answer to a request of this name that the agent takes back by `$/cancel_request`
/// (rule `v2-cancel-05`).
pub(in crate::wire) fn answer_when_taken_back(method: &str) -> Option<Reply> {
    let is_permission = method == methods::SessionRequestPermission::NAME;
    is_permission.then(|| Reply::new(RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled)))
}

/// Reads the params of a message as the vocabulary has them.
pub(in crate::wire) fn read<P: FromNode + 'static>(params: Node<'_>) -> Result<P, ReadError> {
    let mut read: Option<P> = None;
    let slot: &mut dyn Any = &mut read;
    if let Some(permission) = slot.downcast_mut::<Option<RequestPermissionRequest>>() {
        *permission = Some(ask::permission(params)?);
    } else if let Some(question) = slot.downcast_mut::<Option<CreateElicitationRequest>>() {
        *question = Some(elicitation::read(params)?);
    } else {
        return acp_json::read(params);
    }
    // It is there: the types are the same.
    read.map_or_else(|| acp_json::read(Node::Null), Ok)
}
