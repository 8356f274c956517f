//! Registration of handlers for questions to the user.

use std::sync::Arc;

use acp_handlers::{ServeNotification, ServeRequest};
use acp_rpc::Reply;
use acp_types::Map;
use acp_types::v1::{
    CreateElicitationResponse, ElicitationAction, ElicitationContentValue, ElicitationId, ElicitationMode,
};

use crate::error::Result;
use crate::op::{self, Op as _};
use crate::serve::elicitation::modes::{Modes, allowed};
use crate::serve::elicitation::question::{FormElicitation, UrlElicitation};
use crate::serve::serve_op::answer;
use crate::{Call, Context, ElicitationAnswer, Handlers, RpcError};

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
        self.claim(FORM);
        self.special.elicits.form =
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
        self.claim(URL);
        self.special.elicits.url =
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
        ServeNotification::enter(
            self,
            op::ElicitationComplete::METHOD,
            move |call: Call<op::ElicitationComplete>| {
                let handled = handler(Arc::clone(&state), call.params().elicitation_id.clone());
                async move {
                    handled.await;
                    Ok(())
                }
            },
        );
        self
    }

    fn serve_elicitation(&mut self) -> &mut Self {
        let elicits = Arc::new(self.special.elicits.clone());
        // One handler for the modes of all clients. It replaces the handler that was made for fewer
        // modes.
        self.replace(op::Elicit::METHOD, move |request, context| {
            let wire = context.wire();
            let answer = Arc::clone(&elicits).ask(request, context);
            async move { answer.await.map(|response| wire.answer(response)) }
        })
    }

    /// Returns the modes that are served, if there are any.
    pub(crate) fn elicits(&self) -> Option<Modes> {
        let (form, url) = (self.special.elicits.form.is_some(), self.special.elicits.url.is_some());
        // A handler of the method itself serves every mode.
        let all = !form && !url;
        self.serves(op::Elicit::METHOD).then_some(Modes { form: all || form, url: all || url })
    }
}

/// Asks the user in every mode, by the rules of [`Handlers::elicit_form`] and
/// [`Handlers::elicit_url`].
impl ServeRequest<op::Elicit> for Context {
    type Answer = CreateElicitationResponse;

    async fn finish(
        call: &Call<op::Elicit>,
        outcome: Result<CreateElicitationResponse>,
    ) -> Result<Reply, RpcError> {
        answer(call.context(), outcome)
    }

    fn enter<F>(
        handlers: &mut acp_handlers::Handlers<Self>,
        method: &str,
        handler: impl Fn(Call<op::Elicit>) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<CreateElicitationResponse>> + Send + 'static,
    {
        let pages = Arc::clone(&handlers.special.elicits.pages);
        handlers.enter_request(method, move |call: Call<op::Elicit>| {
            let (pages, answer) = (Arc::clone(&pages), handler(call.clone()));
            async move {
                let mut response = answer.await?;
                if let Some(form) = FormElicitation::of(call.params()) {
                    response.action = allowed(&form, response.action, call.context());
                }
                if let (ElicitationMode::Url(page), ElicitationAction::Accept(_)) =
                    (&call.params().mode, &response.action)
                {
                    // Before the answer leaves, so that the page is known when the agent says that
                    // the user is done.
                    pages.add(page.elicitation_id.clone());
                }
                Ok(response)
            }
        });
    }
}

/// Tells handlers of pages that were agreed to only.
impl ServeNotification<op::ElicitationComplete> for Context {
    fn enter<F>(
        handlers: &mut acp_handlers::Handlers<Self>,
        method: &str,
        listener: impl Fn(Call<op::ElicitationComplete>) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<()>> + Send + 'static,
    {
        let pages = Arc::clone(&handlers.special.elicits.pages);
        handlers.enter_notification(method, move |call: Call<op::ElicitationComplete>| {
            let told = pages.remove(&call.params().elicitation_id).then(|| listener(call));
            async move {
                match told {
                    Some(told) => told.await,
                    None => Ok(()),
                }
            }
        });
    }
}
