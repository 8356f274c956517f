//! The sessions of clients of the legacy era.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::Error;
use tokio::task::AbortHandle;

use crate::bridge::conversation::Conversation;
use crate::bridge::offers::Offer;
use crate::wire::random;

/// The most sessions at once. The oldest one ends for a new one: some clients never end theirs.
const MOST: usize = 256;

#[derive(Default)]
pub(super) struct Sessions(Mutex<State>);

#[derive(Default)]
struct State {
    by_id: HashMap<Box<str>, Session>,
    last: u64,
}

struct Session {
    /// Sessions are numbered in their order.
    number: u64,
    conversation: Arc<Conversation>,
    _watch: Watch,
}

/// The task that ends a session with its server. It ends when this is dropped.
struct Watch(AbortHandle);

impl Watch {
    fn over(conversation: &Arc<Conversation>) -> Self {
        let (gone, session) = (conversation.offer.gone.clone(), Arc::downgrade(conversation));
        let task = tokio::spawn(async move {
            gone.cancelled().await;
            if let Some(session) = session.upgrade() {
                session.end();
            }
        });
        Self(task.abort_handle())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Sessions {
    /// Adds a session, and returns its id.
    pub(super) fn add(&self, conversation: Arc<Conversation>) -> Result<String, Error> {
        let id = random::hex::<16>()?;
        let watch = Watch::over(&conversation);
        let ended = {
            let mut state = self.state();
            state.last += 1;
            let number = state.last;
            state.by_id.insert(id.as_str().into(), Session { number, conversation, _watch: watch });
            let mut ended: Vec<_> = Vec::new();
            state.by_id.retain(|_, session| {
                let is_over = session.conversation.offer.gone.is_cancelled();
                if is_over {
                    ended.push(Arc::clone(&session.conversation));
                }
                !is_over
            });
            if state.by_id.len() > MOST {
                let oldest = state.by_id.iter().min_by_key(|(_, session)| session.number);
                let oldest = oldest.map(|(id, _)| id.clone());
                let removed = oldest.and_then(|id| state.by_id.remove(&id));
                ended.extend(removed.map(|session| session.conversation));
            }
            ended
        };
        for conversation in ended {
            conversation.end();
        }
        Ok(id)
    }

    /// Returns the session of this id, if it is one with this server.
    pub(super) fn get(&self, id: &str, offer: &Arc<Offer>) -> Option<Arc<Conversation>> {
        let state = self.state();
        let conversation = &state.by_id.get(id)?.conversation;
        Arc::ptr_eq(&conversation.offer, offer).then(|| Arc::clone(conversation))
    }

    pub(super) fn remove(&self, id: &str) {
        let removed = self.state().by_id.remove(id);
        if let Some(session) = removed {
            session.conversation.end();
        }
    }

    /// Ends all sessions.
    pub(super) fn end(&self) {
        let all = std::mem::take(&mut self.state().by_id);
        for session in all.into_values() {
            session.conversation.end();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
