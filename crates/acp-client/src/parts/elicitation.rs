//! Questions to the user as callbacks.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use acp_types::Map;
use acp_types::v1::{ElicitationContentValue, ElicitationId};

use crate::{Client, ElicitationAnswer, FormElicitation, Handlers, UrlElicitation};

/// Asks the user the agent's questions. Exactly the modes that have a callback are offered to the
/// agent.
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
    completed: Option<Completed>,
}

type Values = Map<ElicitationContentValue>;
type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Ask<Q, A> = Arc<dyn Fn(Q) -> Boxed<ElicitationAnswer<A>> + Send + Sync>;
type Completed = Arc<dyn Fn(ElicitationId) -> Boxed<()> + Send + Sync>;

impl Elicitation {
    /// Creates one that can ask nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the callback that fills in forms: see [`Handlers::elicit_form`].
    #[must_use]
    pub fn form<F>(mut self, ask: impl Fn(FormElicitation) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ElicitationAnswer<Map<ElicitationContentValue>>> + Send + 'static,
    {
        self.form = Some(Arc::new(move |form| Box::pin(ask(form))));
        self
    }

    /// Sets the callback that opens web pages: see [`Handlers::elicit_url`].
    #[must_use]
    pub fn url<F>(mut self, ask: impl Fn(UrlElicitation) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ElicitationAnswer> + Send + 'static,
    {
        self.url = Some(Arc::new(move |page| Box::pin(ask(page))));
        self
    }

    /// Sets the callback for the end of a visit: see [`Handlers::elicitation_complete`].
    #[must_use]
    pub fn completed<F>(mut self, callback: impl Fn(ElicitationId) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.completed = Some(Arc::new(move |id| Box::pin(callback(id))));
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
        if let Some(callback) = &self.completed {
            handlers.elicitation_complete(callback, |callback, id| callback(id));
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
