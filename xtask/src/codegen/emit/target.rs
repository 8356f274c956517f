//! Where generated types go.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where types go, and what they find there.
#[derive(Debug)]
pub struct Target {
    pub folder: PathBuf,
    /// The path of what generated code uses: `crate` in `acp-types` itself.
    pub runtime: &'static str,
    /// Types that another crate has, by name, with their paths.
    pub elsewhere: BTreeMap<String, String>,
    /// All of them have wording, and are not to compile without.
    pub documented: bool,
    /// The version of the protocol, of several that stand beside each other.
    pub version: Option<&'static str>,
}

/// The path of a file in a generated folder.
pub(super) fn rust_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.rs"))
}
