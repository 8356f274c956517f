//! The handlers of a proxy, and how values reach them.

use std::fmt;
use std::future::ready;
use std::sync::Arc;

use acp_json::FromNode;
use acp_rpc::{BoxFuture, Encode, Error};

use super::next::{Next, Pass};
use super::observed::Observed;
#[cfg(feature = "v2")]
use super::seen;
use crate::flow::json::Json;
use crate::flow::reply::Reply;
#[cfg(feature = "v2")]
use crate::wire::view::View;

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
        Err(error) => Box::pin(ready(unreadable(next.method(), &error))),
    })
}

/// Makes the handler of a request of the vocabulary. In version 2 it takes a view of the params.
#[cfg(feature = "v2")]
pub(super) fn request_in_view<P, F, Fut>(view: View, handler: F) -> OnRequest
where
    P: FromNode + Encode,
    F: Fn(P, Next) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: Into<Reply>> + Send + 'static,
{
    let handler = Arc::new(handler);
    let own = Arc::clone(&handler);
    let plain = request(move |params, next| own(params, next));
    Arc::new(move |params, mut next| {
        if next.version() != 2 {
            return plain(params, next);
        }
        match seen::read(&params, view) {
            Ok((params, seen)) => {
                next.held.seen = Some(seen);
                let reply = handler(params, next);
                Box::pin(async move { seen::answered(view, reply.await.into()) })
            }
            Err(error) => Box::pin(ready(unreadable(next.method(), &error))),
        }
    })
}

fn unreadable(method: &str, error: &dyn fmt::Display) -> Reply {
    Error::invalid_params(format!("the params of `{method}` cannot be read: {error}")).into()
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

/// Makes the handler of a notification of the vocabulary. In version 2 it takes a view of the
/// params.
#[cfg(feature = "v2")]
pub(super) fn notification_in_view<P, F, Fut>(view: View, handler: F) -> OnNotification
where
    P: FromNode + Encode,
    F: Fn(P, Pass) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    let handler = Arc::new(handler);
    let own = Arc::clone(&handler);
    let plain = notification(move |params, pass| own(params, pass));
    Arc::new(move |params, mut pass| {
        if pass.version() != 2 {
            return plain(params, pass);
        }
        match seen::read(&params, view) {
            Ok((params, seen)) => {
                pass.0.seen = Some(seen);
                Box::pin(handler(params, pass))
            }
            Err(error) => {
                pass.unreadable(&error);
                Box::pin(ready(()))
            }
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
