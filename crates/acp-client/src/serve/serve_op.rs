//! The service of each operation: the library's work around the handler.

use std::fmt::Display;
use std::pin::Pin;
use std::sync::Arc;

use acp_rpc::Reply;
use acp_types::method;
use acp_types::v1::methods::SessionRequestPermission;
use acp_types::v1::{RequestPermissionRequest, RequestPermissionResponse};

use crate::error::Result;
use crate::op::{self, Op};
use crate::serve::call::Call;
use crate::serve::handlers::offered;
use crate::{Choice, Context, Error, Handlers};

/// A handler of operation `O`, as a connection keeps it.
pub type ServeOp<O> =
    Arc<dyn Fn(Call<O>) -> Pin<Box<dyn Future<Output = Result<<O as Served>::Answer>> + Send>> + Send + Sync>;

/// An operation that a client serves.
pub trait Served: Op {
    /// The answer that the handler's result is converted to.
    type Answer: Send + 'static;

    /// Registers the handler of the operation, or of this extension method.
    fn register(handlers: &mut Handlers, method: &str, handler: ServeOp<Self>);
}

/// A notification. Its handler returns nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a notification",
    label = "this operation is a request",
    note = "`Router::on` takes the handlers of requests"
)]
pub trait Notified: Served<Answer = ()> {}

/// The answer of a handler of `request_permission`.
#[derive(Clone, Debug)]
pub enum PermissionAnswer {
    /// A choice by kind among the offered options.
    Choice(Choice),
    /// The response.
    Response(RequestPermissionResponse),
}

impl Handlers {
    /// Serves operation `O` of the protocol, or an extension method that a marker names. A
    /// `#[client]` block calls this for each of its functions. Handlers run as tasks. Those of
    /// [`op::Update`] run one at a time for each session, in the order of the wire.
    pub fn serve<O, S, F>(
        &mut self,
        state: &Arc<S>,
        handler: impl Fn(Arc<S>, Call<O>) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        O: Served,
        S: Send + Sync + 'static,
        F: Future<Output = Result<O::Answer>> + Send + 'static,
    {
        const {
            if O::IS_OWN {
                op::assert_own(O::METHOD);
            }
        }
        O::register(self, O::METHOD, with_state(state, handler));
        self
    }

    /// Serves the extension request `method`, whose name starts with `_`.
    pub fn serve_ext<S, F>(
        &mut self,
        method: &str,
        state: &Arc<S>,
        handler: impl Fn(Arc<S>, Call<op::Extension>) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        S: Send + Sync + 'static,
        F: Future<Output = Result<Reply>> + Send + 'static,
    {
        op::Extension::register(self, method, with_state(state, handler));
        self
    }

    /// Receives the extension notification `method`, whose name starts with `_`.
    pub fn serve_ext_notification<S, F>(
        &mut self,
        method: &str,
        state: &Arc<S>,
        handler: impl Fn(Arc<S>, Call<op::Extension>) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        S: Send + Sync + 'static,
        F: Future<Output = Result<()>> + Send + 'static,
    {
        let (state, name): (_, Arc<str>) = (Arc::clone(state), method.into());
        self.raw_notification(method, move |params, context| {
            told(handler(Arc::clone(&state), Call::new(params, context.clone())), context, Arc::clone(&name))
        })
    }
}

fn with_state<O, S, F>(
    state: &Arc<S>,
    handler: impl Fn(Arc<S>, Call<O>) -> F + Send + Sync + 'static,
) -> ServeOp<O>
where
    O: Served,
    S: Send + Sync + 'static,
    F: Future<Output = Result<O::Answer>> + Send + 'static,
{
    let state = Arc::clone(state);
    Arc::new(move |call| Box::pin(handler(Arc::clone(&state), call)))
}

/// Awaits a handler of a notification. A notification has no answer, so an error is noted.
async fn told(handler: impl Future<Output = Result<()>>, context: Context, method: impl Display) {
    if let Err(error) = handler.await {
        context.note(format!("ignored `{method}`: {error}"));
    }
}

pub(crate) fn request<O: Served<Answer = <O as Op>::Response>>(handlers: &mut Handlers, handler: ServeOp<O>) {
    handlers.raw_request(O::METHOD, move |params, context| {
        let answer = handler(Call::new(params, context));
        async move { answer.await.map(Reply::new).map_err(Error::into_rpc) }
    });
}

pub(crate) fn notification<O: Served<Answer = ()>>(handlers: &mut Handlers, handler: ServeOp<O>) {
    handlers.raw_notification(O::METHOD, move |params, context| {
        told(handler(Call::new(params, context.clone())), context, O::METHOD)
    });
}

impl Served for op::Update {
    type Answer = ();

    fn register(handlers: &mut Handlers, _: &str, handler: ServeOp<Self>) {
        handlers.update_in(move |update, context| {
            told(handler(Call::new(update, context.clone())), context, op::Update::METHOD)
        });
    }
}

impl Served for op::RequestPermission {
    type Answer = PermissionAnswer;

    fn register(handlers: &mut Handlers, _: &str, handler: ServeOp<Self>) {
        handlers.request::<SessionRequestPermission, _, _>(
            &Arc::new(handler),
            |handler, request, context| async move {
                let answer = handler(Call::new(request.clone(), context.clone())).await;
                Ok(answer.map_err(Error::into_rpc)?.among(&request, &context))
            },
        );
    }
}

impl From<Choice> for PermissionAnswer {
    fn from(choice: Choice) -> Self {
        Self::Choice(choice)
    }
}

impl From<RequestPermissionResponse> for PermissionAnswer {
    fn from(response: RequestPermissionResponse) -> Self {
        Self::Response(response)
    }
}

impl PermissionAnswer {
    fn among(self, request: &RequestPermissionRequest, context: &Context) -> RequestPermissionResponse {
        match self {
            Self::Choice(choice) => RequestPermissionResponse::new(choice.among(request)),
            Self::Response(mut response) => {
                response.outcome = offered(request, response.outcome, context);
                response
            }
        }
    }
}

impl Served for op::Elicit {
    type Answer = <op::Elicit as Op>::Response;

    fn register(handlers: &mut Handlers, _: &str, handler: ServeOp<Self>) {
        handlers.elicit(move |request, context| {
            let answer = handler(Call::new(request, context));
            async move { answer.await.map_err(Error::into_rpc) }
        });
    }
}

impl Served for op::ElicitationComplete {
    type Answer = ();

    fn register(handlers: &mut Handlers, _: &str, handler: ServeOp<Self>) {
        handlers.completed(move |done, context| {
            told(handler(Call::new(done, context.clone())), context, op::ElicitationComplete::METHOD)
        });
    }
}

impl Served for op::Extension {
    type Answer = Reply;

    fn register(handlers: &mut Handlers, method: &str, handler: ServeOp<Self>) {
        handlers.raw_request(method, move |params, context| {
            let answer = handler(Call::new(params, context));
            async move { answer.await.map_err(Error::into_rpc) }
        });
    }
}

impl<M> Served for op::Request<M>
where
    M: method::Request<Params: Clone + Sync> + 'static,
{
    type Answer = M::Response;

    fn register(handlers: &mut Handlers, _: &str, handler: ServeOp<Self>) {
        request(handlers, handler);
    }
}

impl<M> Served for op::Notification<M>
where
    M: method::Notification<Params: Clone + Sync> + 'static,
{
    type Answer = ();

    fn register(handlers: &mut Handlers, _: &str, handler: ServeOp<Self>) {
        notification(handlers, handler);
    }
}

impl<M> Notified for op::Notification<M> where M: method::Notification<Params: Clone + Sync> + 'static {}
