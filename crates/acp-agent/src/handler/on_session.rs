//! Operations inside a session.

use std::sync::Arc;

use acp_handlers::{Admit, Call};

use crate::error::{Error, Result};
use crate::op::Op;
use crate::session::Session;
use crate::session::running::Running;

/// A context in which handlers of operation `O` get the session. `O` is an operation on an open
/// one.
#[diagnostic::on_unimplemented(
    message = "`{O}` has no session",
    label = "there is no session here",
    note = "`Session<T>` is an argument of operations on an open session, such as `prompt` and `set_mode`",
    note = "`new_session`, `load_session` and `resume_session` open one and return its state"
)]
pub trait OnSession<O: Op>: Admit<O, Error = Error> {
    /// The state of a session.
    type State;

    /// Returns the session.
    ///
    /// # Errors
    /// The request names none, or none that is open.
    fn session(call: &Call<O, Self>) -> Result<Session<Self::State>>;
}

/// The admission of an operation on an open session.
pub(crate) trait HasSession<S> {
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
