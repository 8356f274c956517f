//! Questions of handlers that have no turn.

use std::fmt;

use acp_types::v1::ext::ElicitationAnswer;
use acp_types::v1::{CreateElicitationRequest, CreateElicitationResponse, ElicitationScope};

use crate::ask::elicited::{OpenedUrl, check_offered, read_form};
use crate::ask::form::{Form, FormValues};
use crate::ask::question::cancelled_remotely;
use crate::client::Client;
use crate::client::cancel::Cancel;
use crate::error::Result;

/// Asks the user in a handler that has no turn, such as `authenticate` or `set_mode`. The questions
/// belong to the session if the operation is on an open one, otherwise to the request. They end
/// with the request.
///
/// ```
/// # struct Agent;
/// use acp_agent::{Elicitation, ElicitationAnswer, Error, Result};
///
/// # impl Agent {
/// async fn authenticate(&self, elicitation: Elicitation) -> Result<()> {
///     match elicitation.elicit_url("Log in", "https://example.com/login").await? {
///         ElicitationAnswer::Accept(page) => {
///             // … until the login is done …
///             page.complete().await
///         }
///         ElicitationAnswer::Decline | ElicitationAnswer::Cancel => Err(Error::auth_required()),
///     }
/// }
/// # }
/// ```
#[derive(Clone)]
pub struct Elicitation {
    client: Client,
    cancel: Cancel,
    scope: ElicitationScope,
}

impl Elicitation {
    pub(crate) const fn new(client: Client, cancel: Cancel, scope: ElicitationScope) -> Self {
        Elicitation { client, cancel, scope }
    }

    /// Returns the scope of the questions, which is a session or the request. Requests of the
    /// agent's own making need it.
    #[must_use]
    pub const fn scope(&self) -> &ElicitationScope {
        &self.scope
    }

    /// Asks the user to fill in a form: see [`Turn::elicit`](crate::Turn::elicit).
    ///
    /// # Errors
    /// The errors of [`Turn::elicit`](crate::Turn::elicit).
    pub async fn elicit(&self, form: Form) -> Result<ElicitationAnswer<FormValues>> {
        let (schema, request) = form.into_request(self.scope.clone());
        read_form(&self.client, self.elicit_with(&request).await?, &schema)
    }

    /// Asks the user to open a web page: see [`Turn::elicit_url`](crate::Turn::elicit_url).
    ///
    /// # Errors
    /// The errors of [`Turn::elicit_url`](crate::Turn::elicit_url).
    pub async fn elicit_url(
        &self,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Result<ElicitationAnswer<OpenedUrl>> {
        let page = OpenedUrl::new(&self.client);
        let request = page.question(message, url, self.scope.clone());
        page.read(&self.elicit_with(&request).await?)
    }

    /// Asks the user with a request of the agent's own making, and returns the answer unchanged.
    ///
    /// # Errors
    /// The errors of [`Turn::elicit_with`](crate::Turn::elicit_with).
    pub async fn elicit_with(&self, request: &CreateElicitationRequest) -> Result<CreateElicitationResponse> {
        check_offered(&request.mode, self.client.capabilities())?;
        let asking = async { self.client.ask_untimed(request).await.map_err(cancelled_remotely) };
        self.cancel.heeding(asking).await
    }
}

impl fmt::Debug for Elicitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Elicitation").field("scope", &self.scope).finish_non_exhaustive()
    }
}
