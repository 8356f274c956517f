//! The service of each operation: the client's work around the handler.

use std::sync::Arc;

use acp_handlers::{Admit, Answered, CallContext, Notified, ServeNotification, ServeRequest};
use acp_json::{Node, ReadError};
use acp_rpc::Reply;
use acp_types::v1::ext::NotChosen;
use acp_types::v1::{RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse};
use serde_core::Serialize;

use crate::error::Result;
use crate::op::{self, Op};
use crate::serve::handlers::OfClient;
use crate::{Call, Context, Error, PermissionAnswer, RpcError};

impl CallContext for Context {
    type Error = Error;
    type Special = OfClient;

    fn into_rpc(error: Error) -> RpcError {
        error.into_rpc()
    }

    fn read<O: Op>(&self, params: Node<'_>) -> Result<O::Params, ReadError> {
        self.wire().read(params)
    }

    fn ignored(&self, method: &str, reason: &str) {
        self.note(format!("ignored `{method}`: {reason}"));
    }
}

/// A client finds nothing before a handler runs.
impl<O: Op> Admit<O> for Context {
    type Admission = ();

    fn admit(&self, _: &Arc<O::Params>) -> Result<(), RpcError> {
        Ok(())
    }
}

impl<O: Answered> ServeRequest<O> for Context {
    type Answer = O::Answer;

    async fn finish(call: &Call<O>, outcome: Result<O::Answer>) -> Result<Reply, RpcError> {
        let answer = outcome.map_err(Error::into_rpc)?;
        Ok(O::reply(answer, |response| call.context().wire().answer(response)))
    }
}

/// Makes the reply of the handler's result.
pub(crate) fn answer<R: Serialize + Send + 'static>(
    context: &Context,
    outcome: Result<R>,
) -> Result<Reply, RpcError> {
    outcome.map(|response| context.wire().answer(response)).map_err(Error::into_rpc)
}

impl<O: Notified> ServeNotification<O> for Context {}

/// Handlers of updates run one at a time for each session, in the order of the wire, and there may
/// be several.
impl ServeNotification<op::Update> for Context {
    fn enter<F>(
        handlers: &mut acp_handlers::Handlers<Self>,
        method: &str,
        listener: impl Fn(Call<op::Update>) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<()>> + Send + 'static,
    {
        let (method, listener): (Arc<str>, _) = (method.into(), Arc::new(listener));
        handlers.special.updates.push(Arc::new(move |update, context| {
            let (context, method, listener) = (context(), Arc::clone(&method), Arc::clone(&listener));
            Box::pin(async move {
                if let Err(error) = listener(Call::new(context.clone(), Arc::from(update), ())).await {
                    context.ignored(&method, &error.to_string());
                }
            })
        }));
    }
}

/// The answer of a handler of `request_permission`.
#[derive(Clone, Debug)]
pub enum PermissionReply {
    /// An answer that is looked for among the offered options.
    Answer(PermissionAnswer),
    /// The response.
    Response(RequestPermissionResponse),
}

impl ServeRequest<op::RequestPermission> for Context {
    type Answer = PermissionReply;

    async fn finish(
        call: &Call<op::RequestPermission>,
        outcome: Result<PermissionReply>,
    ) -> Result<Reply, RpcError> {
        let (context, request) = (call.context(), call.params());
        let outcome = outcome.map(|answer| {
            let mut response = answer.among(request, context);
            context.report(context.wire().fit_answer(&mut response), &request.session_id);
            response
        });
        answer(context, outcome)
    }
}

impl From<PermissionAnswer> for PermissionReply {
    fn from(answer: PermissionAnswer) -> Self {
        Self::Answer(answer)
    }
}

impl From<RequestPermissionResponse> for PermissionReply {
    fn from(response: RequestPermissionResponse) -> Self {
        Self::Response(response)
    }
}

impl PermissionReply {
    fn among(self, request: &RequestPermissionRequest, context: &Context) -> RequestPermissionResponse {
        match self {
            Self::Answer(PermissionAnswer::Option(id)) => {
                let outcome = RequestPermissionOutcome::selected(id);
                RequestPermissionResponse::new(offered(request, outcome, context))
            }
            Self::Answer(answer) => RequestPermissionResponse::new(answer.among(request)),
            Self::Response(mut response) => {
                response.outcome = offered(request, response.outcome, context);
                response
            }
        }
    }
}

/// Returns the outcome, unless it selects an option that was not offered. That is not consent (rule
/// v1-perm-04).
fn offered(
    request: &RequestPermissionRequest,
    outcome: RequestPermissionOutcome,
    context: &Context,
) -> RequestPermissionOutcome {
    match request.chosen(&outcome) {
        Err(NotChosen::NotOffered) => {
            context.note(format!(
                "a permission handler chose an option that was not offered (session `{}`): answered `cancelled`",
                request.session_id
            ));
            RequestPermissionOutcome::Cancelled
        }
        _ => outcome,
    }
}
