//! A session of the client, which is a session of the agent behind the bridge.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_agent::types::{
    CreateElicitationRequest, CreateElicitationResponse, RequestPermissionRequest, RequestPermissionResponse,
};
use acp_client::Session;
use tokio::sync::{mpsc, oneshot};

use super::folded::Folded;
use super::loss::OnFault;
use super::settings::Settings;

/// The number of questions of a turn that wait to be sent. The agent waits with one more.
const QUESTIONS: usize = 16;

/// A session on both sides of the bridge.
pub(super) struct Bridged {
    pub(super) inner: Session,
    pub(super) settings: Mutex<Settings>,
    pub(super) folded: Mutex<Folded>,
    pub(super) on_fault: Option<OnFault>,
    /// The way to the turn that runs.
    turn: Mutex<Option<mpsc::Sender<Question>>>,
}

/// A question of the agent, with the way of its answer.
pub(super) enum Question {
    Permission(Box<RequestPermissionRequest>, oneshot::Sender<acp_agent::Result<RequestPermissionResponse>>),
    Elicit(Box<CreateElicitationRequest>, oneshot::Sender<acp_agent::Result<CreateElicitationResponse>>),
}

impl Bridged {
    /// `folded` knows what the client has got of the session before.
    pub(super) fn new(inner: Session, folded: Folded, on_fault: Option<OnFault>) -> Self {
        let settings = Mutex::new(Settings::of(&inner));
        Self { inner, settings, folded: Mutex::new(folded), on_fault, turn: Mutex::default() }
    }

    /// Begins a turn, which gets the session's questions until the guard is dropped.
    pub(super) fn begin_turn(&self) -> (TurnGuard<'_>, mpsc::Receiver<Question>) {
        let (sender, questions) = mpsc::channel(QUESTIONS);
        *self.turn() = Some(sender);
        (TurnGuard(self), questions)
    }

    /// Returns the way to the turn that runs, if one does.
    pub(super) fn running(&self) -> Option<mpsc::Sender<Question>> {
        self.turn().clone()
    }

    fn turn(&self) -> MutexGuard<'_, Option<mpsc::Sender<Question>>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the turn when it is dropped.
pub(super) struct TurnGuard<'a>(&'a Bridged);

impl Drop for TurnGuard<'_> {
    fn drop(&mut self) {
        *self.0.turn() = None;
    }
}

impl fmt::Debug for Bridged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bridged").field("session", self.inner.id()).finish_non_exhaustive()
    }
}

/// The state of a session, as the agent half has it.
pub(super) type State = Arc<Bridged>;
