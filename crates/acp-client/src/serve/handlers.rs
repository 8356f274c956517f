//! The handlers of one connection.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::pin::Pin;
use std::sync::Arc;

use acp_handlers::unreadable;
use acp_json::{FromNode, Value};
use acp_rpc::Reply;
use acp_types::method;
use acp_types::v1::{
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse, SessionNotification,
};

use crate::op;
use crate::serve::elicitation::modes::Elicits;
use crate::{Context, PermissionReply, RpcError};

/// The handlers of one connection, by method. A method has one handler, and only `session/update`
/// may have several.
///
/// Handlers run as tasks of their own, so a handler may wait as long as it likes and may call the
/// agent. Only handlers of `session/update` run one after another for each session, in the order of
/// the wire.
#[derive(Debug, Default)]
pub struct Handlers(acp_handlers::Handlers<Context>);

/// The handlers that are not found by method alone, and what they ask of the connection.
#[derive(Default)]
pub struct OfClient {
    pub(crate) updates: Vec<UpdateHandler>,
    pub(crate) elicits: Elicits,
    /// True if a handler works in the directories of sessions.
    pub(crate) needs_roots: bool,
}

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type UpdateHandler = Arc<dyn Fn(Box<SessionNotification>, &dyn Fn() -> Context) -> Boxed<()> + Send + Sync>;

impl Handlers {
    /// Serves the request `M`, a marker of [`v1::methods`](crate::v1::methods).
    ///
    /// Params that do not fit are answered with -32602, and the handler is not called.
    pub fn request<M, S, F>(
        &mut self,
        state: &Arc<S>,
        handler: impl Fn(Arc<S>, M::Params, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        M: method::Request,
        S: Send + Sync + 'static,
        F: Future<Output = Result<M::Response, RpcError>> + Send + 'static,
    {
        let state = Arc::clone(state);
        self.raw_request(M::NAME, move |params, context| {
            let wire = context.wire();
            let answer = handler(Arc::clone(&state), params, context);
            async move { answer.await.map(|response| wire.answer(response)) }
        })
    }

    /// Serves the notification `M`, a marker of [`v1::methods`](crate::v1::methods). For
    /// `session/update` use [`update`](Self::update), which keeps the order.
    pub fn notification<M, S, F>(
        &mut self,
        state: &Arc<S>,
        handler: impl Fn(Arc<S>, M::Params, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        M: method::Notification,
        S: Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        self.raw_notification(M::NAME, state, handler)
    }

    /// Answers `session/request_permission`. An outcome with an option that was not offered counts
    /// as `cancelled`. If the turn is cancelled, the handler is dropped and the answer is
    /// `cancelled`.
    pub fn permission<S, F>(
        &mut self,
        state: &Arc<S>,
        handler: impl Fn(Arc<S>, RequestPermissionRequest, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        S: Send + Sync + 'static,
        F: Future<Output = RequestPermissionOutcome> + Send + 'static,
    {
        self.serve::<op::RequestPermission, _, _>(state, move |state, call| {
            let outcome = handler(state, call.params().clone(), call.context().clone());
            async move { Ok(PermissionReply::Response(RequestPermissionResponse::new(outcome.await))) }
        });
        self
    }

    /// Calls the handler for every `session/update` of every session: one at a time for each
    /// session, in the order of the wire. The session's next update and the response of its turn
    /// wait until the handler is done. So it must not wait for a turn of the same session.
    pub fn update<S, F>(
        &mut self,
        state: &Arc<S>,
        handler: impl Fn(Arc<S>, SessionNotification) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        S: Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let state = Arc::clone(state);
        self.each_update(move |update| handler(Arc::clone(&state), update))
    }

    pub(crate) fn each_update<F>(
        &mut self,
        handler: impl Fn(SessionNotification) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let handler = Arc::new(handler);
        self.special.updates.push(Arc::new(move |update, _| {
            let handler = Arc::clone(&handler);
            // Called in the job. The job itself is made on the reader, where user code must not
            // run.
            Box::pin(async move { handler(*update).await })
        }));
        self
    }

    /// Serves an extension request. Its name starts with an underscore.
    ///
    /// # Panics
    /// The name starts with another letter. All those names belong to the protocol.
    #[track_caller]
    pub fn ext_request<S, F>(
        &mut self,
        name: &str,
        state: &Arc<S>,
        handler: impl Fn(Arc<S>, Value, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        S: Send + Sync + 'static,
        F: Future<Output = Result<Value, RpcError>> + Send + 'static,
    {
        op::assert_own(name);
        let state = Arc::clone(state);
        self.raw_request(name, move |params, context| {
            let wire = context.wire();
            let answer = handler(Arc::clone(&state), params, context);
            async move { answer.await.map(|response| wire.answer(response)) }
        })
    }

    /// Receives an extension notification. Its name starts with an underscore.
    ///
    /// # Panics
    /// The name starts with another letter. All those names belong to the protocol.
    #[track_caller]
    pub fn ext_notification<S, F>(
        &mut self,
        name: &str,
        state: &Arc<S>,
        handler: impl Fn(Arc<S>, Value, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        S: Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        op::assert_own(name);
        self.raw_notification(name, state, handler)
    }

    /// Serves a request by its name alone.
    pub(crate) fn raw_request<P, F>(
        &mut self,
        name: &str,
        handler: impl Fn(P, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        P: FromNode + Send + 'static,
        F: Future<Output = Result<Reply, RpcError>> + Send + 'static,
    {
        self.claim(name);
        self.replace(name, handler)
    }

    /// Replaces the handler of a request, if there is one.
    pub(crate) fn replace<P, F>(
        &mut self,
        name: &str,
        handler: impl Fn(P, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        P: FromNode + Send + 'static,
        F: Future<Output = Result<Reply, RpcError>> + Send + 'static,
    {
        let (method, handler) = (Box::<str>::from(name), Arc::new(handler));
        let call = move |params: acp_json::Node<'_>, context: Context, _: &acp_rpc::Request| {
            let params = context.wire().read(params).map_err(|error| unreadable(&method, &error))?;
            let handler = Arc::clone(&handler);
            // Called in the task. This closure runs on the reader, where user code must not run.
            Ok(Box::pin(async move { handler(params, context).await }) as acp_rpc::Task)
        };
        self.set_request(name, Arc::new(call));
        self
    }

    fn raw_notification<P, S, F>(
        &mut self,
        name: &str,
        state: &Arc<S>,
        handler: impl Fn(Arc<S>, P, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        P: FromNode + Send + 'static,
        S: Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        self.claim(name);
        let (state, handler) = (Arc::clone(state), Arc::new(handler));
        let call = move |params: acp_json::Node<'_>, context: Context| {
            let params: P = context.wire().read(params).map_err(|error| error.to_string())?;
            let (state, handler) = (Arc::clone(&state), Arc::clone(&handler));
            Ok(Box::pin(async move { handler(state, params, context).await }) as Boxed<()>)
        };
        self.set_notification(name, Arc::new(call));
        self
    }

    pub(crate) const fn sees_updates(&self) -> bool {
        !self.0.special.updates.is_empty()
    }

    /// Returns a future that calls every handler of updates. Making it runs no user code, and makes
    /// a `context` only for handlers that take one.
    pub(crate) fn updated(
        self: &Arc<Self>,
        update: Box<SessionNotification>,
        context: impl Fn() -> Context,
    ) -> Boxed<()> {
        if let [only] = self.special.updates.as_slice() {
            return only(update, &context);
        }
        let (handlers, context) = (Arc::clone(self), context());
        Box::pin(async move {
            let Some((last, others)) = handlers.special.updates.split_last() else { return };
            for handler in others {
                handler(update.clone(), &|| context.clone()).await;
            }
            last(update, &|| context.clone()).await;
        })
    }
}

impl Deref for Handlers {
    type Target = acp_handlers::Handlers<Context>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Handlers {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl fmt::Debug for OfClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OfClient").field("updates", &self.updates.len()).finish_non_exhaustive()
    }
}
