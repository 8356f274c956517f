//! The directories of a session.

#[cfg(feature = "workspace")]
use std::path::Path;

#[cfg(feature = "workspace")]
use acp_fs::Roots;
#[cfg(feature = "workspace")]
use tokio::sync::{OnceCell, Semaphore};

/// The working directory of a session, and the additional ones.
pub(crate) struct Directories {
    cwd: Box<str>,
    #[cfg(feature = "workspace")]
    all: Box<[Directory]>,
    #[cfg(feature = "workspace")]
    writing: Semaphore,
}

/// A directory that is held open from its first use on.
#[cfg(feature = "workspace")]
struct Directory {
    path: Box<str>,
    root: OnceCell<Roots>,
}

impl Directories {
    #[cfg_attr(not(feature = "workspace"), allow(unused_variables, reason = "only files need them"))]
    pub(crate) fn new(cwd: &str, additional: &[String]) -> Self {
        Directories {
            cwd: cwd.into(),
            #[cfg(feature = "workspace")]
            all: std::iter::once(cwd)
                .chain(additional.iter().map(String::as_str))
                .map(|path| Directory { path: path.into(), root: OnceCell::new() })
                .collect(),
            #[cfg(feature = "workspace")]
            writing: Semaphore::new(1),
        }
    }

    pub(crate) fn cwd(&self) -> &str {
        &self.cwd
    }

    /// Returns the directories that can be opened, held open. Each is opened once, so that it stays
    /// the same even if its path changes. Those that cannot be opened are tried again next time.
    #[cfg(feature = "workspace")]
    pub(crate) async fn roots(&self) -> Roots {
        let mut roots = Roots::default();
        for directory in &self.all {
            if let Some(root) = directory.open().await {
                roots.append(root);
            }
        }
        roots
    }

    /// Returns true for the path of a file below a directory that is not open.
    #[cfg(feature = "workspace")]
    pub(crate) fn lack(&self, path: &Path) -> bool {
        self.all.iter().any(|directory| !directory.root.initialized() && path.starts_with(&*directory.path))
    }

    /// Returns the permit to compare a file with its old text and then write it. There is one.
    #[cfg(feature = "workspace")]
    pub(crate) const fn writing(&self) -> &Semaphore {
        &self.writing
    }
}

#[cfg(feature = "workspace")]
impl Directory {
    async fn open(&self) -> Option<&Roots> {
        let open = || async {
            // The path of another system must not be taken for one below this process's directory.
            let path = Some(Path::new(&*self.path)).filter(|path| path.is_absolute()).ok_or(())?;
            let root = Roots::open([path]).await;
            if root.is_empty() { Err(()) } else { Ok(root) }
        };
        self.root.get_or_try_init(open).await.ok()
    }
}
