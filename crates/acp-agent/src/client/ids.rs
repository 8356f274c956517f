//! Ids that nothing else has.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// `prefix`, a number that is drawn for this process, and a counter. The second keeps apart what belongs to a
/// session that was continued by another process.
pub(crate) fn unique(prefix: &str) -> String {
    static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish());
    static COUNT: AtomicU64 = AtomicU64::new(1);
    format!("{prefix}_{:016x}_{}", *PROCESS, COUNT.fetch_add(1, Ordering::Relaxed))
}
