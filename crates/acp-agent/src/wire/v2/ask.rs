//! Questions to the user, and their answers.

use acp_json::{At, FromNode as _, Node, ReadError};
use acp_types::Map;
use acp_types::v1::{
    CreateElicitationRequest, CreateElicitationResponse, ElicitationAcceptAction, ElicitationAction,
    ElicitationContentValue, RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse,
    SelectedPermissionOutcome, ToolCallUpdate,
};
use acp_types::v2::{self, WritesV2};
use serde_core::ser::{Error as _, Serialize, SerializeMap as _, Serializer};

use super::as_is::{member, meta};
use super::form;
use super::tool_call::Patch;

/// Writes a question whether a tool call may be done.
pub(in crate::wire) fn permission<S: Serializer>(
    request: &RequestPermissionRequest,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    member(&mut map, "sessionId", &request.session_id)?;
    member(&mut map, "title", title(&request.tool_call))?;
    member(&mut map, "subject", &Subject(&request.tool_call))?;
    member(&mut map, "options", &request.options)?;
    meta(&mut map, request.meta.as_ref())?;
    map.end()
}

/// Returns the title of the question, which must have one: the name of the call, as far as it is
/// known.
fn title(call: &ToolCallUpdate) -> &str {
    let kind = call.kind.as_ref().map(acp_types::v1::ToolKind::as_str);
    call.title.as_deref().or(call.name.as_deref()).or(kind).unwrap_or("tool call")
}

struct Subject<'a>(&'a ToolCallUpdate);

impl WritesV2 for Subject<'_> {}

impl Serialize for Subject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        member(&mut map, "type", "tool_call")?;
        member(&mut map, "toolCall", &Patch(self.0))?;
        map.end()
    }
}

/// Reads the answer to a question whether a tool call may be done. Metadata of an answer that was
/// not given have no place in the vocabulary.
pub(in crate::wire) fn permitted(
    node: Node<'_>,
    at: &At<'_>,
) -> Result<RequestPermissionResponse, ReadError> {
    let answer = v2::RequestPermissionResponse::from_node(node, at)?;
    let outcome = match answer.outcome {
        v2::RequestPermissionOutcome::Selected(selected) => {
            let mut read = SelectedPermissionOutcome::new(selected.option_id);
            read.meta = selected.meta;
            read.into()
        }
        v2::RequestPermissionOutcome::Unknown(outcome) => RequestPermissionOutcome::Unknown(outcome),
        _ => RequestPermissionOutcome::Cancelled,
    };
    let mut read = RequestPermissionResponse::new(outcome);
    read.meta = answer.meta;
    Ok(read)
}

/// Writes a form or the address of a web page.
pub(in crate::wire) fn elicitation<S: Serializer>(
    request: &CreateElicitationRequest,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    form::write_mode(&request.mode, &mut map)?;
    member(&mut map, "message", &request.message)?;
    meta(&mut map, request.meta.as_ref())?;
    map.end()
}

/// Reads the answer to a form or a web page. A field of the vocabulary cannot hold any JSON, so
/// that such an answer is malformed: the form does not allow it either.
pub(in crate::wire) fn elicited(node: Node<'_>, at: &At<'_>) -> Result<CreateElicitationResponse, ReadError> {
    let answer = v2::CreateElicitationResponse::from_node(node, at)?;
    let action = match answer.action {
        v2::ElicitationAction::Accept(accepted) => {
            let mut read = ElicitationAcceptAction::new();
            read.content = accepted.content.map(|content| values(content, at)).transpose()?;
            read.into()
        }
        v2::ElicitationAction::Decline => ElicitationAction::Decline,
        v2::ElicitationAction::Unknown(action) => ElicitationAction::Unknown(action),
        _ => ElicitationAction::Cancel,
    };
    let mut read = CreateElicitationResponse::new(action);
    read.meta = answer.meta;
    Ok(read)
}

fn values(
    content: Map<v2::ElicitationContentValue>,
    at: &At<'_>,
) -> Result<Map<ElicitationContentValue>, ReadError> {
    let at = at.member("content");
    let read = |value: v2::ElicitationContentValue, at: &At<'_>| match value {
        v2::ElicitationContentValue::String(text) => Ok(text.into()),
        v2::ElicitationContentValue::Integer(number) => Ok(ElicitationContentValue::Integer(number)),
        v2::ElicitationContentValue::Number(number) => Ok(ElicitationContentValue::Number(number)),
        v2::ElicitationContentValue::Boolean(is_so) => Ok(ElicitationContentValue::Boolean(is_so)),
        v2::ElicitationContentValue::Strings(texts) => Ok(ElicitationContentValue::Strings(texts)),
        other => ElicitationContentValue::from_node(other_json(other), at),
    };
    content.into_iter().map(|(name, value)| Ok((name.clone(), read(value, &at.member(&name))?))).collect()
}

/// Returns JSON that no field of a form has.
fn other_json(value: v2::ElicitationContentValue) -> Node<'static> {
    match value {
        v2::ElicitationContentValue::Other(value) => value.into_node().into_owned(),
        _ => Node::Null,
    }
}

/// Writes nothing: this version does not have the request.
pub(in crate::wire) fn nothing<T, S: Serializer>(_: &T, _: S) -> Result<S::Ok, S::Error> {
    Err(S::Error::custom("version 2 has no files and terminals of the client"))
}

/// Reads the answer to a request that was never sent.
pub(in crate::wire) fn no_answer<T: acp_json::FromNode>(_: Node<'_>, at: &At<'_>) -> Result<T, ReadError> {
    T::from_node(Node::Null, at)
}
