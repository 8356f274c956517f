//! Questions with requests of the agent's own making, outside of turns.

use acp_types::v1::{
    CreateElicitationRequest, CreateElicitationResponse, ElicitationId, RequestPermissionRequest,
    RequestPermissionResponse,
};

use crate::ask::elicited::check_offered;
use crate::ask::question::cancelled_remotely;
use crate::client::Client;
use crate::error::{Error, Result};

/// Questions that belong to no turn, such as those of work in the background.
impl Client {
    /// Asks the user whether a tool call of a session may be done, and returns the answer unchanged.
    /// Dropping the future withdraws the question.
    /// [`Turn::request_permission`](crate::Turn::request_permission) is for a question of a turn.
    ///
    /// # Errors
    /// [`Error::Call`] when the client fails; [`Error::Cancelled`] when it answers with the error of
    /// a cancelled request; [`Error::NoOptions`] for a question without options.
    pub async fn request_permission(
        &self,
        request: &RequestPermissionRequest,
    ) -> Result<RequestPermissionResponse> {
        if request.options.is_empty() {
            return Err(Error::NoOptions);
        }
        self.ask_untimed(request).await.map_err(cancelled_remotely)
    }

    /// Asks the user to fill in a form or to open a web page, and returns the answer unchanged.
    /// Dropping the future withdraws the question. [`Turn::elicit_with`](crate::Turn::elicit_with)
    /// is for a question of a turn.
    ///
    /// # Errors
    /// [`Error::NotOffered`] naming the mode's capability; [`Error::Call`] when the client fails;
    /// [`Error::Cancelled`] when it answers with the error of a cancelled request.
    pub async fn elicit_with(&self, request: &CreateElicitationRequest) -> Result<CreateElicitationResponse> {
        check_offered(&request.mode, self.capabilities())?;
        self.ask_untimed(request).await.map_err(cancelled_remotely)
    }

    /// Reports that a web page has served its purpose, for a question that was asked by
    /// [`elicit_with`](Self::elicit_with). [`OpenedUrl::complete`](crate::OpenedUrl::complete) does
    /// it for the others.
    ///
    /// # Errors
    /// [`Error::Call`] when the client is gone.
    pub async fn complete_elicitation(&self, id: &ElicitationId) -> Result<()> {
        self.wire().complete_elicitation(self.peer(), id).await
    }
}
