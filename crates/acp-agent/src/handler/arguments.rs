//! Arguments of handlers that only an agent has.

use std::sync::Arc;

use acp_handlers::{Admit, FromCall};
use acp_rpc::Id;
use acp_types::method;
use acp_types::v1::{
    ElicitationRequestScope, ElicitationScope, InitializeRequest, PromptRequest, RequestId, SessionId,
};

use crate::ask::elicitation::Elicitation;
use crate::ask::elicited::session_scope;
use crate::client::Client;
use crate::client::cancel::Cancel;
use crate::error::{Error, Result};
use crate::handler::on_session::OnSession;
use crate::handler::scope::{Argument, Call, Scope};
#[cfg(feature = "mcp")]
use crate::mcp::Mcp;
use crate::op::{self, Op};
use crate::open::guard::OpenGuard;
use crate::open::opening::Opening;
use crate::open::request::OpensSession;
use crate::session::Session;
use crate::turn::Turn;
use crate::turn::command::SlashCommand;
use crate::updates::session_updates::SessionUpdates;

impl<O, S, T> FromCall<O, Scope<S>> for Session<T>
where
    O: Op,
    S: Send + Sync + 'static,
    T: StateOf<S>,
    Scope<S>: OnSession<O, State = S>,
{
    fn from_call(call: &mut Call<O, S>) -> Argument<'_, Self> {
        OnSession::session(call).map(T::cast).into()
    }
}

/// The state `S` of an agent's sessions, and no other type: a trait for the sake of its message.
#[diagnostic::on_unimplemented(
    message = "the sessions of this agent have the state `{S}`, not `{Self}`",
    label = "`Session<{S}>` is the session here",
    note = "`new_session` returns the state: `async fn new_session(&self, open: NewSession) -> Result<Opened<{Self}>>`",
    note = "without `new_session` the state is `()`"
)]
pub trait StateOf<S>: Sized {
    /// Returns the session as it is.
    fn cast(session: Session<S>) -> Session<Self>;
}

impl<S> StateOf<S> for S {
    fn cast(session: Session<S>) -> Session<S> {
        session
    }
}

impl<O: Op, S: Send + Sync + 'static> FromCall<O, Scope<S>> for SessionUpdates
where
    Scope<S>: OnSession<O>,
{
    fn from_call(call: &mut Call<O, S>) -> Argument<'_, Self> {
        Scope::<S>::session(call).map(|session| session.updates().clone()).into()
    }
}

impl<S: Send + Sync + 'static> FromCall<op::Prompt, Scope<S>> for Turn {
    fn from_call(call: &mut Call<op::Prompt, S>) -> Argument<'_, Self> {
        Argument::now(Turn::new(Arc::clone(call.admission().scope())))
    }
}

impl<S: Send + Sync + 'static> FromCall<op::Command, Scope<S>> for Turn {
    fn from_call(call: &mut Call<op::Command, S>) -> Argument<'_, Self> {
        Argument::now(Turn::new(Arc::clone(call.admission().scope())))
    }
}

impl<S: Send + Sync + 'static> FromCall<op::Command, Scope<S>> for PromptRequest {
    fn from_call(call: &mut Call<op::Command, S>) -> Argument<'_, Self> {
        Argument::now(call.params().clone())
    }
}

/// The input of the command: see [`SlashCommand`].
impl<S: Send + Sync + 'static> FromCall<op::Command, Scope<S>> for String {
    fn from_call(call: &mut Call<op::Command, S>) -> Argument<'_, Self> {
        let command = SlashCommand::of(&call.params().prompt);
        Argument::now(command.map(|command| command.input.to_owned()).unwrap_or_default())
    }
}

impl<O: OpensSession, S: Send + Sync + 'static> FromCall<O, Scope<S>> for Opening<O>
where
    Scope<S>: Admit<O, Admission = Arc<OpenGuard<O, S>>, Error = Error>,
{
    fn from_call(call: &mut Call<O, S>) -> Argument<'_, Self> {
        Argument::now(call.admission().opening.clone())
    }
}

impl<O: Op, S: Send + Sync + 'static> FromCall<O, Scope<S>> for Client
where
    Scope<S>: Admit<O, Error = Error>,
{
    fn from_call(call: &mut Call<O, S>) -> Argument<'_, Self> {
        Argument::now(call.context().client.clone())
    }
}

impl<O: Op, S: Send + Sync + 'static> FromCall<O, Scope<S>> for Cancel
where
    Scope<S>: Admit<O, Error = Error>,
{
    fn from_call(call: &mut Call<O, S>) -> Argument<'_, Self> {
        Argument::now(call.context().cancel.clone())
    }
}

impl<S: Send + Sync + 'static> FromCall<op::Initialize, Scope<S>> for InitializeRequest {
    fn from_call(call: &mut Call<op::Initialize, S>) -> Argument<'_, Self> {
        Argument::now(call.params().clone())
    }
}

/// A request whose handler can ask the user.
pub trait Asks: Op {
    /// Returns the session that the questions belong to. `None` if they belong to the request: the
    /// client does not know a session before it is open, nor after it was closed.
    fn session(_: &Self::Params) -> Option<&SessionId> {
        None
    }
}

impl Asks for op::Extension {}

impl<M> Asks for op::Request<M> where M: method::Request<Params: Clone + Sync> + 'static {}

impl<O: Asks, S: Send + Sync + 'static> FromCall<O, Scope<S>> for Elicitation
where
    Scope<S>: Admit<O, Error = Error>,
{
    fn from_call(call: &mut Call<O, S>) -> Argument<'_, Self> {
        let scope = call.context();
        let of = match O::session(call.params()) {
            Some(session) => Ok(session_scope(session)),
            None => request_scope(scope.request_id.as_ref()),
        };
        of.map(|of| Elicitation::new(scope.client.clone(), scope.cancel.clone(), of)).into()
    }
}

fn request_scope(request: Option<&Id>) -> Result<ElicitationScope> {
    let id = match request {
        Some(Id::Int(id)) => RequestId::Integer(*id),
        Some(Id::Str(id)) => RequestId::String((**id).to_owned()),
        Some(Id::Null) => RequestId::Null,
        None => return Err(Error::from("a notification cannot ask the user: it is not waited for")),
    };
    Ok(ElicitationRequestScope::new(id).into())
}

#[cfg(feature = "mcp")]
impl<O: Op, S: Send + Sync + 'static> FromCall<O, Scope<S>> for Mcp
where
    Scope<S>: OnSession<O>,
{
    fn from_call(call: &mut Call<O, S>) -> Argument<'_, Self> {
        let session = Scope::<S>::session(call);
        session.and_then(|session| session.entry.mcp.clone().ok_or_else(not_connected)).into()
    }
}

/// Returns the MCP servers of the session that is being opened.
#[cfg(feature = "mcp")]
pub(crate) fn mcp_of_opening<O: OpensSession>(opening: &Opening<O>) -> Result<Mcp> {
    opening.mcp().cloned().ok_or_else(not_connected)
}

#[cfg(feature = "mcp")]
fn not_connected() -> Error {
    Error::from("this agent does not connect MCP servers: `#[agent(mcp)]` and `Router::mcp` make it do so")
}
