//! The resources whose updates are asked for, whatever becomes of the connections.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch::{Receiver, Sender};

use super::notify::Guard;
use crate::error::McpError;

/// How many resources of one server can be subscribed to.
const MOST: usize = 1000;

/// A resource has changed, or may have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceUpdate {
    /// The name of the server.
    pub server: String,
    /// The resource, or one below it if the server tells of those.
    pub uri: String,
    /// Nothing was told, but the server could not be heard for a while: what it told meanwhile is lost.
    pub after_gap: bool,
}

type OnUpdate = Arc<dyn Fn(&ResourceUpdate) + Send + Sync>;
pub(in crate::session) type Wanted = BTreeMap<Box<str>, Resource>;

/// Whether the server tells of a resource.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::session) enum State {
    /// It has not answered yet.
    Asked {
        /// It told of it before, over what is gone now.
        again: bool,
    },
    Told,
    Refused(McpError),
}

pub(in crate::session) struct Resource {
    pub(in crate::session) state: State,
    handlers: Vec<(u64, OnUpdate)>,
}

/// The resources of one server that somebody wants to be told of.
pub(in crate::session) struct Subscriptions {
    wanted: Arc<Sender<Wanted>>,
    next: AtomicU64,
}

impl Default for Subscriptions {
    fn default() -> Self {
        Self { wanted: Arc::new(Sender::new(Wanted::new())), next: AtomicU64::new(0) }
    }
}

impl Subscriptions {
    pub(in crate::session) fn add(&self, uri: &str, handler: OnUpdate) -> Result<Guard, McpError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let is_added = self.wanted.send_if_modified(|wanted| {
            if wanted.len() >= MOST && !wanted.contains_key(uri) {
                return false;
            }
            let fresh = || Resource { state: State::Asked { again: false }, handlers: Vec::new() };
            let resource = wanted.entry(uri.into()).or_insert_with(fresh);
            if matches!(resource.state, State::Refused(_)) {
                resource.state = State::Asked { again: false };
            }
            resource.handlers.push((id, handler));
            true
        });
        if !is_added {
            return Err(McpError::TooMany {
                what: "resources of a server that are subscribed to",
                most: MOST,
            });
        }
        let (wanted, uri) = (Arc::downgrade(&self.wanted), Box::<str>::from(uri));
        Ok(Guard::new(move || {
            if let Some(wanted) = wanted.upgrade() {
                remove(&wanted, &uri, id);
            }
        }))
    }

    /// Waits until the server has answered; whether it tells of the resource.
    pub(in crate::session) async fn answered(&self, uri: &str) -> Result<(), McpError> {
        let is_answered = |wanted: &Wanted| match wanted.get(uri) {
            Some(resource) => !matches!(resource.state, State::Asked { .. }),
            None => true,
        };
        let mut changes = self.wanted.subscribe();
        let wanted = changes.wait_for(is_answered).await.map_err(|_| McpError::Closed)?;
        match wanted.get(uri).map(|resource| &resource.state) {
            Some(State::Refused(error)) => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// Sees what is wanted, and when that changes.
    pub(in crate::session) fn changes(&self) -> Receiver<Wanted> {
        self.wanted.subscribe()
    }

    /// The server tells of nothing any more, and has to be asked again; also for what it refused, if it is another.
    pub(in crate::session) fn forget(&self, is_another: bool) {
        self.wanted.send_if_modified(|wanted| {
            for resource in wanted.values_mut() {
                if resource.state == State::Told
                    || (is_another && matches!(resource.state, State::Refused(_)))
                {
                    resource.state = State::Asked { again: true };
                }
            }
            !wanted.is_empty()
        });
    }

    /// What the server has answered. Whoever heard of the resource before is told that there was a gap.
    ///
    /// Returns whether a resource is lost that was told of before.
    pub(in crate::session) fn set(&self, server: &str, uri: &str, state: State) -> bool {
        let (is_told, is_refused) = (state == State::Told, matches!(state, State::Refused(_)));
        let mut was_told = false;
        self.wanted.send_if_modified(|wanted| {
            let Some(resource) = wanted.get_mut(uri) else { return false };
            was_told = resource.state == State::Asked { again: true };
            resource.state = state;
            true
        });
        if was_told && is_told {
            self.each(
                uri,
                &ResourceUpdate { server: server.to_owned(), uri: uri.to_owned(), after_gap: true },
            );
        }
        was_told && is_refused
    }

    /// Tells of an update, also those who asked for what is above.
    pub(in crate::session) fn tell(&self, server: &str, uri: &str) {
        let update = ResourceUpdate { server: server.to_owned(), uri: uri.to_owned(), after_gap: false };
        self.each(uri, &update);
    }

    /// Calls handlers outside of the lock: they may add and remove handlers.
    fn each(&self, uri: &str, update: &ResourceUpdate) {
        let handlers: Vec<OnUpdate> = {
            let wanted = self.wanted.borrow();
            let concerned = wanted.iter().filter(|(above, _)| is_within(uri, above));
            concerned
                .flat_map(|(_, resource)| resource.handlers.iter().map(|(_, handler)| Arc::clone(handler)))
                .collect()
        };
        for handler in handlers {
            handler(update);
        }
    }
}

/// Whether a resource is another or one below it, by the path.
fn is_within(uri: &str, above: &str) -> bool {
    match uri.strip_prefix(above) {
        Some("") => true,
        Some(rest) => above.ends_with('/') || rest.starts_with(['/', '#']),
        None => false,
    }
}

/// What a handler holds is dropped after the lock is free.
fn remove(wanted: &Sender<Wanted>, uri: &str, id: u64) {
    let mut removed = None;
    wanted.send_if_modified(|wanted| {
        let Some(resource) = wanted.get_mut(uri) else { return false };
        if let Some(place) = resource.handlers.iter().position(|(handler, _)| *handler == id) {
            removed = Some(resource.handlers.swap_remove(place));
        }
        if resource.handlers.is_empty() {
            wanted.remove(uri);
        }
        true
    });
    drop(removed);
}

impl fmt::Debug for Subscriptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscriptions")
            .field("resources", &self.wanted.borrow().len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn what_is_below_a_resource_counts_as_it() {
        for (uri, above, expected) in [
            ("file:///a", "file:///a", true),
            ("file:///a/b", "file:///a", true),
            ("file:///a/b", "file:///a/", true),
            ("file:///a#b", "file:///a", true),
            ("file:///ab", "file:///a", false),
            ("file:///a", "file:///a/b", false),
        ] {
            assert_eq!(is_within(uri, above), expected, "{uri} {above}");
        }
    }

    #[test]
    fn there_are_only_so_many_and_a_second_handler_of_one_is_none_more() {
        let subscriptions = Subscriptions::default();
        let quiet: OnUpdate = Arc::new(|_| ());
        let mut guards: Vec<_> =
            (0..MOST).map(|at| subscriptions.add(&format!("x:{at}"), Arc::clone(&quiet)).unwrap()).collect();
        let error = subscriptions.add("x:one more", Arc::clone(&quiet)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "nothing was sent: there are 1000 resources of a server that are subscribed to already, and not more are taken"
        );
        let second = subscriptions.add("x:0", Arc::clone(&quiet)).unwrap();
        drop(guards.swap_remove(0));
        assert!(subscriptions.changes().borrow().contains_key("x:0"), "the second handler is there");
        drop(second);
        assert!(!subscriptions.changes().borrow().contains_key("x:0"));
        let _guard = subscriptions.add("x:one more", quiet).unwrap();
    }

    #[test]
    fn who_heard_before_is_told_of_a_gap_and_of_what_is_lost() {
        let subscriptions = Subscriptions::default();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&heard);
        let handler = move |update: &ResourceUpdate| told.lock().unwrap().push(update.after_gap);
        let _guard = subscriptions.add("x:a", Arc::new(handler)).unwrap();
        assert!(!subscriptions.set("s", "x:a", State::Told));
        subscriptions.tell("s", "x:a");
        subscriptions.forget(false);
        assert!(!subscriptions.set("s", "x:a", State::Told));
        assert_eq!(*heard.lock().unwrap(), [false, true]);
        subscriptions.forget(false);
        assert!(subscriptions.set("s", "x:a", State::Refused(McpError::Closed)), "it is lost");
        assert_eq!(heard.lock().unwrap().len(), 2);
    }
}
