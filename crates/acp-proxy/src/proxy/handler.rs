//! The handlers of a proxy, and how values reach them.

use std::future::ready;
use std::sync::Arc;

use acp_json::FromNode;
use acp_rpc::{BoxFuture, Encode, Error};

use super::next::{Next, Pass};
use super::observed::Observed;
use crate::flow::json::Json;
use crate::flow::reply::Reply;

/// The future of a reply.
pub(super) type Replying = std::pin::Pin<Box<dyn Future<Output = Reply> + Send>>;

pub(super) type OnRequest = Arc<dyn Fn(Json, Next) -> Replying + Send + Sync>;
pub(super) type OnNotification = Arc<dyn Fn(Json, Pass) -> BoxFuture + Send + Sync>;
/// Sees a message, and refuses it with an error.
pub(super) type Observer = Arc<dyn Fn(Observed<'_>) -> Result<(), Error> + Send + Sync>;

/// Makes the handler of a request from a function that takes the text of the params.
pub(super) fn raw_request<F, Fut>(handler: F) -> OnRequest
where
    F: Fn(Json, Next) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: Into<Reply>> + Send + 'static,
{
    Arc::new(move |params, next| {
        let reply = handler(params, next);
        Box::pin(async move { reply.await.into() })
    })
}

/// Makes the handler of a request from a function that takes its params as a type.
pub(super) fn request<P, F, Fut>(handler: F) -> OnRequest
where
    P: FromNode,
    F: Fn(P, Next) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: Into<Reply>> + Send + 'static,
{
    Arc::new(move |params, next| match params.read() {
        Ok(params) => {
            let reply = handler(params, next);
            Box::pin(async move { reply.await.into() })
        }
        Err(error) => {
            let problem = format!("the params of `{}` cannot be read: {error}", next.method());
            Box::pin(ready(Error::invalid_params(problem).into()))
        }
    })
}

/// Makes the handler of a notification from a function that takes the text of the params.
pub(super) fn raw_notification<F, Fut>(handler: F) -> OnNotification
where
    F: Fn(Json, Pass) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    Arc::new(move |params, pass| Box::pin(handler(params, pass)))
}

/// Makes the handler of a notification from a function that takes its params as a type. Params that
/// are not of that type are reported, and go no further.
pub(super) fn notification<P, F, Fut>(handler: F) -> OnNotification
where
    P: FromNode,
    F: Fn(P, Pass) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    Arc::new(move |params, pass| match params.read() {
        Ok(params) => Box::pin(handler(params, pass)),
        Err(error) => {
            pass.unreadable(&error);
            Box::pin(ready(()))
        }
    })
}

/// Makes the reply of a handler that answers with a value.
#[doc(hidden)]
pub fn served<T: Encode, E: Into<Error>>(outcome: Result<T, E>) -> Reply {
    match outcome {
        Ok(result) => Reply::of(&result).into(),
        Err(error) => error.into().into(),
    }
}
