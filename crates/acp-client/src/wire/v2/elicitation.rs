//! Forms and web pages that the agent shows to the user.

use acp_json::{At, Map, Node, Problem, ReadError};
use acp_types::v1::{
    CreateElicitationRequest, ElicitationFormMode, ElicitationMode, ElicitationPropertySchema,
    ElicitationRequestScope, ElicitationSchema, ElicitationScope, ElicitationSessionScope,
    ElicitationUrlMode, RequestId,
};
use acp_types::v2;

use super::as_is;

/// Reads the params of `elicitation/create`. The fields of a form are those of version 1, and the
/// request itself is stricter.
pub(super) fn read(params: Node<'_>) -> Result<CreateElicitationRequest, ReadError> {
    let fields = params.get("requestedSchema").and_then(|form| form.get("properties")).cloned();
    let request: v2::CreateElicitationRequest = as_is::read(params)?;
    let mode = match request.mode {
        v2::ElicitationMode::Form(form) => {
            let mut schema = form_without_fields(form.requested_schema)?;
            schema.properties =
                fields.map(as_is::read::<Map<ElicitationPropertySchema>>).transpose()?.unwrap_or_default();
            ElicitationFormMode::new(schema, scope(form.scope)).into()
        }
        v2::ElicitationMode::Url(page) => {
            ElicitationUrlMode::new(page.elicitation_id, page.url, scope(page.scope)).into()
        }
        v2::ElicitationMode::Unknown { scope: of, other } => {
            ElicitationMode::Unknown { scope: scope(of), other }
        }
        // The types know this kind and the vocabulary does not: it is unstable.
        other => {
            let scope = ElicitationSessionScope::new("").into();
            let other = acp_types::UnknownVariant::new(other.tag(), Map::default());
            ElicitationMode::Unknown { scope, other }
        }
    };
    let mut read = CreateElicitationRequest::new(request.message, mode);
    read.meta = request.meta;
    Ok(read)
}

/// The type of a form is one of the few lists that are closed (rules `v2-eli-03`, `v2-ext-06`).
fn form_without_fields(schema: v2::ElicitationSchema) -> Result<ElicitationSchema, ReadError> {
    let mut read = ElicitationSchema::new();
    if schema.schema_type != v2::ElicitationSchemaType::Object {
        let problem = Problem::Other("must be `object`".to_owned());
        return Err(ReadError::new(&At::root().member("requestedSchema").member("type"), problem));
    }
    read.title = schema.title;
    read.required = schema.required;
    read.description = schema.description;
    read.meta = schema.meta;
    Ok(read)
}

fn scope(scope: v2::ElicitationScope) -> ElicitationScope {
    match scope {
        v2::ElicitationScope::Session(session) => {
            let mut read = ElicitationSessionScope::new(session.session_id);
            read.tool_call_id = session.tool_call_id;
            read.into()
        }
        v2::ElicitationScope::Request(request) => {
            let id = match request.request_id {
                v2::RequestId::Integer(id) => RequestId::Integer(id),
                v2::RequestId::String(id) => RequestId::String(id),
                _ => RequestId::Null,
            };
            ElicitationRequestScope::new(id).into()
        }
        _ => ElicitationRequestScope::new(RequestId::Null).into(),
    }
}
