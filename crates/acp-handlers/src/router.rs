//! Handlers without the attributes.

use std::fmt;
use std::sync::Arc;

use acp_types::op::{Extension, Op, assert_own};

use crate::context::CallContext;
use crate::function::{Handler, Listener};
use crate::handlers::Handlers;
use crate::serve::{ServeKeyed, ServeNotification, ServeRequest};

/// Functions that handle operations, and their state `S`, which each of them gets by reference.
///
/// The functions take the same arguments and return the same results as in a block of an attribute.
pub struct Router<S, Cx: CallContext> {
    state: Arc<S>,
    registrations: Vec<Registration<S, Cx>>,
}

type Registration<S, Cx> = Box<dyn Fn(&Arc<S>, &mut Handlers<Cx>) + Send + Sync>;

impl<S: Send + Sync + 'static, Cx: CallContext> Router<S, Cx> {
    /// Creates a router that serves nothing yet.
    pub fn new(state: S) -> Self {
        Self { state: Arc::new(state), registrations: Vec::new() }
    }

    /// Returns the state that every handler gets.
    #[must_use]
    pub const fn state(&self) -> &Arc<S> {
        &self.state
    }

    /// Registers the handlers.
    pub fn register(&self, handlers: &mut Handlers<Cx>) {
        let outer = handlers.conflicts.begin_router_of::<S>();
        for register in &self.registrations {
            register(&self.state, handlers);
        }
        handlers.conflicts.registrant = outer;
    }

    /// Sets the handler of a request of the protocol, or of an extension that has a marker,
    /// [`op::Request`](acp_types::op::Request).
    #[must_use]
    pub fn on<O: Op, Arguments>(self, handler: impl Handler<O, S, Cx, Arguments>) -> Self
    where
        Cx: ServeRequest<O>,
    {
        self.with(move |state, handlers| {
            let handler = handler.clone();
            handlers.serve::<O, _, _>(state, move |state, call| handler.clone().call(state, call));
        })
    }

    /// Sets the handler of a request where the params name this key.
    #[must_use]
    pub fn keyed<O: Op, Arguments>(self, key: Cx::Key, handler: impl Handler<O, S, Cx, Arguments>) -> Self
    where
        Cx: ServeKeyed<O>,
    {
        self.with(move |state, handlers| {
            let handler = handler.clone();
            handlers.serve_keyed::<O, _, _>(key.clone(), state, move |state, call| {
                handler.clone().call(state, call)
            });
        })
    }

    /// Sets the handler of a notification of the protocol, or of an extension that has a marker,
    /// [`op::Notification`](acp_types::op::Notification).
    #[must_use]
    pub fn on_notification<O: Op, Arguments>(self, listener: impl Listener<O, S, Cx, Arguments>) -> Self
    where
        Cx: ServeNotification<O>,
    {
        self.with(move |state, handlers| {
            let listener = listener.clone();
            handlers.listen::<O, _, _>(state, move |state, call| listener.clone().call(state, call));
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
        handler: impl Handler<Extension, S, Cx, Arguments>,
    ) -> Self
    where
        Cx: ServeRequest<Extension>,
    {
        assert_own(method);
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
        listener: impl Listener<Extension, S, Cx, Arguments>,
    ) -> Self
    where
        Cx: ServeNotification<Extension>,
    {
        assert_own(method);
        self.with(move |state, handlers| {
            let listener = listener.clone();
            handlers.listen_ext(method, state, move |state, call| listener.clone().call(state, call));
        })
    }

    fn with(mut self, registration: impl Fn(&Arc<S>, &mut Handlers<Cx>) + Send + Sync + 'static) -> Self {
        self.registrations.push(Box::new(registration));
        self
    }
}

impl<S, Cx: CallContext> fmt::Debug for Router<S, Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router").field("handlers", &self.registrations.len()).finish_non_exhaustive()
    }
}
