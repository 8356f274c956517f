//! The eras that servers had, remembered for the next connection.

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use crate::values::version::Era;

/// A key for the configuration of one server: a hash of its command or of its address.
///
/// Nothing can be read from it. Another release of Rust may compute another key; the server then
/// counts as unknown and is probed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ServerKey(u64);

impl ServerKey {
    #[cfg_attr(
        not(any(feature = "stdio", feature = "http")),
        allow(dead_code, reason = "nothing has a key then")
    )]
    pub(crate) fn of(configuration: &impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        configuration.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// Writes 16 hexadecimal digits.
impl fmt::Display for ServerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for ServerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Keeps eras longer than the process lives.
///
/// The answers decide only the order of attempts, so a wrong answer costs one exchange.
pub trait EraStore: Send + Sync + 'static {
    /// Returns the era that a server had.
    fn load(&self, server: ServerKey) -> Option<Era>;
    /// Remembers the era of a server.
    fn save(&self, server: ServerKey, era: Era);
}

/// The eras of servers that have been connected, shared by all clones.
///
/// Only the era of a connected server is remembered. Timeouts, refusals and failures are not.
#[derive(Clone, Default)]
pub struct EraCache {
    eras: Arc<Mutex<HashMap<ServerKey, Era>>>,
    store: Option<Arc<dyn EraStore>>,
}

impl EraCache {
    /// Creates an empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a cache that loads unknown eras from `store`, and saves new ones there.
    #[must_use]
    pub fn with_store(store: impl EraStore) -> Self {
        Self { store: Some(Arc::new(store)), ..Self::default() }
    }

    pub(crate) fn get(&self, server: ServerKey) -> Option<Era> {
        let known = self.eras.lock().unwrap_or_else(PoisonError::into_inner).get(&server).copied();
        known.or_else(|| self.store.as_ref()?.load(server))
    }

    pub(crate) fn set(&self, server: ServerKey, era: Era) {
        let before = self.eras.lock().unwrap_or_else(PoisonError::into_inner).insert(server, era);
        if let Some(store) = self.store.as_ref().filter(|_| before != Some(era)) {
            store.save(server, era);
        }
    }
}

impl fmt::Debug for EraCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.eras.lock().unwrap_or_else(PoisonError::into_inner).len();
        f.debug_struct("EraCache").field("known", &known).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Store(Arc<Mutex<Vec<(ServerKey, Era)>>>);

    impl EraStore for Store {
        fn load(&self, server: ServerKey) -> Option<Era> {
            (server == ServerKey::of(&"old")).then_some(Era::Legacy)
        }

        fn save(&self, server: ServerKey, era: Era) {
            self.0.lock().unwrap().push((server, era));
        }
    }

    #[test]
    fn mcp_neg_56_eras_are_kept_in_a_store() {
        let (store, [old, new]) = (Store::default(), ["old", "new"].map(|name| ServerKey::of(&name)));
        let cache = EraCache::with_store(store.clone());
        assert_eq!([cache.get(old), cache.get(new)], [Some(Era::Legacy), None]);
        cache.set(new, Era::Modern);
        cache.set(new, Era::Modern);
        cache.set(old, Era::Modern);
        assert_eq!([cache.get(old), cache.get(new)], [Some(Era::Modern); 2]);
        // Only changes are saved.
        assert_eq!(*store.0.lock().unwrap(), [(new, Era::Modern), (old, Era::Modern)]);
        assert_eq!(new.to_string().len(), 16);
    }
}
