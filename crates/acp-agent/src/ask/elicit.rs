//! Asking the user for something: by a form, or on a web page.

use std::fmt;

use acp_rpc::CallError;
use acp_types::method::Method as _;
use acp_types::v1::{
    ClientCapabilities, CompleteElicitationNotification, CreateElicitationRequest, CreateElicitationResponse,
    ElicitationAction, ElicitationId, ElicitationMode, ElicitationSchema, ElicitationScope,
    ElicitationSessionScope, ElicitationUrlMode, SessionId, methods,
};

use crate::ask::form::{Form, FormValues};
use crate::ask::permission::cancelled_remotely;
use crate::client::Client;
use crate::client::ids::unique;
use crate::error::{Error, Result};
use crate::turn::Turn;

/// What came of a question. A turn that was cancelled meanwhile is [`Error::Cancelled`] instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elicited<T> {
    /// The user has answered, or agreed.
    Accepted(T),
    /// The user has said no.
    Declined,
    /// The user has closed the question without an answer.
    Cancelled,
}

impl<T> Elicited<T> {
    /// The answer, if the user gave one.
    #[must_use]
    pub fn accepted(self) -> Option<T> {
        match self {
            Elicited::Accepted(answer) => Some(answer),
            Elicited::Declined | Elicited::Cancelled => None,
        }
    }
}

impl Turn {
    /// Asks the user to fill in a form, and returns the values, checked against it. Never ask for secrets this way
    /// (rule `v1-eli-09`): [`elicit_url`](Self::elicit_url) is for them.
    ///
    /// ```
    /// # use acp_agent::{Elicited, Form, Result, Turn};
    /// use acp_agent::types::{IntegerPropertySchema, StringPropertySchema};
    ///
    /// # async fn deploy(turn: Turn) -> Result<()> {
    /// let form = Form::new("Where should this run?")
    ///     .required("region", StringPropertySchema::new().values(["eu".into(), "us".into()]))
    ///     .optional("replicas", IntegerPropertySchema::new().minimum(1).maximum(9));
    /// match turn.elicit(form).await? {
    ///     Elicited::Accepted(values) => {
    ///         let (region, replicas) = (values.text("region"), values.integer("replicas"));
    ///         // …
    ///     }
    ///     Elicited::Declined | Elicited::Cancelled => turn.say("Then it stays here.").await?,
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] naming `elicitation.form`; [`Error::FormField`] when the values are not what the form
    /// allows; [`Error::Call`] when the client fails; [`Error::Cancelled`] with the turn. An error is no answer
    /// (rule `v1-eli-18`).
    pub async fn elicit(&self, form: Form) -> Result<Elicited<FormValues>> {
        let (schema, request) = form.into_request(session_scope(self.session_id()));
        read_form(self.elicit_with(&request).await?, &schema)
    }

    /// Asks the user to open a web page, where the rest goes on. That the user has accepted means only that the
    /// page may be opened (rule `v1-eli-17`).
    ///
    /// The address must hold no secrets and log nobody in (rule `v1-eli-12`), and who ends the flow there must be
    /// the user who began it (rule `v1-eli-14`).
    ///
    /// ```
    /// # use acp_agent::{Elicited, Result, Turn};
    /// # async fn wait_for_callback() {}
    /// # async fn connect(turn: Turn) -> Result<()> {
    /// let asked = turn.elicit_url("Connect your account", "https://example.com/connect?state=f3a1").await?;
    /// if let Elicited::Accepted(page) = asked {
    ///     wait_for_callback().await;
    ///     page.complete().await?;
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] naming `elicitation.url`; [`Error::Call`] when the client fails;
    /// [`Error::Cancelled`] with the turn.
    pub async fn elicit_url(
        &self,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Result<Elicited<OpenedUrl>> {
        let page = OpenedUrl::new(self.client());
        let request = page.request(message, url, session_scope(self.session_id()));
        page.read(&self.elicit_with(&request).await?)
    }

    /// Asks the user with a request of the agent's own making, and returns the answer as it is.
    ///
    /// # Errors
    /// [`Error::Unsupported`] naming the mode's capability; [`Error::Call`] when the client fails;
    /// [`Error::Cancelled`] with the turn.
    pub async fn elicit_with(&self, request: &CreateElicitationRequest) -> Result<CreateElicitationResponse> {
        check_offered(&request.mode, self.client().capabilities())?;
        self.call_untimed::<methods::ElicitationCreate>(request).await.map_err(cancelled_remotely)
    }
}

pub(crate) fn session_scope(session: &SessionId) -> ElicitationScope {
    ElicitationSessionScope::new(session).into()
}

/// What came of a form.
pub(crate) fn read_form(
    response: CreateElicitationResponse,
    schema: &ElicitationSchema,
) -> Result<Elicited<FormValues>> {
    match response.action {
        ElicitationAction::Accept(accepted) => {
            Ok(Elicited::Accepted(FormValues::check(accepted.content.unwrap_or_default(), schema)?))
        }
        action => refused(&action),
    }
}

/// Refuses modes that the client has not offered; an empty offer is none (rule `v1-cap-21`).
pub(crate) fn check_offered(mode: &ElicitationMode, client: &ClientCapabilities) -> Result<()> {
    let offered = client.elicitation.as_ref();
    match mode {
        ElicitationMode::Form(_) if offered.is_none_or(|offered| offered.form.is_none()) => {
            Err(Error::unsupported("elicitation.form"))
        }
        ElicitationMode::Url(_) if offered.is_none_or(|offered| offered.url.is_none()) => {
            Err(Error::unsupported("elicitation.url"))
        }
        // Whether the client knows another one, only the client can say.
        _ => Ok(()),
    }
}

/// What every action but `accept` means. One that is not known here is no answer (rule `v1-eli-22`).
fn refused<T>(action: &ElicitationAction) -> Result<Elicited<T>> {
    match action {
        ElicitationAction::Decline => Ok(Elicited::Declined),
        ElicitationAction::Cancel => Ok(Elicited::Cancelled),
        _ => {
            let method = methods::ElicitationCreate::NAME;
            let problem = "its action is of a kind that is not known here";
            Err(Error::call(method, CallError::Malformed { method: method.to_owned(), problem }))
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
    /// A page that is going to be asked for.
    pub(crate) fn new(client: &Client) -> Self {
        OpenedUrl { client: client.clone(), id: unique("elicitation").into() }
    }

    pub(crate) fn request(
        &self,
        message: impl Into<String>,
        url: impl Into<String>,
        scope: ElicitationScope,
    ) -> CreateElicitationRequest {
        CreateElicitationRequest::new(message, ElicitationUrlMode::new(&self.id, url, scope))
    }

    /// What came of it.
    pub(crate) fn read(self, response: &CreateElicitationResponse) -> Result<Elicited<OpenedUrl>> {
        match &response.action {
            ElicitationAction::Accept(_) => Ok(Elicited::Accepted(self)),
            action => refused(action),
        }
    }

    /// The elicitation's id, which only this client knows.
    #[must_use]
    pub const fn id(&self) -> &ElicitationId {
        &self.id
    }

    /// Tells the client that what the page was for is done, so that it need not show it any more. This can be told
    /// also after the turn.
    ///
    /// # Errors
    /// [`Error::Call`] when the client is gone.
    pub async fn complete(&self) -> Result<()> {
        let method = methods::ElicitationComplete::NAME;
        let notification = CompleteElicitationNotification::new(&self.id);
        self.client.peer().notify(method, &notification).await.map_err(|error| Error::call(method, error))
    }
}

impl fmt::Debug for OpenedUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedUrl").field("id", &self.id).finish_non_exhaustive()
    }
}
