//! Directories that are held open.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Error;
use crate::root::{Root, real_path};

/// Directories that are held open, in the order in which they were added. Clones share them.
///
/// A path may begin with the name under which a root was opened, or with its real name. Of nested
/// roots the first that holds the path is used.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    roots: Vec<Arc<Root>>,
}

impl Roots {
    /// Opens directories. Those that cannot be opened are left out.
    pub async fn open<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>) -> Self {
        let paths: Vec<PathBuf> = paths.into_iter().map(Into::into).collect();
        let open = move || paths.iter().filter_map(|path| Root::open(path).ok()).map(Arc::new).collect();
        Self { roots: tokio::task::spawn_blocking(open).await.unwrap_or_default() }
    }

    /// Opens one more directory. It may wait for the disk.
    ///
    /// # Errors
    /// Fails if `path` is not a directory that can be opened.
    pub fn add(&mut self, path: impl AsRef<Path>) -> io::Result<()> {
        self.roots.push(Arc::new(Root::open(path.as_ref())?));
        Ok(())
    }

    /// Adds the directories of others behind these.
    pub fn append(&mut self, others: &Self) {
        self.roots.extend(others.roots.iter().cloned());
    }

    /// Returns true if no path is below these roots.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// Returns the real path of a directory that lies below these roots. It may wait for the disk.
    ///
    /// # Errors
    /// [`Error::Missing`] and [`Error::NotADirectory`]; the errors of a path.
    pub fn real_directory(&self, path: &Path) -> Result<PathBuf, Error> {
        self.inside(path, |root, relative| {
            let real = root.real(relative)?;
            if root.dir().metadata(relative)?.is_dir() { Ok(real) } else { Err(Error::NotADirectory) }
        })
    }

    /// Runs `act` on the root that holds `path` and on the rest of the path below it.
    pub(crate) fn inside<T>(
        &self,
        path: &Path,
        act: impl Fn(&Root, &Path) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if path.as_os_str().as_encoded_bytes().contains(&0) {
            return Err(Error::BadName);
        }
        if !path.is_absolute() {
            return Err(Error::Relative);
        }
        // The first of nested roots that does not report the path as outside.
        for root in &self.roots {
            let Some(relative) = root.below(path) else { continue };
            match act(root, &relative) {
                Err(Error::Outside) => {}
                done => return done,
            }
        }
        // The path may be inside under its real name: through an absolute link, or in another case.
        // The lookup is not trusted: the file is opened below the root again.
        let real = real_path(path).ok_or(Error::Outside)?;
        let (root, relative) =
            self.roots.iter().find_map(|root| Some((root, root.below(&real)?))).ok_or(Error::Outside)?;
        act(root, &relative)
    }
}
