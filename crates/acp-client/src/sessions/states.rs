//! The states of a session whose agent cannot report them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::Task;
use acp_types::v1::StopReason;

use crate::event::{Event, State, StateKind};
use crate::sessions::session_state::SessionState;
use crate::wire::moment::Moment;

/// The states of a session as its messages show them. They are events only for a client that speaks
/// a version in which agents report them: then it has one way to follow the work.
#[derive(Debug, Default)]
pub(crate) struct States {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// True while a turn runs whose states are to be events.
    is_busy: bool,
    /// The number of open questions to the user.
    questions: usize,
}

impl States {
    fn known(&self) -> MutexGuard<'_, Known> {
        // Nothing but counting is done under this lock.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionState {
    /// Notes that a prompt is about to be sent.
    pub(crate) fn begin_work(&self) {
        self.states.known().is_busy = true;
        self.show(StateKind::Running, Moment::now());
    }

    /// Notes the end of the turn. `before` is the position of the agent's answer.
    pub(crate) fn end_work(&self, stop_reason: Option<StopReason>, before: Option<Moment>) {
        let mut known = self.states.known();
        if std::mem::take(&mut known.is_busy) {
            let at = before.map_or_else(Moment::now, Moment::just_before);
            self.show(StateKind::Idle { stop_reason, error: None }, at);
        }
    }

    fn begin_question(&self) {
        let mut known = self.states.known();
        known.questions += 1;
        if known.is_busy && known.questions == 1 {
            self.show(StateKind::RequiresAction, Moment::now());
        }
    }

    fn end_question(&self) {
        let mut known = self.states.known();
        known.questions = known.questions.saturating_sub(1);
        if known.is_busy && known.questions == 0 {
            self.show(StateKind::Running, Moment::now());
        }
    }

    fn show(&self, kind: StateKind, at: Moment) {
        self.inbox.insert(Event::State(Box::new(State::new(kind))), at);
    }
}

/// Shows that the session waits for the user until `task` has answered the question.
pub(crate) fn asked(session: Arc<SessionState>, task: Task) -> Task {
    let question = Question::begin(session);
    Box::pin(async move {
        let answer = task.await;
        drop(question);
        answer
    })
}

/// A question to the user. Its drop ends it.
struct Question(Arc<SessionState>);

impl Question {
    fn begin(session: Arc<SessionState>) -> Self {
        session.begin_question();
        Self(session)
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        self.0.end_question();
    }
}
