//! The arguments of handlers.

use std::fmt;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::task::{self, Poll};

use acp_json::FromNode;
use acp_types::v1::SessionId;
use acp_types::{Meta, method};
use serde_core::de::DeserializeOwned;

use crate::error::Result;
use crate::op::{self, OnSession, Op};
use crate::serve::call::Call;
use crate::{Agent, Cancel, Context, Error, Event};

/// A type that the handler of operation `O` can have as an argument, in any order.
///
/// Every operation has its request, such as `ReadTextFileRequest`, and [`Agent`], [`Cancel`],
/// [`RequestMeta`] and [`Context`]. These have more:
///
#[doc = include_str!("../generated/arguments.md")]
///
/// A function with `#[ext]` has anything that is `DeserializeOwned`, which is read from the params.
/// A function with `#[on]` and a marker of your own has the params that the marker names.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument of the operation `{O}`",
    label = "a handler of this operation cannot have this argument",
    note = "every handler can have its request, `Agent`, `Cancel`, `RequestMeta` and `Context`, and in a session \
            `SessionId`",
    note = "`update` has `Event`, and `#[ext]` handlers have any `DeserializeOwned` type"
)]
pub trait FromCall<O: Op>: Sized {
    /// Takes the argument from the call.
    ///
    /// # Errors
    /// The error that answers the request if it does not have such an argument.
    fn from_call(call: &mut Call<O>) -> Argument<'_, Self>;
}

/// An argument of a handler, on its way. Await it.
#[must_use = "await it to get the argument"]
pub struct Argument<'c, T>(Way<'c, T>);

enum Way<'c, T> {
    Now(Ready<Result<T>>),
    Later(Pin<Box<dyn Future<Output = Result<T>> + Send + 'c>>),
}

impl<'c, T> Argument<'c, T> {
    /// Wraps an argument that is there.
    pub fn now(argument: T) -> Self {
        Ok(argument).into()
    }

    /// Wraps an argument that has to be waited for.
    pub fn later(argument: impl Future<Output = Result<T>> + Send + 'c) -> Self {
        Self(Way::Later(Box::pin(argument)))
    }
}

impl<T> From<Result<T>> for Argument<'_, T> {
    fn from(argument: Result<T>) -> Self {
        Self(Way::Now(ready(argument)))
    }
}

impl<T> Future for Argument<'_, T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Result<T>> {
        match &mut self.0 {
            Way::Now(argument) => Pin::new(argument).poll(cx),
            Way::Later(argument) => argument.as_mut().poll(cx),
        }
    }
}

impl<T> fmt::Debug for Argument<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Argument").finish_non_exhaustive()
    }
}

/// The agent that asks. Before `initialize` is answered, the call waits for that.
impl<O: Op> FromCall<O> for Agent {
    fn from_call(call: &mut Call<O>) -> Argument<'_, Self> {
        Argument::later(call.context().agent(O::METHOD))
    }
}

impl<O: Op> FromCall<O> for Cancel {
    fn from_call(call: &mut Call<O>) -> Argument<'_, Self> {
        Argument::now(call.cancel())
    }
}

impl<O: Op> FromCall<O> for Context {
    fn from_call(call: &mut Call<O>) -> Argument<'_, Self> {
        Argument::now(call.context().clone())
    }
}

impl<O: OnSession> FromCall<O> for SessionId {
    fn from_call(call: &mut Call<O>) -> Argument<'_, Self> {
        Argument::now(O::session(call.params()).clone())
    }
}

/// The `_meta` of a request. It is empty if the request has none, and for extension methods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestMeta(pub Meta);

impl<O: Op> FromCall<O> for RequestMeta {
    fn from_call(call: &mut Call<O>) -> Argument<'_, Self> {
        Argument::now(Self(O::meta(call.params()).cloned().unwrap_or_default()))
    }
}

impl FromCall<op::Update> for Event {
    fn from_call(call: &mut Call<op::Update>) -> Argument<'_, Self> {
        Argument::now(call.params().update.clone().into())
    }
}

impl<T: DeserializeOwned> FromCall<op::Extension> for T {
    fn from_call(call: &mut Call<op::Extension>) -> Argument<'_, Self> {
        let parsed = call
            .params()
            .parse()
            .map_err(|error| Error::invalid_params(format!("the params do not fit this method: {error}")));
        parsed.into()
    }
}

impl<M, T> FromCall<op::Request<M>> for T
where
    M: method::Request<Params = T> + 'static,
    T: FromNode + Clone + Send + Sync + 'static,
{
    fn from_call(call: &mut Call<op::Request<M>>) -> Argument<'_, Self> {
        Argument::now(call.params().clone())
    }
}

impl<M, T> FromCall<op::Notification<M>> for T
where
    M: method::Notification<Params = T> + 'static,
    T: FromNode + Clone + Send + Sync + 'static,
{
    fn from_call(call: &mut Call<op::Notification<M>>) -> Argument<'_, Self> {
        Argument::now(call.params().clone())
    }
}
