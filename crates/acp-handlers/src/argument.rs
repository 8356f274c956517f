//! The arguments of handlers.

use std::fmt;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::task::{self, Poll};

use acp_json::FromNode;
use acp_rpc::Error as RpcError;
use acp_types::op::{self, Op};
use acp_types::v1::SessionId;
use acp_types::{Meta, method};
use serde_core::de::DeserializeOwned;

use crate::call::Call;
use crate::serve::Admit;

/// A type that the handler of operation `O` can have as an argument, in any order. `Cx` is the
/// context of the handler's side.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument of the operation `{O}`",
    label = "a handler of this operation cannot have this argument",
    note = "every handler can have `RequestMeta` and its request, and `#[ext]` handlers any `DeserializeOwned` type",
    note = "in an agent: `Client` and `Cancel`, in requests `Elicitation`, in `prompt` `Turn`, and on an open session \
            `SessionUpdates` and `Session<T>` with the `T` of `new_session`, or `()` without one",
    note = "in an agent with `#[agent(mcp)]`: on a session that is open or opens, `Mcp`",
    note = "in a command of an agent: what `prompt` can have, and the input as `&str` or `String`",
    note = "in a client: `Agent`, `Cancel` and `Context`, in a session `SessionId`, and in `update` `Event`"
)]
pub trait FromCall<O: Op, Cx: Admit<O>>: Sized {
    /// Takes the argument from the call.
    ///
    /// # Errors
    /// The error that answers the request if it does not have such an argument.
    fn from_call(call: &mut Call<O, Cx>) -> Argument<'_, Self, Cx::Error>;
}

/// An argument of a handler, on its way. Await it.
#[must_use = "an argument is had by awaiting it"]
pub struct Argument<'c, T, E>(Way<'c, T, E>);

enum Way<'c, T, E> {
    Now(Ready<Result<T, E>>),
    Later(Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'c>>),
}

impl<'c, T, E> Argument<'c, T, E> {
    /// Wraps an argument that is there.
    pub fn now(argument: T) -> Self {
        Ok(argument).into()
    }

    /// Wraps an argument that has to be waited for.
    pub fn later(argument: impl Future<Output = Result<T, E>> + Send + 'c) -> Self {
        Self(Way::Later(Box::pin(argument)))
    }
}

impl<T, E> From<Result<T, E>> for Argument<'_, T, E> {
    fn from(argument: Result<T, E>) -> Self {
        Self(Way::Now(ready(argument)))
    }
}

impl<T, E> Future for Argument<'_, T, E> {
    type Output = Result<T, E>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Result<T, E>> {
        match &mut self.0 {
            Way::Now(argument) => Pin::new(argument).poll(cx),
            Way::Later(argument) => argument.as_mut().poll(cx),
        }
    }
}

impl<T, E> fmt::Debug for Argument<'_, T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Argument").finish_non_exhaustive()
    }
}

/// The `_meta` of a request. It is empty if the request has none, and for extension methods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestMeta(pub Meta);

impl<O: Op, Cx: Admit<O>> FromCall<O, Cx> for RequestMeta {
    fn from_call(call: &mut Call<O, Cx>) -> Argument<'_, Self, Cx::Error> {
        Argument::now(Self(O::meta(call.params()).cloned().unwrap_or_default()))
    }
}

/// An operation whose params name a session.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name a session",
    label = "there is no session here",
    note = "`SessionId` is an argument of a client's operations of a session, such as `update` and `read_text_file`"
)]
pub trait OnSession: Op {
    /// Returns the session.
    fn session(params: &Self::Params) -> &SessionId;
}

impl<O: OnSession, Cx: Admit<O>> FromCall<O, Cx> for SessionId {
    fn from_call(call: &mut Call<O, Cx>) -> Argument<'_, Self, Cx::Error> {
        Argument::now(O::session(call.params()).clone())
    }
}

impl<T: DeserializeOwned, Cx: Admit<op::Extension>> FromCall<op::Extension, Cx> for T {
    fn from_call(call: &mut Call<op::Extension, Cx>) -> Argument<'_, Self, Cx::Error> {
        let parsed = call.params().parse().map_err(|error| {
            RpcError::invalid_params(format!("the params do not fit this method: {error}")).into()
        });
        parsed.into()
    }
}

impl<M, T, Cx> FromCall<op::Request<M>, Cx> for T
where
    M: method::Request<Params = T> + 'static,
    T: FromNode + Clone + Send + Sync + 'static,
    Cx: Admit<op::Request<M>>,
{
    fn from_call(call: &mut Call<op::Request<M>, Cx>) -> Argument<'_, Self, Cx::Error> {
        Argument::now(call.params().clone())
    }
}

impl<M, T, Cx> FromCall<op::Notification<M>, Cx> for T
where
    M: method::Notification<Params = T> + 'static,
    T: FromNode + Clone + Send + Sync + 'static,
    Cx: Admit<op::Notification<M>>,
{
    fn from_call(call: &mut Call<op::Notification<M>, Cx>) -> Argument<'_, Self, Cx::Error> {
        Argument::now(call.params().clone())
    }
}
