//! The directories of a session.

use std::path::Path;
use std::sync::Arc;

use crate::disk::tree::Tree;

/// The directories of one session: its `cwd` and the additional ones (rule v1-fs-08).
#[derive(Debug, Default)]
pub(crate) struct Roots {
    cwd: Box<str>,
    trees: Vec<Arc<Tree>>,
}

impl Roots {
    /// Names the directory without opening any: nothing is served by the directories of sessions.
    pub(crate) fn unopened(cwd: &str) -> Self {
        Self { cwd: cwd.into(), trees: Vec::new() }
    }

    /// Opens the directories, so that they stay the same even if their paths change. A directory
    /// that cannot be opened is left out.
    pub(crate) async fn open(cwd: &str, directories: &[String]) -> Self {
        let paths: Vec<Box<str>> =
            std::iter::once(cwd).chain(directories.iter().map(String::as_str)).map(Box::from).collect();
        let open = move || {
            paths.iter().filter_map(|path| Tree::open(Path::new(&**path)).ok()).map(Arc::new).collect()
        };
        Self { cwd: cwd.into(), trees: tokio::task::spawn_blocking(open).await.unwrap_or_default() }
    }

    pub(crate) fn cwd(&self) -> &str {
        &self.cwd
    }

    pub(crate) fn trees(&self) -> &[Arc<Tree>] {
        &self.trees
    }
}
