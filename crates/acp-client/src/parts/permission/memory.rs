//! Lasting decisions about permissions, by session.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use acp_types::Value;
use acp_types::v1::RequestPermissionRequest;

use crate::PermissionAnswer;
use crate::event::PermissionQuestion;
use crate::sessions::session_state::SessionState;

/// The number of decisions that are remembered of a session, and the bytes of their keys. The
/// oldest are forgotten first.
const DECISIONS: usize = 256;
const BYTES: usize = 1024 * 1024;

/// The decisions of each session, as long as it is open. Clones of a policy share them. Connections
/// do not share any, because each has sessions of its own.
#[derive(Debug, Default)]
pub(super) struct Memory(Mutex<Vec<Remembered>>);

#[derive(Debug)]
struct Remembered {
    session: Weak<SessionState>,
    /// By the keys of the runs.
    decisions: VecDeque<(String, PermissionAnswer)>,
}

/// Returns the key of a run: everything that the request says about the tool's work. `None` if it
/// says too little.
///
/// The id or the title alone is not enough: an agent may use them again for something else.
pub(super) fn key(request: &RequestPermissionRequest) -> Option<String> {
    let mut call = request.tool_call.clone();
    call.title.as_ref()?;
    call.tool_call_id = "".into();
    (call.status, call.raw_output, call.meta) = (None, None, None);
    let call = Value::new(&call).ok()?.to_string();
    Some(match PermissionQuestion::key(request) {
        Some(question) => format!("{call} {question}"),
        None => call,
    })
}

impl Memory {
    /// Returns the lasting decision about such a run in this session.
    pub(super) fn recall(&self, session: &Arc<SessionState>, key: &str) -> Option<PermissionAnswer> {
        let table = self.table();
        let remembered = table.iter().find(|of| of.is(session))?;
        remembered.decisions.iter().find(|(known, _)| known == key).map(|(_, choice)| choice.clone())
    }

    pub(super) fn keep(&self, session: &Arc<SessionState>, key: String, choice: PermissionAnswer) {
        let mut table = self.table();
        table.retain(|of| of.session.upgrade().is_some_and(|session| !session.over().is_cancelled()));
        if key.len() > BYTES || session.over().is_cancelled() {
            return;
        }
        match table.iter_mut().find(|of| of.is(session)) {
            Some(remembered) => remembered.add(key, choice),
            None => table.push(Remembered {
                session: Arc::downgrade(session),
                decisions: VecDeque::from([(key, choice)]),
            }),
        }
    }

    fn table(&self) -> MutexGuard<'_, Vec<Remembered>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Remembered {
    fn is(&self, session: &Arc<SessionState>) -> bool {
        std::ptr::eq(self.session.as_ptr(), Arc::as_ptr(session))
    }

    fn add(&mut self, key: String, choice: PermissionAnswer) {
        self.decisions.retain(|(known, _)| *known != key);
        self.decisions.push_back((key, choice));
        let mut bytes: usize = self.decisions.iter().map(|(key, _)| key.len()).sum();
        while self.decisions.len() > DECISIONS || bytes > BYTES {
            let Some((key, _)) = self.decisions.pop_front() else { return };
            bytes -= key.len();
        }
    }
}
