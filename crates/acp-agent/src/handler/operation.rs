//! Operations, as the library serves them.

use std::sync::Arc;

use acp_rpc::{Error as RpcError, Reply, Request};
use acp_types::v1::NewSessionRequest;

use crate::error::Result;
use crate::handler::call::{Call, Scope};
use crate::op::{Op, Sealed};
use crate::session::Session;

/// How the library serves an operation. Every marker in [`op`] has it; there is no other.
pub trait ServeOperation: Op + Sealed {
    /// What admission has found, such as the session. It is dropped before the answer is sent.
    type Admission<S: Send + Sync + 'static>: Send + Sync + 'static;
    /// What a handler's result is turned into, where `S` is what a session of the agent holds.
    type Answer<S: Send + Sync + 'static>: Send + 'static;

    /// The params, of the operation whose handler also opens stored sessions again: that which opens new ones.
    fn of_request_for_new(_: NewSessionRequest) -> Option<Self::Params> {
        None
    }

    /// Checks the params and finds what they name. Runs on the reader, in the order of the wire.
    ///
    /// # Errors
    /// What the request is refused with.
    fn admit<S: Send + Sync + 'static>(
        scope: &Scope<S>,
        params: &Arc<Self::Params>,
    ) -> Result<Self::Admission<S>, RpcError>;

    /// Says what holds until the request is answered, whoever answers it: layers may do that, too.
    fn on_admitted<S: Send + Sync + 'static>(_: &Self::Admission<S>, _: &Request) {}

    /// Waits for what has to be over before the handler starts. After an error the handler is not called: the
    /// error is the outcome.
    fn ready<S: Send + Sync + 'static>(
        _: &Scope<S>,
        _: &Self::Admission<S>,
    ) -> impl Future<Output = Result<()>> + Send {
        std::future::ready(Ok(()))
    }

    /// Makes the reply of the handler's result. The handler has ended, or was dropped.
    ///
    /// # Errors
    /// What the request is answered with when it failed.
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
    note = "`new_session`, `load_session` and `resume_session` open one and return what it holds"
)]
pub trait OnSession: ServeOperation {
    /// The session.
    ///
    /// # Errors
    /// The request names none, or none that is open.
    fn session<S: Send + Sync + 'static>(call: &Call<Self, S>) -> Result<Session<S>>;
}

/// A notification that an agent can have a handler for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no notification",
    label = "not a notification",
    note = "`Router::on` takes the handlers of requests"
)]
pub trait Notified: ServeOperation {}
