//! What a handler can have as an argument.

use acp_json::FromNode;
use acp_types::v1::InitializeRequest;
use acp_types::{Meta, method};
use serde_core::de::DeserializeOwned;

use crate::agent::Agent;
use crate::call::Call;
use crate::cancel::Cancel;
use crate::client::Client;
use crate::error::{Error, Result};
use crate::lifecycle::{Lifecycle, OnSession};
use crate::op;
use crate::session::Session;

/// A type that the handler of operation `O` can have as an argument, in any order.
///
/// Every operation has its request, such as `SetSessionModeRequest`, and [`Client`], [`Cancel`] and [`RequestMeta`].
/// These have more:
///
#[doc = include_str!("generated/arguments.md")]
///
/// A function with `#[ext]` has anything that is `DeserializeOwned`, read from the params, an
/// [`Elicitation`](crate::Elicitation), and the session that the member `sessionId` names; one with `#[on]` and a
/// marker of one's own the params that this names, and an `Elicitation`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no argument of the operation `{O}`",
    label = "the handler cannot be given this",
    note = "every handler can have `Client`, `Cancel` and `RequestMeta`; on an open session `Session<T>`; \
            `prompt` has `Turn`, the others their request; `#[ext]` handlers whatever can be deserialized"
)]
pub trait FromCall<O: Lifecycle, A: Agent>: Sized {
    /// Takes the argument from the call.
    ///
    /// # Errors
    /// What the request is answered with if it does not hold such an argument.
    fn from_call(call: &mut Call<O, A>) -> Result<Self>;
}

impl<O, A, T> FromCall<O, A> for Session<T>
where
    O: OnSession,
    A: Agent<Session = T>,
    T: Send + Sync + 'static,
{
    fn from_call(call: &mut Call<O, A>) -> Result<Self> {
        O::session(call)
    }
}

impl<O: Lifecycle, A: Agent> FromCall<O, A> for Client {
    fn from_call(call: &mut Call<O, A>) -> Result<Self> {
        Ok(call.client().clone())
    }
}

impl<O: Lifecycle, A: Agent> FromCall<O, A> for Cancel {
    fn from_call(call: &mut Call<O, A>) -> Result<Self> {
        Ok(call.cancel().clone())
    }
}

/// The `_meta` of a request; empty when it has none, and for methods of the agent's own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestMeta(pub Meta);

impl<O: Lifecycle, A: Agent> FromCall<O, A> for RequestMeta {
    fn from_call(call: &mut Call<O, A>) -> Result<Self> {
        Ok(RequestMeta(O::meta(call.params()).cloned().unwrap_or_default()))
    }
}

impl<A: Agent> FromCall<op::Initialize, A> for InitializeRequest {
    fn from_call(call: &mut Call<op::Initialize, A>) -> Result<Self> {
        Ok(call.params().clone())
    }
}

impl<A: Agent, T: DeserializeOwned> FromCall<op::Extension, A> for T {
    fn from_call(call: &mut Call<op::Extension, A>) -> Result<Self> {
        call.params().parse().map_err(|error| {
            Error::invalid_params(format!("the params are not what this method takes: {error}"))
        })
    }
}

impl<M, A, T> FromCall<op::Request<M>, A> for T
where
    M: method::Request<Params = T> + 'static,
    A: Agent,
    T: FromNode + Clone + Send + Sync + 'static,
{
    fn from_call(call: &mut Call<op::Request<M>, A>) -> Result<Self> {
        Ok(call.params().clone())
    }
}

impl<M, A, T> FromCall<op::Notification<M>, A> for T
where
    M: method::Notification<Params = T> + 'static,
    A: Agent,
    T: FromNode + Clone + Send + Sync + 'static,
{
    fn from_call(call: &mut Call<op::Notification<M>, A>) -> Result<Self> {
        Ok(call.params().clone())
    }
}
