//! Operations inside a session.

use std::sync::Arc;

use acp_handlers::Admit;

use crate::error::{Error, Result};
use crate::handler::scope::{Call, Scope};
use crate::op::Op;
use crate::session::Session;
use crate::session::running::Running;

/// An operation on an open session.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no session",
    label = "there is no session here",
    note = "`Session<T>` is an argument of operations on an open session, such as `prompt` and `set_mode`",
    note = "`new_session`, `load_session` and `resume_session` open one and return its state"
)]
pub trait InSession: Op {}

/// A context in which handlers of operation `O` get the session.
pub trait OnSession<O: Op>: Admit<O, Error = Error> {
    /// The state of a session.
    type State;

    /// Returns the session.
    ///
    /// # Errors
    /// The request names none, or none that is open.
    fn session(call: &acp_handlers::Call<O, Self>) -> Result<Session<Self::State>>;
}

/// The session was found on admission.
impl<O: InSession, S: Send + Sync + 'static> OnSession<O> for Scope<S>
where
    Scope<S>: Admit<O, Admission: HasSession<S>, Error = Error>,
{
    type State = S;

    fn session(call: &Call<O, S>) -> Result<Session<S>> {
        Ok(call.admission().session().clone())
    }
}

/// The admission of an operation on an open session.
pub trait HasSession<S> {
    /// Returns the session.
    fn session(&self) -> &Session<S>;
}

impl<S> HasSession<S> for Session<S> {
    fn session(&self) -> &Session<S> {
        self
    }
}

impl<S> HasSession<S> for Arc<Running<S>> {
    fn session(&self) -> &Session<S> {
        Running::session(self)
    }
}
