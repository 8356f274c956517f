//! Forms and web pages of a turn.

use acp_types::v1::ext::ElicitationAnswer;
use acp_types::v1::{CreateElicitationRequest, CreateElicitationResponse};

use crate::ask::elicited::{OpenedUrl, check_offered, read_form, session_scope};
use crate::ask::form::{Form, FormValues};
use crate::ask::question::cancelled_remotely;
use crate::error::Result;
use crate::turn::Turn;

impl Turn {
    /// Asks the user to fill in a form, and returns the values, checked against it. Never ask for
    /// secrets in a form: use [`elicit_url`](Self::elicit_url) for them.
    ///
    /// ```
    /// # use acp_agent::{ElicitationAnswer, Form, Result, Turn};
    /// use acp_agent::types::{IntegerPropertySchema, StringPropertySchema};
    ///
    /// # async fn deploy(turn: Turn) -> Result<()> {
    /// let form = Form::new("Where should this run?")
    ///     .required("region", StringPropertySchema::new().values(["eu".into(), "us".into()]))
    ///     .optional("replicas", IntegerPropertySchema::new().minimum(1).maximum(9));
    /// match turn.elicit(form).await? {
    ///     ElicitationAnswer::Accept(values) => {
    ///         let (region, replicas) = (values.text("region"), values.integer("replicas"));
    ///         // …
    ///     }
    ///     ElicitationAnswer::Decline | ElicitationAnswer::Cancel => {
    ///         turn.say("Then it stays here.").await?;
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotOffered`](crate::Error::NotOffered) naming `elicitation.form`;
    /// [`Error::Form`](crate::Error::Form) when the form does not allow the values;
    /// [`Error::Call`](crate::Error::Call) when the client fails;
    /// [`Error::Cancelled`](crate::Error::Cancelled) with the turn. An error is not an answer.
    pub async fn elicit(&self, form: Form) -> Result<ElicitationAnswer<FormValues>> {
        let (schema, request) = form.into_request(session_scope(self.session_id()));
        read_form(self.client(), self.elicit_with(&request).await?, &schema)
    }

    /// Asks the user to open a web page, where the rest goes on. A user who accepts has only agreed
    /// that the page may be opened.
    ///
    /// The address must hold no secrets and log nobody in. The flow on the page must be ended by
    /// the user who began it.
    ///
    /// ```
    /// # use acp_agent::{ElicitationAnswer, Result, Turn};
    /// # async fn wait_for_callback() {}
    /// # async fn connect(turn: Turn) -> Result<()> {
    /// let asked = turn
    ///     .elicit_url("Connect your account", "https://example.com/connect?state=f3a1")
    ///     .await?;
    /// if let ElicitationAnswer::Accept(page) = asked {
    ///     wait_for_callback().await;
    ///     page.complete().await?;
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotOffered`](crate::Error::NotOffered) naming `elicitation.url`;
    /// [`Error::Call`](crate::Error::Call) when the client fails;
    /// [`Error::Cancelled`](crate::Error::Cancelled) with the turn.
    pub async fn elicit_url(
        &self,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Result<ElicitationAnswer<OpenedUrl>> {
        let page = OpenedUrl::new(self.client());
        let request = page.question(message, url, session_scope(self.session_id()));
        page.read(&self.elicit_with(&request).await?)
    }

    /// Asks the user with a request of the agent's own making, and returns the answer unchanged.
    ///
    /// # Errors
    /// [`Error::NotOffered`](crate::Error::NotOffered) naming the mode's capability;
    /// [`Error::Call`](crate::Error::Call) when the client fails;
    /// [`Error::Cancelled`](crate::Error::Cancelled) with the turn.
    pub async fn elicit_with(&self, request: &CreateElicitationRequest) -> Result<CreateElicitationResponse> {
        check_offered(&request.mode, self.client().capabilities())?;
        self.ask_user(request).await.map_err(cancelled_remotely)
    }
}
