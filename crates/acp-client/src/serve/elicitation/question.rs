//! The questions that an agent asks, and the answers that the user gives.

use acp_types::Meta;
use acp_types::v1::{
    CreateElicitationRequest, ElicitationId, ElicitationMode, ElicitationSchema, ElicitationScope,
};

/// A form that the agent wants filled in (`elicitation/create`, mode `form`).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FormElicitation {
    /// What is asked, and why.
    pub message: String,
    /// The fields.
    pub schema: ElicitationSchema,
    /// The session, and its tool call, or the request of ours that it is about.
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
/// Show the whole address, and open it only when the user agrees, where neither this program nor a
/// model can read what is entered there (rule v1-eli-11).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UrlElicitation {
    /// What is asked, and why.
    pub message: String,
    /// The address.
    pub url: String,
    /// What the agent names it by when the user is done there.
    pub id: ElicitationId,
    /// The session, and its tool call, or the request of ours that it is about.
    pub scope: ElicitationScope,
    /// Data of extensions.
    pub meta: Option<Meta>,
}

/// What the user says to a [`FormElicitation`] or a [`UrlElicitation`].
#[derive(Clone, Debug, PartialEq)]
pub enum ElicitationAnswer<T = ()> {
    /// Yes: with these values, or the page may be opened.
    Accept(T),
    /// No.
    Decline,
    /// Neither: the question was closed.
    Cancel,
}
