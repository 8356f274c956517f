//! Fresh ids.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::v1::{SessionId, ToolCallId};

/// Makes an id that no other has: `prefix`, a random number of this process, and a counter. The
/// random number keeps ids apart when another process continues a session. The id is unique, but
/// not a secret.
#[must_use]
pub fn unique_id(prefix: &str) -> String {
    static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish());
    static COUNT: AtomicU64 = AtomicU64::new(1);
    format!("{prefix}_{:016x}_{}", *PROCESS, COUNT.fetch_add(1, Ordering::Relaxed))
}

impl ToolCallId {
    /// Makes an id that no other tool call has, also not one of another process.
    ///
    /// ```
    /// use acp_types::v1::ToolCallId;
    ///
    /// assert_ne!(ToolCallId::unique(), ToolCallId::unique());
    /// ```
    #[must_use]
    pub fn unique() -> Self {
        Self::from(unique_id("call"))
    }
}

impl SessionId {
    /// Makes an id that no other session has: a counter, hashed to 128 bits with the random keys
    /// that the standard library draws for each process. It is unique, but not a secret.
    #[must_use]
    pub fn unique() -> Self {
        static KEYS: LazyLock<(RandomState, RandomState)> = LazyLock::new(Default::default);
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let half = |keys: &RandomState| {
            let mut hasher = keys.build_hasher();
            hasher.write_u64(count);
            hasher.finish()
        };
        Self::from(format!("sess_{:016x}{:016x}", half(&KEYS.0), half(&KEYS.1)))
    }
}
