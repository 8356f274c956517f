//! Arguments of handlers.

use std::sync::Arc;

use acp_json::FromNode;
use acp_rpc::Id;
use acp_types::v1::{ElicitationRequestScope, ElicitationScope, InitializeRequest, RequestId};
use acp_types::{Meta, method};
use serde_core::de::DeserializeOwned;

use crate::ask::elicitation::Elicitation;
use crate::ask::elicited::session_scope;
use crate::client::Client;
use crate::client::cancel::Cancel;
use crate::error::{Error, Result};
use crate::handler::agent::Agent;
use crate::handler::call::{Call, Scope};
use crate::handler::operation::{OnSession, ServeOperation};
#[cfg(feature = "mcp")]
use crate::mcp::Mcp;
use crate::op;
use crate::open::opening::Opening;
use crate::open::request::OpensSession;
use crate::session::Session;
use crate::turn::Turn;
use crate::updates::session_updates::SessionUpdates;

/// A type that the handler of operation `O` can have as an argument, in any order.
///
/// Every operation has its request, such as `SetSessionModeRequest`, and [`Client`], [`Cancel`] and
/// [`RequestMeta`]. These have more:
///
#[doc = include_str!("../generated/arguments.md")]
///
/// A function with `#[ext]` has anything that is `DeserializeOwned`, which is read from the params,
/// an [`Elicitation`](crate::Elicitation), and the session that the member `sessionId` names. A
/// function with `#[on]` and a marker of your own has the params that the marker names, and an
/// `Elicitation`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument of the operation `{O}`",
    label = "a handler of this operation cannot have this argument",
    note = "every handler can have `Client`, `Cancel` and `RequestMeta`, and on an open session `Session<T>`",
    note = "`prompt` has `Turn`, every other operation its request, and `#[ext]` any `DeserializeOwned` type"
)]
pub trait FromCall<O: ServeOperation, A: Agent>: Sized {
    /// Takes the argument from the call.
    ///
    /// # Errors
    /// The error that the request is answered with if it does not hold such an argument.
    fn from_call(call: &mut Call<O, A::Session>) -> Result<Self>;
}

impl<O, A, T> FromCall<O, A> for Session<T>
where
    O: OnSession,
    A: Agent<Session = T>,
    T: Send + Sync + 'static,
{
    fn from_call(call: &mut Call<O, A::Session>) -> Result<Self> {
        O::session(call)
    }
}

impl<O: OnSession, A: Agent> FromCall<O, A> for SessionUpdates {
    fn from_call(call: &mut Call<O, A::Session>) -> Result<Self> {
        Ok(O::session(call)?.updates().clone())
    }
}

impl<A: Agent> FromCall<op::Prompt, A> for Turn {
    fn from_call(call: &mut Call<op::Prompt, A::Session>) -> Result<Self> {
        Ok(Turn::new(Arc::clone(call.admission().scope())))
    }
}

impl<O: OpensSession, A: Agent> FromCall<O, A> for Opening<O> {
    fn from_call(call: &mut Call<O, A::Session>) -> Result<Self> {
        Ok(call.admission().opening.clone())
    }
}

impl<O: ServeOperation, A: Agent> FromCall<O, A> for Client {
    fn from_call(call: &mut Call<O, A::Session>) -> Result<Self> {
        Ok(call.client().clone())
    }
}

impl<O: ServeOperation, A: Agent> FromCall<O, A> for Cancel {
    fn from_call(call: &mut Call<O, A::Session>) -> Result<Self> {
        Ok(call.cancel().clone())
    }
}

/// The `_meta` of a request. It is empty if the request has none, and for the agent's own methods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestMeta(pub Meta);

impl<O: ServeOperation, A: Agent> FromCall<O, A> for RequestMeta {
    fn from_call(call: &mut Call<O, A::Session>) -> Result<Self> {
        Ok(RequestMeta(O::meta(call.params()).cloned().unwrap_or_default()))
    }
}

impl<A: Agent> FromCall<op::Initialize, A> for InitializeRequest {
    fn from_call(call: &mut Call<op::Initialize, A::Session>) -> Result<Self> {
        Ok(call.params().clone())
    }
}

impl<A: Agent, T: DeserializeOwned> FromCall<op::Extension, A> for T {
    fn from_call(call: &mut Call<op::Extension, A::Session>) -> Result<Self> {
        call.params()
            .parse()
            .map_err(|error| Error::invalid_params(format!("the params do not fit this method: {error}")))
    }
}

impl<M, A, T> FromCall<op::Request<M>, A> for T
where
    M: method::Request<Params = T> + 'static,
    A: Agent,
    T: FromNode + Clone + Send + Sync + 'static,
{
    fn from_call(call: &mut Call<op::Request<M>, A::Session>) -> Result<Self> {
        Ok(call.params().clone())
    }
}

impl<M, A, T> FromCall<op::Notification<M>, A> for T
where
    M: method::Notification<Params = T> + 'static,
    A: Agent,
    T: FromNode + Clone + Send + Sync + 'static,
{
    fn from_call(call: &mut Call<op::Notification<M>, A::Session>) -> Result<Self> {
        Ok(call.params().clone())
    }
}

impl<A: Agent> FromCall<op::Extension, A> for Elicitation {
    fn from_call(call: &mut Call<op::Extension, A::Session>) -> Result<Self> {
        elicitation_by_request(call)
    }
}

impl<M, A> FromCall<op::Request<M>, A> for Elicitation
where
    M: method::Request<Params: Clone + Sync> + 'static,
    A: Agent,
{
    fn from_call(call: &mut Call<op::Request<M>, A::Session>) -> Result<Self> {
        elicitation_by_request(call)
    }
}

/// Returns a way to ask the user whose questions belong to the request. The client does not know a
/// session before it is open, nor after it was closed.
pub(crate) fn elicitation_by_request<O: ServeOperation, S: Send + Sync + 'static>(
    call: &Call<O, S>,
) -> Result<Elicitation> {
    Ok(Elicitation::new(call.client().clone(), call.cancel().clone(), request_scope(call.scope())?))
}

/// Returns a way to ask the user whose questions belong to the session.
pub(crate) fn elicitation_in_session<O: OnSession, S: Send + Sync + 'static>(
    call: &Call<O, S>,
) -> Result<Elicitation> {
    let scope = session_scope(O::session(call)?.id());
    Ok(Elicitation::new(call.client().clone(), call.cancel().clone(), scope))
}

fn request_scope<S>(scope: &Scope<S>) -> Result<ElicitationScope> {
    let id = match &scope.request_id {
        Some(Id::Int(id)) => RequestId::Integer(*id),
        Some(Id::Str(id)) => RequestId::String((**id).to_owned()),
        Some(Id::Null) => RequestId::Null,
        None => {
            return Err(Error::from(
                "the handler of a notification cannot ask the user: the client does not wait for it",
            ));
        }
    };
    Ok(ElicitationRequestScope::new(id).into())
}

#[cfg(feature = "mcp")]
impl<O: OnSession, A: Agent> FromCall<O, A> for Mcp {
    fn from_call(call: &mut Call<O, A::Session>) -> Result<Self> {
        O::session(call)?.entry.mcp.clone().ok_or_else(not_connected)
    }
}

/// Returns the MCP servers of the session that is being opened.
#[cfg(feature = "mcp")]
pub(crate) fn mcp_of_opening<O: OpensSession, S: Send + Sync + 'static>(call: &Call<O, S>) -> Result<Mcp> {
    call.admission().opening.mcp().cloned().ok_or_else(not_connected)
}

#[cfg(feature = "mcp")]
fn not_connected() -> Error {
    Error::from("this agent does not connect MCP servers: switch that on by `#[agent(mcp)]` or `Router::mcp`")
}
