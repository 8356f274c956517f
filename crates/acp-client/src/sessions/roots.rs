//! The directories of a session.

/// The directories of one session: its `cwd` and the additional ones (rule v1-fs-08).
#[derive(Debug, Default)]
pub(crate) struct Roots {
    cwd: Box<str>,
    opened: acp_fs::Roots,
}

impl Roots {
    /// Names the directory without opening any: nothing is served by the directories of sessions.
    pub(crate) fn unopened(cwd: &str) -> Self {
        Self { cwd: cwd.into(), opened: acp_fs::Roots::default() }
    }

    /// Opens the directories, so that they stay the same even if their paths change. A directory
    /// that cannot be opened is left out.
    pub(crate) async fn open(cwd: &str, directories: &[String]) -> Self {
        let paths = std::iter::once(cwd).chain(directories.iter().map(String::as_str));
        Self { cwd: cwd.into(), opened: acp_fs::Roots::open(paths).await }
    }

    pub(crate) fn cwd(&self) -> &str {
        &self.cwd
    }

    pub(crate) const fn opened(&self) -> &acp_fs::Roots {
        &self.opened
    }
}
