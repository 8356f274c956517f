//! Clients without the macro.

use std::fmt;
use std::sync::Arc;

use crate::serve::handler::{Handler, Listener};
use crate::serve::serve_op::{Notified, Served};
use crate::{Client, Handlers, op};

/// A client made of functions. It does the same as [`#[client]`](macro@crate::client) without the
/// macro.
///
/// `S` is the client's state, and every handler gets it by reference. Handlers take the same
/// arguments and return the same results as in a `#[client]` block.
///
/// ```
/// use acp_client::v1::{ReadTextFileRequest, SessionId};
/// use acp_client::{Event, Result, Router, op};
///
/// struct Editor;
///
/// impl Editor {
///     async fn read(&self, file: ReadTextFileRequest) -> Result<String> {
///         Ok(format!("unsaved text of {}", file.path))
///     }
///
///     async fn show(&self, session: SessionId, event: Event) {
///         // …
///     }
/// }
///
/// let editor = Router::new(Editor)
///     .on::<op::ReadTextFile, _>(Editor::read)
///     .on_notification::<op::Update, _>(Editor::show);
/// # let _ = |transport| acp_client::connect(transport).client(editor);
/// ```
pub struct Router<S: Send + Sync + 'static> {
    state: Arc<S>,
    registrations: Vec<Registration<S>>,
}

type Registration<S> = Box<dyn Fn(&Arc<S>, &mut Handlers) + Send + Sync>;

impl<S: Send + Sync + 'static> Router<S> {
    /// Creates a client that serves nothing yet.
    pub fn new(state: S) -> Self {
        Self { state: Arc::new(state), registrations: Vec::new() }
    }

    /// Returns the state that every handler gets.
    #[must_use]
    pub fn state(&self) -> &Arc<S> {
        &self.state
    }

    /// Sets the handler of a request: `op::ReadTextFile`, or [`op::Request`] with an own marker.
    #[must_use]
    pub fn on<O: Served, Arguments>(self, handler: impl Handler<O, S, Arguments>) -> Self {
        self.with(move |state, handlers| {
            let handler = handler.clone();
            handlers.serve::<O, _, _>(state, move |state, call| handler.clone().call(state, call));
        })
    }

    /// Sets the handler of a notification: `op::Update`, or [`op::Notification`] with an own
    /// marker.
    #[must_use]
    pub fn on_notification<O: Notified, Arguments>(self, listener: impl Listener<O, S, Arguments>) -> Self {
        self.with(move |state, handlers| {
            let listener = listener.clone();
            handlers.serve::<O, _, _>(state, move |state, call| listener.clone().call(state, call));
        })
    }

    /// Sets the handler of an extension request, whose method starts with `_`.
    ///
    /// # Panics
    /// The method starts with another letter. All those names belong to the protocol.
    #[must_use]
    #[track_caller]
    pub fn ext<Arguments>(
        self,
        method: &'static str,
        handler: impl Handler<op::Extension, S, Arguments>,
    ) -> Self {
        op::assert_own(method);
        self.with(move |state, handlers| {
            let handler = handler.clone();
            handlers.serve_ext(method, state, move |state, call| handler.clone().call(state, call));
        })
    }

    /// Sets the handler of an extension notification, whose method starts with `_`.
    ///
    /// # Panics
    /// The method starts with another letter. All those names belong to the protocol.
    #[must_use]
    #[track_caller]
    pub fn ext_notification<Arguments>(
        self,
        method: &'static str,
        listener: impl Listener<op::Extension, S, Arguments>,
    ) -> Self {
        op::assert_own(method);
        self.with(move |state, handlers| {
            let listener = listener.clone();
            handlers
                .serve_ext_notification(method, state, move |state, call| listener.clone().call(state, call));
        })
    }

    fn with(mut self, registration: impl Fn(&Arc<S>, &mut Handlers) + Send + Sync + 'static) -> Self {
        self.registrations.push(Box::new(registration));
        self
    }
}

impl<S: Send + Sync + 'static> Client for Router<S> {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        for register in &self.registrations {
            register(&self.state, handlers);
        }
    }
}

impl<S: Send + Sync + 'static> fmt::Debug for Router<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router").field("handlers", &self.registrations.len()).finish_non_exhaustive()
    }
}
