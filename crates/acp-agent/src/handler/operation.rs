//! Operations, as the library serves them.

use std::sync::Arc;

use acp_rpc::{Error as RpcError, Reply, Request};
use acp_types::v1::NewSessionRequest;

use crate::error::Result;
use crate::handler::call::{Call, Scope};
use crate::op::{Op, Sealed};
use crate::session::Session;

/// An operation, as the library serves it. Every marker in [`op`](crate::op) has it, and nothing
/// else can.
pub trait ServeOperation: Op + Sealed {
    /// The result of admission, such as the session. It is dropped before the answer is sent.
    type Admission<S: Send + Sync + 'static>: Send + Sync + 'static;
    /// The answer that a handler's result is turned into. `S` is the state of a session.
    type Answer<S: Send + Sync + 'static>: Send + 'static;

    /// Returns the params, for the operation that opens new sessions. Its handler also opens stored
    /// ones again.
    fn of_request_for_new(_: NewSessionRequest) -> Option<Self::Params> {
        None
    }

    /// Checks the params and finds the things that they name. Runs on the reader, in the order of
    /// the wire.
    ///
    /// # Errors
    /// The error that the request is refused with.
    fn admit<S: Send + Sync + 'static>(
        scope: &Scope<S>,
        params: &Arc<Self::Params>,
    ) -> Result<Self::Admission<S>, RpcError>;

    /// Sets the guards that hold until the request is answered. A layer may answer it, too.
    fn on_admitted<S: Send + Sync + 'static>(_: &Self::Admission<S>, _: &Request) {}

    /// Waits until the handler may start. After an error the handler is not called: the error is
    /// the outcome.
    fn ready<S: Send + Sync + 'static>(
        _: &Scope<S>,
        _: &Self::Admission<S>,
    ) -> impl Future<Output = Result<()>> + Send {
        std::future::ready(Ok(()))
    }

    /// Makes the reply of the handler's result. The handler has ended, or was dropped.
    ///
    /// # Errors
    /// The error that the request is answered with.
    fn finish<S: Send + Sync + 'static>(
        scope: &Scope<S>,
        admitted: &Self::Admission<S>,
        outcome: Result<Self::Answer<S>>,
    ) -> impl Future<Output = Result<Reply, RpcError>> + Send;
}

/// An operation inside a session.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no session",
    label = "there is no session here",
    note = "`Session<T>` is an argument of operations on an open session, such as `prompt` and `set_mode`",
    note = "`new_session`, `load_session` and `resume_session` open one and return its state"
)]
pub trait OnSession: ServeOperation {
    /// Returns the session.
    ///
    /// # Errors
    /// The request names none, or none that is open.
    fn session<S: Send + Sync + 'static>(call: &Call<Self, S>) -> Result<Session<S>>;
}

/// A notification that an agent can have a handler for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a notification",
    label = "not a notification",
    note = "`Router::on` takes the handlers of requests"
)]
pub trait Notified: ServeOperation {}
