//! Where things are.

use std::path::{Path, PathBuf};

/// The folder that holds the workspace's `Cargo.toml`.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}
