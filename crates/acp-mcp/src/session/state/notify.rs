//! Handlers of notifications.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rmcp::model::ServerNotification;
use serde_json::Value;

/// A notification of a server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Notification {
    /// The name of the server.
    pub server: String,
    /// The method.
    pub method: String,
    /// The params, or `null` when there are none.
    pub params: Value,
}

type OnNotification = Arc<dyn Fn(&Notification) + Send + Sync>;
type Handlers = Mutex<Vec<(u64, Box<str>, OnNotification)>>;

/// The handlers of one server.
#[derive(Default)]
pub(in crate::session) struct Registry {
    handlers: Arc<Handlers>,
    next: Mutex<u64>,
}

impl Registry {
    pub(in crate::session) fn add(&self, method: &str, handler: OnNotification) -> HandlerGuard {
        let id = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            *next += 1;
            *next
        };
        self.handlers.lock().unwrap_or_else(PoisonError::into_inner).push((id, method.into(), handler));
        let handlers: Weak<Handlers> = Arc::downgrade(&self.handlers);
        HandlerGuard::new(move || {
            let Some(handlers) = handlers.upgrade() else { return };
            // The handler is dropped after the lock is released.
            let removed: Vec<_> = {
                let mut handlers = handlers.lock().unwrap_or_else(PoisonError::into_inner);
                handlers.extract_if(.., |(handler, _, _)| *handler == id).collect()
            };
            drop(removed);
        })
    }

    /// Calls the handlers of a notification, without the lock: a handler may add and remove
    /// handlers.
    pub(in crate::session) fn received(&self, server: &str, notification: &ServerNotification) {
        let Ok(mut message) = serde_json::to_value(notification) else { return };
        let Some(method) = message.get("method").and_then(Value::as_str).map(str::to_owned) else { return };
        let handlers: Vec<OnNotification> = {
            let handlers = self.handlers.lock().unwrap_or_else(PoisonError::into_inner);
            handlers
                .iter()
                .filter(|(_, wanted, _)| **wanted == *method)
                .map(|(_, _, handler)| Arc::clone(handler))
                .collect()
        };
        if handlers.is_empty() {
            return;
        }
        let mut params = message.get_mut("params").map(Value::take).unwrap_or_default();
        // rmcp writes an empty `_meta` into every notification.
        if let Value::Object(members) = &mut params
            && members.get("_meta").and_then(Value::as_object).is_some_and(serde_json::Map::is_empty)
        {
            members.remove("_meta");
            if members.is_empty() {
                params = Value::Null;
            }
        }
        let notification = Notification { server: server.to_owned(), method, params };
        for handler in handlers {
            handler(&notification);
        }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").finish_non_exhaustive()
    }
}

/// A guard that keeps a handler. Dropping it removes the handler.
#[must_use = "the handler is removed when this is dropped"]
pub struct HandlerGuard {
    remove: Option<Box<dyn FnOnce() + Send + Sync>>,
}

impl HandlerGuard {
    pub(in crate::session) fn new(remove: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self { remove: Some(Box::new(remove)) }
    }

    /// Keeps the handler until the session ends.
    pub fn forget(mut self) {
        self.remove = None;
    }
}

impl Drop for HandlerGuard {
    fn drop(&mut self) {
        if let Some(remove) = self.remove.take() {
            remove();
        }
    }
}

impl fmt::Debug for HandlerGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandlerGuard").finish_non_exhaustive()
    }
}
