//! The handlers of one connection.

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use acp_json::{FromNode, Node, Value};
use acp_rpc::{Reply, Task};
use acp_types::method;
use acp_types::method::Method as _;
use acp_types::v1::methods::{ElicitationCreate, SessionRequestPermission};
use acp_types::v1::{
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse, SessionNotification,
};

use crate::serve::conflicts::Conflicts;
use crate::serve::elicitation::modes::Elicits;
use crate::{Context, Operation, RpcError};

/// The handlers of one connection, by method. A method has one handler, and only `session/update`
/// may have several.
///
/// Handlers run as tasks of their own, so a handler may wait as long as it likes and may call the
/// agent. Only handlers of `session/update` run one after another for each session, in the order of
/// the wire.
#[derive(Default)]
pub struct Handlers {
    requests: HashMap<Box<str>, RequestHandler>,
    notifications: HashMap<Box<str>, NotificationHandler>,
    updates: Vec<UpdateHandler>,
    pub(crate) elicits: Elicits,
    pub(crate) conflicts: Conflicts,
    /// True if a handler works in the directories of sessions.
    pub(crate) needs_roots: bool,
}

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type RequestHandler = Box<dyn Fn(Node<'_>, Context) -> Result<Task, RpcError> + Send + Sync>;
type NotificationHandler = Box<dyn Fn(Node<'_>, Context) -> Result<Boxed<()>, RpcError> + Send + Sync>;
type UpdateHandler = Arc<dyn Fn(SessionNotification, &dyn Fn() -> Context) -> Boxed<()> + Send + Sync>;

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
        self.elicits.is_raw |= M::NAME == ElicitationCreate::NAME;
        self.conflicts.claim(M::NAME);
        self.replace::<M, _>(move |params, context| handler(Arc::clone(&state), params, context))
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
        let state = Arc::clone(state);
        self.raw_notification(M::NAME, move |params, context| handler(Arc::clone(&state), params, context))
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
        let handler = Arc::new(handler);
        self.request::<SessionRequestPermission, _, _>(state, move |state, request, context| {
            let handler = Arc::clone(&handler);
            async move {
                let outcome = handler(state, request.clone(), context.clone()).await;
                Ok(RequestPermissionResponse::new(offered(&request, outcome, &context)))
            }
        })
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
        self.updates.push(Arc::new(move |update, _| {
            let handler = Arc::clone(&handler);
            // Called in the job. The job itself is made on the reader, where user code must not
            // run.
            Box::pin(async move { handler(update).await })
        }));
        self
    }

    pub(crate) fn update_in<F>(
        &mut self,
        handler: impl Fn(SessionNotification, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let handler = Arc::new(handler);
        self.updates.push(Arc::new(move |update, context| {
            let (context, handler) = (context(), Arc::clone(&handler));
            Box::pin(async move { handler(update, context).await })
        }));
        self
    }

    /// Serves an extension request. Its name starts with an underscore.
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
        let state = Arc::clone(state);
        self.raw_request(name, move |params, context| {
            let answer = handler(Arc::clone(&state), params, context);
            async move { answer.await.map(Reply::new) }
        })
    }

    /// Receives an extension notification. Its name starts with an underscore.
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
        let state = Arc::clone(state);
        self.raw_notification(name, move |params, context| handler(Arc::clone(&state), params, context))
    }

    /// Returns true if a request of this name has a handler.
    #[must_use]
    pub fn serves(&self, method: &str) -> bool {
        self.requests.contains_key(method)
    }

    /// Returns true if the operation has a handler.
    pub(crate) fn has(&self, operation: Operation) -> bool {
        let method = operation.method();
        self.requests.contains_key(method) || self.notifications.contains_key(method)
    }

    pub(crate) fn find_request(&self, method: &str) -> Option<&RequestHandler> {
        self.requests.get(method)
    }

    pub(crate) fn find_notification(&self, method: &str) -> Option<&NotificationHandler> {
        self.notifications.get(method)
    }

    pub(crate) const fn sees_updates(&self) -> bool {
        !self.updates.is_empty()
    }

    /// Returns a future that calls every handler of updates. Making it runs no user code, and makes
    /// a `context` only for handlers that take one.
    pub(crate) fn updated(
        self: &Arc<Self>,
        update: SessionNotification,
        context: impl Fn() -> Context,
    ) -> Boxed<()> {
        if let [only] = self.updates.as_slice() {
            return only(update, &context);
        }
        let (handlers, context) = (Arc::clone(self), context());
        Box::pin(async move {
            let Some((last, others)) = handlers.updates.split_last() else { return };
            for handler in others {
                handler(update.clone(), &|| context.clone()).await;
            }
            last(update, &|| context.clone()).await;
        })
    }

    /// Replaces the handler of `M`, if there is one.
    pub(crate) fn replace<M, F>(
        &mut self,
        handler: impl Fn(M::Params, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        M: method::Request,
        F: Future<Output = Result<M::Response, RpcError>> + Send + 'static,
    {
        self.insert(M::NAME, move |params, context| {
            let answer = handler(params, context);
            async move { answer.await.map(Reply::new) }
        })
    }

    pub(crate) fn raw_request<P, F>(
        &mut self,
        name: &str,
        handler: impl Fn(P, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        P: FromNode + Send + 'static,
        F: Future<Output = Result<Reply, RpcError>> + Send + 'static,
    {
        self.conflicts.claim(name);
        self.insert(name, handler)
    }

    fn insert<P, F>(
        &mut self,
        name: &str,
        handler: impl Fn(P, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        P: FromNode + Send + 'static,
        F: Future<Output = Result<Reply, RpcError>> + Send + 'static,
    {
        let handler = Arc::new(handler);
        self.requests.insert(
            name.into(),
            Box::new(move |params, context| {
                let (params, handler) = (read_params(params)?, Arc::clone(&handler));
                // Called in the task. This closure runs on the reader, where user code must not
                // run.
                Ok(Box::pin(async move { handler(params, context).await }))
            }),
        );
        self
    }

    pub(crate) fn raw_notification<P, F>(
        &mut self,
        name: &str,
        handler: impl Fn(P, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        P: FromNode + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        self.conflicts.claim(name);
        let handler = Arc::new(handler);
        self.notifications.insert(
            name.into(),
            Box::new(move |params, context| {
                let (params, handler) = (read_params(params)?, Arc::clone(&handler));
                Ok(Box::pin(async move { handler(params, context).await }))
            }),
        );
        self
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers")
            .field("requests", &self.requests.keys())
            .field("notifications", &self.notifications.keys())
            .field("updates", &self.updates.len())
            .finish()
    }
}

fn read_params<P: FromNode>(params: Node<'_>) -> Result<P, RpcError> {
    acp_json::read(params).map_err(|error| RpcError::invalid_params(error.to_string()))
}

/// Returns the outcome, unless it selects an option that was not offered. That is not consent (rule
/// v1-perm-04).
pub(crate) fn offered(
    request: &RequestPermissionRequest,
    outcome: RequestPermissionOutcome,
    context: &Context,
) -> RequestPermissionOutcome {
    match outcome.option() {
        Some(chosen) if !request.options.iter().any(|option| option.option_id == *chosen) => {
            context.note(format!(
                "a permission handler chose an option that was not offered (session `{}`): answered `cancelled`",
                request.session_id
            ));
            RequestPermissionOutcome::Cancelled
        }
        _ => outcome,
    }
}
