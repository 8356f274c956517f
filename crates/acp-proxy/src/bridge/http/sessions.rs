//! The sessions of clients of the legacy era.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_rpc::Error;

use crate::bridge::conversation::Conversation;
use crate::bridge::offers::Offer;
use crate::wire::random;

/// The most sessions at once. The oldest one ends for a new one: some clients never end theirs.
const MOST: usize = 256;

#[derive(Default)]
pub(super) struct Sessions(Mutex<State>);

#[derive(Default)]
struct State {
    by_id: HashMap<Box<str>, (u64, Arc<Conversation>)>,
    last: u64,
}

impl Sessions {
    /// Adds a session, and returns its id.
    pub(super) fn add(&self, conversation: Arc<Conversation>) -> Result<String, Error> {
        let id = random::hex::<16>()?;
        let (gone, session) = (conversation.offer.gone.clone(), Arc::downgrade(&conversation));
        tokio::spawn(async move {
            gone.cancelled().await;
            if let Some(session) = session.upgrade() {
                session.end();
            }
        });
        let ended = {
            let mut state = self.state();
            state.last += 1;
            let number = state.last;
            state.by_id.insert(id.as_str().into(), (number, conversation));
            let mut ended: Vec<_> = Vec::new();
            state.by_id.retain(|_, (_, conversation)| {
                let is_over = conversation.offer.gone.is_cancelled();
                if is_over {
                    ended.push(Arc::clone(conversation));
                }
                !is_over
            });
            if state.by_id.len() > MOST {
                let oldest = state.by_id.iter().min_by_key(|(_, (number, _))| *number);
                let oldest = oldest.map(|(id, _)| id.clone());
                let removed = oldest.and_then(|id| state.by_id.remove(&id));
                ended.extend(removed.map(|(_, conversation)| conversation));
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
        let (_, conversation) = state.by_id.get(id)?;
        Arc::ptr_eq(&conversation.offer, offer).then(|| Arc::clone(conversation))
    }

    pub(super) fn remove(&self, id: &str) {
        let removed = self.state().by_id.remove(id);
        if let Some((_, conversation)) = removed {
            conversation.end();
        }
    }

    /// Ends all sessions.
    pub(super) fn end(&self) {
        let all = std::mem::take(&mut self.state().by_id);
        for (_, conversation) in all.into_values() {
            conversation.end();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
