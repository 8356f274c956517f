//! The subscriptions to resources of one server, over all of its connections.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch::{Receiver, Sender};

use super::notify::HandlerGuard;
use crate::error::McpError;

/// The number of resources of one server that can be subscribed to.
const MOST: usize = 1000;

/// An update of a resource, or the notice that updates may have been missed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceUpdate {
    /// The name of the server.
    pub server: String,
    /// The resource, or one below it if the server reports those.
    pub uri: String,
    /// True when the server did not report an update, but was out of reach for a while. Its reports
    /// in that time are lost.
    pub after_gap: bool,
}

type OnUpdate = Arc<dyn Fn(&ResourceUpdate) + Send + Sync>;
pub(in crate::session) type WantedResources = BTreeMap<Box<str>, Resource>;

/// The state of the subscription to a resource.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::session) enum SubscriptionState {
    /// The server has not answered yet.
    Asked {
        /// True when the server reported the resource before, over an earlier connection or stream.
        again: bool,
    },
    Subscribed,
    Refused(McpError),
}

pub(in crate::session) struct Resource {
    pub(in crate::session) state: SubscriptionState,
    handlers: Vec<(u64, OnUpdate)>,
}

/// The resources of one server that somebody has subscribed to.
pub(in crate::session) struct Subscriptions {
    wanted: Arc<Sender<WantedResources>>,
    next: AtomicU64,
}

impl Default for Subscriptions {
    fn default() -> Self {
        Self { wanted: Arc::new(Sender::new(WantedResources::new())), next: AtomicU64::new(0) }
    }
}

impl Subscriptions {
    pub(in crate::session) fn add(&self, uri: &str, handler: OnUpdate) -> Result<HandlerGuard, McpError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let is_added = self.wanted.send_if_modified(|wanted| {
            if wanted.len() >= MOST && !wanted.contains_key(uri) {
                return false;
            }
            let fresh =
                || Resource { state: SubscriptionState::Asked { again: false }, handlers: Vec::new() };
            let resource = wanted.entry(uri.into()).or_insert_with(fresh);
            if matches!(resource.state, SubscriptionState::Refused(_)) {
                resource.state = SubscriptionState::Asked { again: false };
            }
            resource.handlers.push((id, handler));
            true
        });
        if !is_added {
            return Err(McpError::TooMany { what: "subscribed resources", most: MOST });
        }
        let (wanted, uri) = (Arc::downgrade(&self.wanted), Box::<str>::from(uri));
        Ok(HandlerGuard::new(move || {
            if let Some(wanted) = wanted.upgrade() {
                remove(&wanted, &uri, id);
            }
        }))
    }

    /// Waits until the server has answered the subscription. Fails if it refused.
    pub(in crate::session) async fn answered(&self, uri: &str) -> Result<(), McpError> {
        let is_answered = |wanted: &WantedResources| match wanted.get(uri) {
            Some(resource) => !matches!(resource.state, SubscriptionState::Asked { .. }),
            None => true,
        };
        let mut changes = self.wanted.subscribe();
        let wanted = changes.wait_for(is_answered).await.map_err(|_| McpError::Closed)?;
        match wanted.get(uri).map(|resource| &resource.state) {
            Some(SubscriptionState::Refused(error)) => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// Returns a receiver for the wanted resources and their changes.
    pub(in crate::session) fn changes(&self) -> Receiver<WantedResources> {
        self.wanted.subscribe()
    }

    /// Marks all resources to be asked for again, because the server has forgotten them. If it may
    /// be another server, the refused ones are asked for, too.
    pub(in crate::session) fn forget(&self, is_another: bool) {
        self.wanted.send_if_modified(|wanted| {
            for resource in wanted.values_mut() {
                if resource.state == SubscriptionState::Subscribed
                    || (is_another && matches!(resource.state, SubscriptionState::Refused(_)))
                {
                    resource.state = SubscriptionState::Asked { again: true };
                }
            }
            !wanted.is_empty()
        });
    }

    /// Sets the answer of the server. If the resource was reported before, its handlers are told of
    /// the gap.
    ///
    /// Returns true if a resource that was reported before is lost now.
    pub(in crate::session) fn set(&self, server: &str, uri: &str, state: SubscriptionState) -> bool {
        let (is_told, is_refused) =
            (state == SubscriptionState::Subscribed, matches!(state, SubscriptionState::Refused(_)));
        let mut was_told = false;
        self.wanted.send_if_modified(|wanted| {
            let Some(resource) = wanted.get_mut(uri) else { return false };
            was_told = resource.state == SubscriptionState::Asked { again: true };
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

    /// Reports an update to the handlers of the resource, and to those of resources above it.
    pub(in crate::session) fn received(&self, server: &str, uri: &str) {
        let update = ResourceUpdate { server: server.to_owned(), uri: uri.to_owned(), after_gap: false };
        self.each(uri, &update);
    }

    /// Calls handlers without the lock: they may add and remove handlers.
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

/// Tells whether a resource is `above` itself or below it, by the path.
fn is_within(uri: &str, above: &str) -> bool {
    match uri.strip_prefix(above) {
        Some("") => true,
        Some(rest) => above.ends_with('/') || rest.starts_with(['/', '#']),
        None => false,
    }
}

/// Removes a handler. It is dropped after the lock is released.
fn remove(wanted: &Sender<WantedResources>, uri: &str, id: u64) {
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
        assert_eq!(error.to_string(), "nothing was sent: the limit of 1000 subscribed resources is reached");
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
        let received = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&received);
        let handler = move |update: &ResourceUpdate| sink.lock().unwrap().push(update.after_gap);
        let _guard = subscriptions.add("x:a", Arc::new(handler)).unwrap();
        assert!(!subscriptions.set("s", "x:a", SubscriptionState::Subscribed));
        subscriptions.received("s", "x:a");
        subscriptions.forget(false);
        assert!(!subscriptions.set("s", "x:a", SubscriptionState::Subscribed));
        assert_eq!(*received.lock().unwrap(), [false, true]);
        subscriptions.forget(false);
        assert!(subscriptions.set("s", "x:a", SubscriptionState::Refused(McpError::Closed)), "it is lost");
        assert_eq!(received.lock().unwrap().len(), 2);
    }
}
