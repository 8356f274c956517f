//! Answers of the user to forms and web pages.

use std::fmt;

use acp_types::v1::ext::{ElicitationAnswer, unique_id};
use acp_types::v1::{
    ClientCapabilities, CreateElicitationRequest, CreateElicitationResponse, ElicitationAction,
    ElicitationId, ElicitationMode, ElicitationSchema, ElicitationScope, ElicitationSessionScope,
    ElicitationUrlMode, SessionId,
};

use crate::ask::form::FormValues;
use crate::client::Client;
use crate::error::{Error, Result};

pub(crate) fn session_scope(session: &SessionId) -> ElicitationScope {
    ElicitationSessionScope::new(session).into()
}

/// Reads the answer to a form, and checks it.
pub(crate) fn read_form(
    client: &Client,
    response: CreateElicitationResponse,
    schema: &ElicitationSchema,
) -> Result<ElicitationAnswer<FormValues>> {
    match response.action {
        ElicitationAction::Accept(accepted) => {
            Ok(ElicitationAnswer::Accept(FormValues::check(accepted.content.unwrap_or_default(), schema)?))
        }
        action => refused(client, &action),
    }
}

/// Refuses modes that the client has not offered. An empty offer offers nothing (rule `v1-cap-21`).
pub(crate) fn check_offered(mode: &ElicitationMode, client: &ClientCapabilities) -> Result<()> {
    let offered = client.elicitation.as_ref();
    match mode {
        ElicitationMode::Form(_) if offered.is_none_or(|offered| offered.form.is_none()) => {
            Err(Error::not_offered("elicitation.form"))
        }
        ElicitationMode::Url(_) if offered.is_none_or(|offered| offered.url.is_none()) => {
            Err(Error::not_offered("elicitation.url"))
        }
        // Only the client can say whether it knows another mode.
        _ => Ok(()),
    }
}

/// Reads an action other than `accept`. An unknown action is not an answer (rule `v1-eli-22`).
fn refused<T>(client: &Client, action: &ElicitationAction) -> Result<ElicitationAnswer<T>> {
    match action {
        ElicitationAction::Decline => Ok(ElicitationAnswer::Decline),
        ElicitationAction::Cancel => Ok(ElicitationAnswer::Cancel),
        _ => {
            let problem = "its action is of a kind that is not known here";
            Err(client.wire().malformed::<CreateElicitationRequest>(problem))
        }
    }
}

/// A web page that the user has agreed to open.
#[derive(Clone)]
pub struct OpenedUrl {
    client: Client,
    id: ElicitationId,
}

impl OpenedUrl {
    /// Prepares a page that is going to be asked for.
    pub(crate) fn new(client: &Client) -> Self {
        OpenedUrl { client: client.clone(), id: unique_id("elicitation").into() }
    }

    pub(crate) fn question(
        &self,
        message: impl Into<String>,
        url: impl Into<String>,
        scope: ElicitationScope,
    ) -> CreateElicitationRequest {
        CreateElicitationRequest::new(message, ElicitationUrlMode::new(&self.id, url, scope))
    }

    /// Reads the answer to the question.
    pub(crate) fn read(self, response: &CreateElicitationResponse) -> Result<ElicitationAnswer<OpenedUrl>> {
        match &response.action {
            ElicitationAction::Accept(_) => Ok(ElicitationAnswer::Accept(self)),
            action => refused(&self.client, action),
        }
    }

    /// Returns the elicitation's id, which only this client knows.
    #[must_use]
    pub const fn id(&self) -> &ElicitationId {
        &self.id
    }

    /// Reports to the client that the page has served its purpose, so that it need not show it any
    /// more. This works after the turn, too.
    ///
    /// # Errors
    /// [`Error::Call`] when the client is gone.
    pub async fn complete(&self) -> Result<()> {
        self.client.wire().complete_elicitation(self.client.peer(), &self.id).await
    }
}

impl fmt::Debug for OpenedUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedUrl").field("id", &self.id).finish_non_exhaustive()
    }
}
