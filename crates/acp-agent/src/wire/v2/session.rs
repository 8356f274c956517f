//! The state of a session that messages of this version depend on.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use acp_rpc::Peer;
use acp_types::v1::ext::unique_id;
use acp_types::v1::{MessageId, SessionId, SessionUpdate, ToolCallId};

use super::background::Background;
use super::entity::Offers;
use super::state::{Phase, State, StateParams, UPDATE, Written};
use crate::wire::gate::Gate;

/// The state of one session.
#[derive(Debug, Default)]
pub(crate) struct SessionState {
    /// The message that the next piece without an id belongs to.
    message: Mutex<Option<(Kind, MessageId)>>,
    /// The memory of the id of a piece that has left. The next piece uses it.
    spare: Mutex<Option<Box<MessageId>>>,
    /// The number of messages without an id that the agent has replayed by itself.
    replayed: AtomicUsize,
    /// Never locked while a message is written, because changes of it write messages.
    foreground: Mutex<Foreground>,
    pub(super) background: Background,
    pub(super) written: Written,
    offers: Mutex<Offers>,
}

/// The kinds of message. Each has ids of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    User,
    Agent,
    Thought,
}

/// The work of a turn, as the client knows it.
#[derive(Debug, Default)]
struct Foreground {
    phase: Phase,
    /// The number of questions to the user that are open.
    questions: usize,
}

impl SessionState {
    /// Gives an update of a message its id. Pieces without one that follow each other are one
    /// message (rule `v2-msg-01`).
    pub(in crate::wire) fn complete(&self, update: &mut SessionUpdate) {
        self.complete_by(update, || unique_id("msg").into());
    }

    /// Gives an update of a replayed message its id, which the number of the message makes.
    pub(in crate::wire) fn complete_replayed(&self, update: &mut SessionUpdate) {
        let next = || format!("replayed_{}", self.replayed.fetch_add(1, Ordering::Relaxed) + 1).into();
        self.complete_by(update, next);
    }

    fn complete_by(&self, update: &mut SessionUpdate, new_id: impl FnOnce() -> MessageId) {
        let (kind, chunk) = match update {
            SessionUpdate::UserMessageChunk(chunk) => (Kind::User, chunk),
            SessionUpdate::AgentMessageChunk(chunk) => (Kind::Agent, chunk),
            SessionUpdate::AgentThoughtChunk(chunk) => (Kind::Thought, chunk),
            other => {
                if is_part_of_the_conversation(other) {
                    *self.message() = None;
                }
                return;
            }
        };
        let mut open = self.message();
        match &chunk.message_id {
            // A message with an id of the agent's own does not take pieces that have none.
            Some(_) => *open = None,
            None => {
                let current = open.take().filter(|(of, _)| *of == kind);
                let (_, id) = open.insert(current.unwrap_or_else(|| (kind, new_id())));
                let boxed = match self.spare().take() {
                    Some(mut spare) => {
                        *spare = id.clone();
                        spare
                    }
                    None => Box::new(id.clone()),
                };
                chunk.message_id = Some(boxed);
            }
        }
    }

    /// Takes the memory of an update that has left.
    pub(in crate::wire) fn has_left(&self, update: SessionUpdate) {
        if let SessionUpdate::UserMessageChunk(chunk)
        | SessionUpdate::AgentMessageChunk(chunk)
        | SessionUpdate::AgentThoughtChunk(chunk) = update
            && let Some(id) = chunk.message_id
        {
            *self.spare() = Some(id);
        }
    }

    /// Ends the message that pieces without an id belong to.
    pub(super) fn end_message(&self) {
        *self.message() = None;
    }

    /// Notes that the client has been told that the session runs.
    pub(super) fn runs(&self) {
        self.foreground().phase = Phase::Running;
    }

    /// Notes that the client is told that the session is idle.
    pub(super) fn is_idle(&self) {
        *self.foreground() = Foreground::default();
    }

    /// Reports that the turn waits for the user. The first question of several counts.
    pub(super) fn asks(&self, peer: &Peer, session: &SessionId) {
        let mut foreground = self.foreground();
        foreground.questions += 1;
        if foreground.questions == 1 && foreground.phase == Phase::Running {
            foreground.phase = Phase::RequiresAction;
            self.send(peer, session, State::RequiresAction);
        }
    }

    /// Notes that a question is not open any more. If it `is_answered` and no other is open, the
    /// turn goes on.
    pub(super) fn asked(&self, peer: &Peer, session: &SessionId, is_answered: bool) {
        let mut foreground = self.foreground();
        foreground.questions = foreground.questions.saturating_sub(1);
        if is_answered && foreground.questions == 0 {
            self.resume(&mut foreground, peer, session);
        }
    }

    /// Reports that the turn goes on, because it is about to send something.
    pub(super) fn resumes(&self, peer: &Peer, session: &SessionId) {
        self.resume(&mut self.foreground(), peer, session);
    }

    /// Writes the present state, for a client that opens the session again.
    pub(in crate::wire) fn report(&self, peer: &Peer, session: &SessionId) {
        self.send(peer, session, State::Unchanged);
    }

    /// Lists background work from here on, or not any more, and reports that while the gate is
    /// open. The client has been told of the work, or of its end (rule `v2-bg-03`).
    pub(in crate::wire) fn background(
        &self,
        peer: &Peer,
        session: &SessionId,
        gate: &Gate,
        call: &ToolCallId,
        runs: bool,
    ) {
        if runs {
            self.background.begin(call);
        } else {
            self.background.end(call);
        }
        let state = StateParams { of: self, session, state: State::Unchanged };
        let _ = peer.notify_now(UPDATE, &gate.guard(&state));
    }

    fn resume(&self, foreground: &mut Foreground, peer: &Peer, session: &SessionId) {
        if foreground.phase == Phase::RequiresAction {
            foreground.phase = Phase::Running;
            self.send(peer, session, State::Running);
        }
    }

    /// Sends a state. A client that is gone needs none.
    fn send(&self, peer: &Peer, session: &SessionId, state: State<'_>) {
        let _ = peer.notify_now(UPDATE, &StateParams { of: self, session, state });
    }

    pub(super) fn offers(&self) -> MutexGuard<'_, Offers> {
        self.offers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spare(&self) -> MutexGuard<'_, Option<Box<MessageId>>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn message(&self) -> MutexGuard<'_, Option<(Kind, MessageId)>> {
        self.message.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn foreground(&self) -> MutexGuard<'_, Foreground> {
        self.foreground.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether the user sees the update between two pieces of a message.
const fn is_part_of_the_conversation(update: &SessionUpdate) -> bool {
    !matches!(
        update,
        SessionUpdate::AvailableCommandsUpdate(_)
            | SessionUpdate::ConfigOptionUpdate(_)
            | SessionUpdate::CurrentModeUpdate(_)
            | SessionUpdate::SessionInfoUpdate(_)
            | SessionUpdate::UsageUpdate(_)
    )
}
