//! The directories of a session.

#[cfg(feature = "workspace")]
use acp_fs::Roots;
#[cfg(feature = "workspace")]
use tokio::sync::OnceCell;

/// The working directory of a session, and the additional ones.
pub(crate) struct Directories {
    cwd: Box<str>,
    #[cfg(feature = "workspace")]
    additional: Box<[String]>,
    #[cfg(feature = "workspace")]
    roots: OnceCell<Roots>,
}

impl Directories {
    #[cfg_attr(not(feature = "workspace"), allow(unused_variables, reason = "only files need them"))]
    pub(crate) fn new(cwd: &str, additional: &[String]) -> Self {
        Directories {
            cwd: cwd.into(),
            #[cfg(feature = "workspace")]
            additional: additional.into(),
            #[cfg(feature = "workspace")]
            roots: OnceCell::new(),
        }
    }

    pub(crate) fn cwd(&self) -> &str {
        &self.cwd
    }

    /// Returns the directories, held open. They are opened once, so that they stay the same even if
    /// their paths change.
    #[cfg(feature = "workspace")]
    pub(crate) async fn roots(&self) -> &Roots {
        let paths = || std::iter::once(&*self.cwd).chain(self.additional.iter().map(String::as_str));
        self.roots.get_or_init(|| Roots::open(paths())).await
    }
}
