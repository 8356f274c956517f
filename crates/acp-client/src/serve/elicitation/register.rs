//! What the agent wants to know from the user: by a form, or on a web page.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use acp_types::v1::methods::{ElicitationComplete, ElicitationCreate};
use acp_types::v1::{
    CompleteElicitationNotification, CreateElicitationRequest, CreateElicitationResponse,
    ElicitationAcceptAction, ElicitationAction, ElicitationContentValue, ElicitationId, ElicitationMode,
    ElicitationSchema, ElicitationScope,
};
use acp_types::{Map, Meta};

use crate::serve::elicitation::pages::{Pages, Visit};
use crate::{Client, Context, Handlers, RpcError};

/// The parts of `elicitation/create` that clients serve.
const FORM: &str = "elicitation/create, form";
const URL: &str = "elicitation/create, url";

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
    fn of(request: &CreateElicitationRequest) -> Option<Self> {
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
/// Show the whole address, and open it only when the user agrees, where neither this program nor a model can read what
/// is entered there (rule v1-eli-11).
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

/// Asks the user for what the agent wants to know. What it can ask is what the agent is told it may.
///
/// ```
/// use acp_client::{Elicitation, ElicitationAnswer};
///
/// let elicitation = Elicitation::new()
///     .form(async |form| {
///         let values = form.defaults();
///         // … let the user change them …
///         match form.check(&values) {
///             Ok(()) => ElicitationAnswer::Accept(values),
///             Err(_) => ElicitationAnswer::Decline,
///         }
///     })
///     .url(async |page| {
///         // … show `page.url`, ask, open it …
///         ElicitationAnswer::Accept(())
///     });
/// ```
#[derive(Default)]
pub struct Elicitation {
    form: Option<Ask<FormElicitation, Values>>,
    url: Option<Ask<UrlElicitation, ()>>,
    completed: Option<Told>,
}

type Values = Map<ElicitationContentValue>;
type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Ask<Q, A> = Arc<dyn Fn(Q) -> Boxed<ElicitationAnswer<A>> + Send + Sync>;
type Told = Arc<dyn Fn(ElicitationId) -> Boxed<()> + Send + Sync>;

impl Elicitation {
    /// One that can ask nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Has forms filled in: see [`Handlers::elicit_form`].
    #[must_use]
    pub fn form<F>(mut self, ask: impl Fn(FormElicitation) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ElicitationAnswer<Map<ElicitationContentValue>>> + Send + 'static,
    {
        self.form = Some(Arc::new(move |form| Box::pin(ask(form))));
        self
    }

    /// Has web pages opened: see [`Handlers::elicit_url`].
    #[must_use]
    pub fn url<F>(mut self, ask: impl Fn(UrlElicitation) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ElicitationAnswer> + Send + 'static,
    {
        self.url = Some(Arc::new(move |page| Box::pin(ask(page))));
        self
    }

    /// Is told when the user is done on a web page: see [`Handlers::elicitation_complete`].
    #[must_use]
    pub fn completed<F>(mut self, told: impl Fn(ElicitationId) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.completed = Some(Arc::new(move |id| Box::pin(told(id))));
        self
    }
}

impl Client for Elicitation {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        if let Some(ask) = &self.form {
            handlers.elicit_form(ask, |ask, form, _| ask(form));
        }
        if let Some(ask) = &self.url {
            handlers.elicit_url(ask, |ask, page, _| ask(page));
        }
        if let Some(told) = &self.completed {
            handlers.elicitation_complete(told, |told, id| told(id));
        }
    }
}

impl fmt::Debug for Elicitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Elicitation")
            .field("form", &self.form.is_some())
            .field("url", &self.url.is_some())
            .finish_non_exhaustive()
    }
}

impl Handlers {
    /// Has forms filled in (`elicitation/create`, mode `form`). Values that the form does not allow count as a closed
    /// question. When the turn is cancelled the handler is dropped and the answer is `cancel`.
    pub fn elicit_form<S, F>(
        &mut self,
        state: &Arc<S>,
        handler: impl Fn(Arc<S>, FormElicitation, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        S: ?Sized + Send + Sync + 'static,
        F: Future<Output = ElicitationAnswer<Map<ElicitationContentValue>>> + Send + 'static,
    {
        let state = Arc::clone(state);
        self.claims.claim(FORM);
        self.elicits.form =
            Some(Arc::new(move |form, context| Box::pin(handler(Arc::clone(&state), form, context))));
        self.serve_elicitation()
    }

    /// Has web pages opened (`elicitation/create`, mode `url`). `Accept` says only that the user agrees to open it. When
    /// the turn is cancelled the handler is dropped and the answer is `cancel`.
    pub fn elicit_url<S, F>(
        &mut self,
        state: &Arc<S>,
        handler: impl Fn(Arc<S>, UrlElicitation, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        S: ?Sized + Send + Sync + 'static,
        F: Future<Output = ElicitationAnswer> + Send + 'static,
    {
        let state = Arc::clone(state);
        self.claims.claim(URL);
        self.elicits.url =
            Some(Arc::new(move |page, context| Box::pin(handler(Arc::clone(&state), page, context))));
        self.serve_elicitation()
    }

    /// Is told that the user is done on a web page that was [agreed to](Self::elicit_url) (`elicitation/complete`):
    /// once for each. Other ids are ignored (rule v1-eli-21).
    pub fn elicitation_complete<S, F>(
        &mut self,
        state: &Arc<S>,
        handler: impl Fn(Arc<S>, ElicitationId) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        S: ?Sized + Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let state = Arc::clone(state);
        self.completed(move |done, _| handler(Arc::clone(&state), done.elicitation_id))
    }

    /// The same with the whole notification.
    pub(crate) fn completed<F>(
        &mut self,
        handler: impl Fn(CompleteElicitationNotification, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (pages, handler) = (Arc::clone(&self.elicits.pages), Arc::new(handler));
        self.notification::<ElicitationComplete, _, _>(&pages, move |pages, done, context| {
            let handler = Arc::clone(&handler);
            async move {
                if pages.remove(&done.elicitation_id) {
                    handler(done, context).await;
                }
            }
        })
    }

    /// Asks the user in every mode (`elicitation/create`), by the rules of [`elicit_form`](Self::elicit_form) and
    /// [`elicit_url`](Self::elicit_url).
    pub(crate) fn elicit<F>(
        &mut self,
        handler: impl Fn(CreateElicitationRequest, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        F: Future<Output = Result<CreateElicitationResponse, RpcError>> + Send + 'static,
    {
        let handler = Arc::new(handler);
        let pages = Arc::clone(&self.elicits.pages);
        self.request::<ElicitationCreate, _, _>(&pages, move |pages, request, context| {
            let handler = Arc::clone(&handler);
            async move {
                let visit = match &request.mode {
                    ElicitationMode::Url(page) => Some(Visit::new(pages, page.elicitation_id.clone())),
                    _ => None,
                };
                let form = FormElicitation::of(&request);
                let mut response = handler(request, context.clone()).await?;
                if let Some(form) = form {
                    response.action = allowed(&form, response.action, &context);
                }
                if let Some(mut visit) = visit {
                    visit.is_agreed = matches!(response.action, ElicitationAction::Accept(_));
                }
                Ok(response)
            }
        })
    }

    fn serve_elicitation(&mut self) -> &mut Self {
        let elicits = Arc::new(self.elicits.clone());
        // One handler for the modes of all clients, so that each mode takes the place of the handler before it.
        self.elicits.is_raw = false;
        self.replace::<ElicitationCreate, _>(move |request, context| {
            Arc::clone(&elicits).ask(request, context)
        })
    }

    /// The modes that are served, if any is.
    pub(crate) fn elicits(&self) -> Option<Modes> {
        let Elicits { form, url, is_raw, .. } = &self.elicits;
        let modes = Modes { form: *is_raw || form.is_some(), url: *is_raw || url.is_some() };
        (modes.form || modes.url).then_some(modes)
    }
}

/// What an agent may ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Modes {
    pub(crate) form: bool,
    pub(crate) url: bool,
}

/// The handlers of `elicitation/create`, by mode.
#[derive(Clone, Default)]
pub(crate) struct Elicits {
    form: Option<Handler<FormElicitation, Values>>,
    url: Option<Handler<UrlElicitation, ()>>,
    pages: Arc<Pages>,
    /// The method has a handler that takes every mode.
    pub(crate) is_raw: bool,
}

type Handler<Q, A> = Arc<dyn Fn(Q, Context) -> Boxed<ElicitationAnswer<A>> + Send + Sync>;

impl Elicits {
    async fn ask(
        self: Arc<Self>,
        request: CreateElicitationRequest,
        context: Context,
    ) -> Result<CreateElicitationResponse, RpcError> {
        let CreateElicitationRequest { message, meta, mode, .. } = request;
        let action = match (mode, &self.form, &self.url) {
            (ElicitationMode::Form(form), Some(handler), _) => {
                let (schema, scope) = (form.requested_schema, form.scope);
                fill_in(handler, FormElicitation { message, schema, scope, meta }, context).await
            }
            (ElicitationMode::Url(page), _, Some(handler)) => {
                let (url, id, scope) = (page.url, page.elicitation_id, page.scope);
                let page = UrlElicitation { message, url, id: id.clone(), scope, meta };
                let mut visit = Visit::new(Arc::clone(&self.pages), id);
                let answer = handler(page, context).await;
                visit.is_agreed = matches!(answer, ElicitationAnswer::Accept(()));
                action(answer, |()| ElicitationAcceptAction::new())
            }
            // Rule v1-eli-01.
            (mode, ..) => {
                return Err(RpcError::invalid_params(format!(
                    "`mode`: this client does not offer `{}`",
                    mode.tag()
                )));
            }
        };
        Ok(CreateElicitationResponse::new(action))
    }
}

async fn fill_in(
    handler: &Handler<FormElicitation, Values>,
    form: FormElicitation,
    context: Context,
) -> ElicitationAction {
    let answer = handler(form.clone(), context.clone()).await;
    let answer = action(answer, |values| ElicitationAcceptAction::new().content(values));
    allowed(&form, answer, &context)
}

/// The answer, unless it has values that the form does not allow: then the question counts as closed.
fn allowed(form: &FormElicitation, answer: ElicitationAction, context: &Context) -> ElicitationAction {
    let ElicitationAction::Accept(accepted) = &answer else { return answer };
    let nothing = Map::default();
    let Err(error) = form.check(accepted.content.as_ref().unwrap_or(&nothing)) else { return answer };
    context.note(format!(
        "a form handler gave values that the form does not allow ({error}): answered `cancel`"
    ));
    ElicitationAction::Cancel
}

fn action<T>(
    answer: ElicitationAnswer<T>,
    accept: impl FnOnce(T) -> ElicitationAcceptAction,
) -> ElicitationAction {
    match answer {
        ElicitationAnswer::Accept(value) => accept(value).into(),
        ElicitationAnswer::Decline => ElicitationAction::Decline,
        ElicitationAnswer::Cancel => ElicitationAction::Cancel,
    }
}
