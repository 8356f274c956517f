//! Messages of the agent.

use std::any::Any;

use acp_json::{FromNode, Node, ReadError};
use acp_types::method::Method as _;
use acp_types::v1::methods::{
    FsReadTextFile, FsWriteTextFile, TerminalCreate, TerminalKill, TerminalOutput, TerminalRelease,
    TerminalWaitForExit,
};
use acp_types::v1::{CreateElicitationRequest, RequestPermissionRequest};

use super::ask;

/// Returns the name that the vocabulary has for a method. `None` is for a method that version 2
/// does not have: there the agent works in files and terminals by itself.
pub(in crate::wire) fn operation(method: &str) -> Option<&str> {
    match method {
        FsReadTextFile::NAME
        | FsWriteTextFile::NAME
        | TerminalCreate::NAME
        | TerminalOutput::NAME
        | TerminalWaitForExit::NAME
        | TerminalKill::NAME
        | TerminalRelease::NAME => None,
        method => Some(method),
    }
}

/// Reads the params of a message as the vocabulary has them.
pub(in crate::wire) fn read<P: FromNode + 'static>(params: Node<'_>) -> Result<P, ReadError> {
    let mut read: Option<P> = None;
    let slot: &mut dyn Any = &mut read;
    if let Some(permission) = slot.downcast_mut::<Option<RequestPermissionRequest>>() {
        *permission = Some(ask::permission(params)?);
    } else if let Some(question) = slot.downcast_mut::<Option<CreateElicitationRequest>>() {
        *question = Some(ask::elicitation(params)?);
    } else {
        return acp_json::read(params);
    }
    // It is there: the types are the same.
    read.map_or_else(|| acp_json::read(Node::Null), Ok)
}
