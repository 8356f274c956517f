//! Asking the user in a handler that has no turn.

use std::fmt;

use acp_rpc::Id;
use acp_types::method::{self, Method as _};
use acp_types::v1::{
    CreateElicitationRequest, CreateElicitationResponse, ElicitationRequestScope, ElicitationScope,
    RequestId, SessionId, methods,
};

use crate::agent::Agent;
use crate::call::{Call, Scope};
use crate::cancel::Cancel;
use crate::client::Client;
use crate::elicit::{Elicited, OpenedUrl, check_offered, read_form, session_scope};
use crate::error::{Error, Result};
use crate::extract::FromCall;
use crate::form::{Form, FormValues};
use crate::op;
use crate::permission::cancelled_remotely;

/// A way to ask the user in a handler that has no turn, such as `authenticate` or `set_mode`. What it asks belongs
/// to the session, if the operation is on an open one, and else to the request. It ends with the request.
///
/// ```
/// # struct Agent;
/// use acp_agent::{Elicitation, Elicited, Error, Result};
///
/// # impl Agent {
/// async fn authenticate(&self, elicitation: Elicitation) -> Result<()> {
///     match elicitation.elicit_url("Log in", "https://example.com/login").await? {
///         Elicited::Accepted(page) => {
///             // … until the login is done …
///             page.complete().await
///         }
///         Elicited::Declined | Elicited::Cancelled => Err(Error::auth_required()),
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
    fn new<A: Agent>(scope: &Scope<A>, of: ElicitationScope) -> Self {
        Elicitation { client: scope.client.clone(), cancel: scope.cancel.clone(), scope: of }
    }

    pub(crate) fn of_request<A: Agent>(scope: &Scope<A>) -> Result<Self> {
        Ok(Elicitation::new(scope, request_scope(scope)?))
    }

    pub(crate) fn in_session<A: Agent>(scope: &Scope<A>, session: &SessionId) -> Self {
        Elicitation::new(scope, session_scope(session))
    }

    /// Whether the questions belong to a session or to the request: for requests of the agent's own making.
    #[must_use]
    pub const fn scope(&self) -> &ElicitationScope {
        &self.scope
    }

    /// Asks the user to fill in a form: see [`Turn::elicit`](crate::Turn::elicit).
    ///
    /// # Errors
    /// Those of [`Turn::elicit`](crate::Turn::elicit).
    pub async fn elicit(&self, form: Form) -> Result<Elicited<FormValues>> {
        let (schema, request) = form.into_request(self.scope.clone());
        read_form(self.elicit_with(&request).await?, &schema)
    }

    /// Asks the user to open a web page: see [`Turn::elicit_url`](crate::Turn::elicit_url).
    ///
    /// # Errors
    /// Those of [`Turn::elicit_url`](crate::Turn::elicit_url).
    pub async fn elicit_url(
        &self,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Result<Elicited<OpenedUrl>> {
        let page = OpenedUrl::new(&self.client);
        let request = page.request(message, url, self.scope.clone());
        page.read(&self.elicit_with(&request).await?)
    }

    /// Asks the user with a request of the agent's own making, and returns the answer as it is.
    ///
    /// # Errors
    /// Those of [`Turn::elicit_with`](crate::Turn::elicit_with).
    pub async fn elicit_with(&self, request: &CreateElicitationRequest) -> Result<CreateElicitationResponse> {
        check_offered(&request.mode, self.client.capabilities())?;
        let peer = self.client.peer().timeout(None);
        let method = methods::ElicitationCreate::NAME;
        let asking = async {
            let answer = peer.request(method, request).await;
            answer.map_err(|error| cancelled_remotely(Error::call(method, error)))
        };
        self.cancel.heeding(asking).await
    }
}

impl fmt::Debug for Elicitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Elicitation").field("scope", &self.scope).finish_non_exhaustive()
    }
}

fn request_scope<A: Agent>(scope: &Scope<A>) -> Result<ElicitationScope> {
    let id = match &scope.request_id {
        Some(Id::Int(id)) => RequestId::Integer(*id),
        Some(Id::Str(id)) => RequestId::String((**id).to_owned()),
        Some(Id::Null) => RequestId::Null,
        None => return Err(Error::from("a notification cannot ask the user: it is not waited for")),
    };
    Ok(ElicitationRequestScope::new(id).into())
}

impl<A: Agent> FromCall<op::Extension, A> for Elicitation {
    fn from_call(call: &mut Call<op::Extension, A>) -> Result<Self> {
        Elicitation::of_request(call.scope())
    }
}

impl<M, A> FromCall<op::Request<M>, A> for Elicitation
where
    M: method::Request<Params: Clone + Sync> + 'static,
    A: Agent,
{
    fn from_call(call: &mut Call<op::Request<M>, A>) -> Result<Self> {
        Elicitation::of_request(call.scope())
    }
}
