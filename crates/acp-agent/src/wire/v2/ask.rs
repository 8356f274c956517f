//! Questions to the user. Their answers look as in version 1.

use acp_json::Record as _;
use acp_types::v1::{
    CreateElicitationRequest, ElicitationFormMode, ElicitationMode, ElicitationSchema, ElicitationSchemaType,
    RequestPermissionRequest, ToolCallUpdate,
};
use serde_core::ser::{Serialize, SerializeMap, Serializer};

use super::meta::meta;
use super::tool_call::Patch;

/// Writes a question whether a tool call may be done.
pub(in crate::wire) fn permission<S: Serializer>(
    request: &RequestPermissionRequest,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("sessionId", &request.session_id)?;
    map.serialize_entry("title", title(&request.tool_call))?;
    map.serialize_entry("subject", &Subject(&request.tool_call))?;
    map.serialize_entry("options", &request.options)?;
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

impl Serialize for Subject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("type", "tool_call")?;
        map.serialize_entry("toolCall", &Patch(self.0))?;
        map.end()
    }
}

/// Writes a form or the address of a web page.
pub(in crate::wire) fn elicitation<S: Serializer>(
    request: &CreateElicitationRequest,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    match &request.mode {
        ElicitationMode::Form(form) => {
            map.serialize_entry("mode", "form")?;
            write_form(form, &mut map)?;
        }
        mode => mode.write(&mut map)?,
    }
    map.serialize_entry("message", &request.message)?;
    meta(&mut map, request.meta.as_ref())?;
    map.end()
}

fn write_form<M: SerializeMap>(form: &ElicitationFormMode, map: &mut M) -> Result<(), M::Error> {
    form.scope.write(map)?;
    map.serialize_entry("requestedSchema", &Form(&form.requested_schema))
}

/// A form. Its type and its fields must be there, also if they are those of the default.
struct Form<'a>(&'a ElicitationSchema);

impl Serialize for Form<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.0.schema_type == ElicitationSchemaType::default() {
            map.serialize_entry("type", &self.0.schema_type)?;
        }
        if self.0.properties.is_empty() {
            map.serialize_entry("properties", &self.0.properties)?;
        }
        self.0.write(&mut map)?;
        map.end()
    }
}
