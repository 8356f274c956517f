//! Messages of the client on their way to a handler.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use acp_json::{Node, ReadError};
use acp_rpc::{CancellationToken, Delivery, Error as RpcError, LaneKey, Peer, Request, Task};

use crate::client::cancel::Cancel;
use crate::client::{Agreed, Client};
use crate::error::Result;
use crate::handler::agent::Agent;
use crate::handler::call::{Call, Scope};
use crate::handler::operation::ServeOperation;
use crate::op::Op;
use crate::open::reopen::Reopening;
use crate::session::connection::Connection;

/// The task that answers a request, or the error that the request is refused with.
pub type Called = std::result::Result<Task, RpcError>;

/// A request of the client, on its way to its handler.
pub struct Incoming<'n, A: Agent> {
    pub(crate) method: &'n str,
    pub(crate) params: Node<'n>,
    pub(crate) request: Request,
    pub(crate) agreed: Arc<Agreed>,
    pub(crate) agent: Arc<A>,
    pub(crate) connection: Arc<Connection<A::Session>>,
    pub(crate) reopening: Option<Reopening>,
}

impl<'n, A: Agent> Incoming<'n, A> {
    /// Returns the method.
    #[must_use]
    pub const fn method(&self) -> &str {
        self.method
    }

    /// Returns the agent.
    #[must_use]
    pub fn agent(&self) -> &Arc<A> {
        &self.agent
    }

    /// Reads and checks the request, and calls `handler` as a task.
    ///
    /// # Errors
    /// The params cannot be read or name something that does not exist, or the operation is not
    /// possible now.
    pub fn run<O, F, R>(self, handler: F) -> Called
    where
        O: ServeOperation,
        F: FnOnce(Arc<A>, Call<O, A::Session>) -> R + Send + 'static,
        R: Future<Output = Result<O::Answer<A::Session>>> + Send,
    {
        let Incoming { method, params, request, agreed, agent, connection, reopening } = self;
        let reopened = reopening.as_ref().map(Reopening::request_for_new).and_then(O::of_request_for_new);
        let params = match reopened {
            Some(params) => params,
            None => read_params::<O>(params, method)?,
        };
        let params = Arc::new(params);
        let cancel = Cancel::new(request.cancel.clone());
        let (client, request_id) = (Client::new(request.peer.clone(), agreed), Some(request.id.clone()));
        let scope = Scope { connection, client, cancel, request_id, reopening };
        let admission = Arc::new(O::admit(&scope, &params)?);
        O::on_admitted(&admission, &request);
        Ok(Box::pin(async move {
            let outcome = match O::ready(&scope, &admission).await {
                Ok(()) => {
                    let call = Call::new(scope.clone(), params, Arc::clone(&admission));
                    scope.cancel.run(handler(agent, call)).await
                }
                Err(error) => Err(error),
            };
            O::finish(&scope, &admission, outcome).await
        }))
    }

    /// Takes the params. The caller reads them then.
    pub(crate) fn take_params(&mut self) -> Node<'n> {
        std::mem::take(&mut self.params)
    }

    /// Refuses the request with `-32601`: it has no handler.
    ///
    /// # Errors
    /// Always.
    pub fn refuse(self) -> Called {
        Err(RpcError::method_not_found(self.method))
    }
}

/// Reads the params of a request. The error names the field.
pub(crate) fn read_params<O: Op>(params: Node<'_>, method: &str) -> std::result::Result<O::Params, RpcError> {
    read::<O>(params).map_err(|error| unreadable(method, &error))
}

/// Returns the error for params that cannot be read.
pub(crate) fn unreadable(method: &str, error: &ReadError) -> RpcError {
    RpcError::invalid_params(format!("params of `{method}`: {error}"))
}

fn read<O: Op>(params: Node<'_>) -> std::result::Result<O::Params, ReadError> {
    acp_json::read(if params.is_null() { O::no_params() } else { params })
}

/// A notification of the client, on its way to its handler.
pub struct IncomingNotification<'n, A: Agent> {
    pub(crate) method: &'n str,
    pub(crate) params: Node<'n>,
    pub(crate) peer: &'n Peer,
    pub(crate) agreed: Arc<Agreed>,
    pub(crate) agent: Arc<A>,
    pub(crate) connection: Arc<Connection<A::Session>>,
}

impl<A: Agent> IncomingNotification<'_, A> {
    /// Returns the method.
    #[must_use]
    pub const fn method(&self) -> &str {
        self.method
    }

    /// Returns the agent.
    #[must_use]
    pub fn agent(&self) -> &Arc<A> {
        &self.agent
    }

    /// Calls `handler` after those of earlier notifications of this method.
    ///
    /// A notification is never answered. If its params do not fit, or its handler fails, it has no
    /// effect, and a [`Fault::Ignored`](crate::Fault::Ignored) is reported.
    pub fn run<O, F, R>(self, handler: F) -> Delivery
    where
        O: ServeOperation,
        F: FnOnce(Arc<A>, Call<O, A::Session>) -> R + Send + 'static,
        R: Future<Output = Result<()>> + Send,
    {
        let IncomingNotification { method, params, peer, agreed, agent, connection } = self;
        // Nobody can cancel a notification. Its handler ends with the connection.
        let cancel = Cancel::new(CancellationToken::new());
        let client = Client::new(peer.clone(), agreed);
        let scope =
            Scope { connection: Arc::clone(&connection), client, cancel, request_id: None, reopening: None };
        let call = match admit::<O, A::Session>(scope, params) {
            Ok(call) => call,
            Err(reason) => {
                connection.ignored(method, &reason);
                return Delivery::Ignore;
            }
        };
        let lane = LaneKey::from(method);
        let method = Arc::clone(&lane);
        let job = async move {
            if let Err(error) = handler(agent, call).await {
                connection.ignored(&method, &error.to_string());
            }
        };
        Delivery::Lane { lane, job: Box::pin(job) }
    }

    /// Does nothing: the notification has no handler.
    #[must_use]
    pub fn ignore(self) -> Delivery {
        Delivery::Ignore
    }
}

/// Returns the call of a notification, or the reason why there is none.
fn admit<O: ServeOperation, S: Send + Sync + 'static>(
    scope: Scope<S>,
    params: Node<'_>,
) -> std::result::Result<Call<O, S>, Cow<'static, str>> {
    let params = Arc::new(read::<O>(params).map_err(|error| error.to_string())?);
    let admission = O::admit(&scope, &params).map_err(|error| error.message)?;
    Ok(Call::new(scope, params, Arc::new(admission)))
}

impl<A: Agent> fmt::Debug for Incoming<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incoming").field("method", &self.method).finish_non_exhaustive()
    }
}

impl<A: Agent> fmt::Debug for IncomingNotification<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IncomingNotification").field("method", &self.method).finish_non_exhaustive()
    }
}
