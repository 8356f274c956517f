//! The questions that an agent asks, and the answers that the user gives.

use acp_types::Meta;
use acp_types::v1::{
    CreateElicitationRequest, ElicitationId, ElicitationMode, ElicitationSchema, ElicitationScope,
};

/// A form that the agent wants filled in (`elicitation/create`, mode `form`).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FormElicitation {
    /// The question and its reason.
    pub message: String,
    /// The fields.
    pub schema: ElicitationSchema,
    /// The session with its tool call, or the client's request that the question is about.
    pub scope: ElicitationScope,
    /// Data of extensions.
    pub meta: Option<Meta>,
}

impl FormElicitation {
    pub(super) fn of(request: &CreateElicitationRequest) -> Option<Self> {
        let CreateElicitationRequest { message, meta, mode: ElicitationMode::Form(form), .. } = request
        else {
            return None;
        };
        let (schema, scope) = (form.requested_schema.clone(), form.scope.clone());
        Some(Self { message: message.clone(), schema, scope, meta: meta.clone() })
    }
}

/// A web page that the agent wants the user to visit (`elicitation/create`, mode `url`).
///
/// Show the whole address, and open it only if the user agrees. Open it where [neither this program
/// nor a model](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-eli-11) can read the
/// user's input.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UrlElicitation {
    /// The question and its reason.
    pub message: String,
    /// The address.
    pub url: String,
    /// The id that the agent uses when the user is done there.
    pub id: ElicitationId,
    /// The session with its tool call, or the client's request that the question is about.
    pub scope: ElicitationScope,
    /// Data of extensions.
    pub meta: Option<Meta>,
}
