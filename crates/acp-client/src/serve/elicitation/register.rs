//! Registration of handlers for questions to the user.

use std::sync::Arc;

use acp_types::Map;
use acp_types::v1::methods::{ElicitationComplete, ElicitationCreate};
use acp_types::v1::{
    CompleteElicitationNotification, CreateElicitationRequest, CreateElicitationResponse, ElicitationAction,
    ElicitationContentValue, ElicitationId, ElicitationMode,
};

use crate::serve::elicitation::modes::{Elicits, Modes, allowed};
use crate::serve::elicitation::pages::Visit;
use crate::serve::elicitation::question::{ElicitationAnswer, FormElicitation, UrlElicitation};
use crate::{Context, Handlers, RpcError};

/// The parts of `elicitation/create` that clients can serve.
const FORM: &str = "elicitation/create, form";
const URL: &str = "elicitation/create, url";

impl Handlers {
    /// Lets the handler fill in forms (`elicitation/create`, mode `form`). If the form does not
    /// allow its values, the question counts as closed. If the turn is cancelled, the handler is
    /// dropped and the answer is `cancel`.
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
        self.conflicts.claim(FORM);
        self.elicits.form =
            Some(Arc::new(move |form, context| Box::pin(handler(Arc::clone(&state), form, context))));
        self.serve_elicitation()
    }

    /// Lets the handler open web pages (`elicitation/create`, mode `url`). `Accept` only means that
    /// the user agrees to open it. If the turn is cancelled, the handler is dropped and the answer
    /// is `cancel`.
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
        self.conflicts.claim(URL);
        self.elicits.url =
            Some(Arc::new(move |page, context| Box::pin(handler(Arc::clone(&state), page, context))));
        self.serve_elicitation()
    }

    /// Calls the handler when the user is done on a web page that was [agreed to](Self::elicit_url)
    /// (`elicitation/complete`), once for each page. [Other ids are
    /// ignored](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-eli-21).
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

    /// Calls the handler like [`elicitation_complete`](Self::elicitation_complete), with the whole
    /// notification.
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

    /// Asks the user in every mode (`elicitation/create`), by the rules of
    /// [`elicit_form`](Self::elicit_form) and [`elicit_url`](Self::elicit_url).
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
        // One handler for the modes of all clients. It replaces the handler that was made for fewer
        // modes.
        self.elicits.is_raw = false;
        self.replace::<ElicitationCreate, _>(move |request, context| {
            Arc::clone(&elicits).ask(request, context)
        })
    }

    /// Returns the modes that are served, if there are any.
    pub(crate) fn elicits(&self) -> Option<Modes> {
        let Elicits { form, url, is_raw, .. } = &self.elicits;
        let modes = Modes { form: *is_raw || form.is_some(), url: *is_raw || url.is_some() };
        (modes.form || modes.url).then_some(modes)
    }
}
