//! A directory tree that no lookup leaves.

use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::error::Error;

/// The number of lookups of a file that others replace meanwhile.
const TRIES: usize = 100;

/// One root directory. Every path below it is opened relative to its descriptor, component by
/// component. So neither `..` nor a symbolic link leads out of it, not even a link that is swapped
/// in during the lookup. It stays the same directory even if its path later names another one.
#[derive(Debug)]
pub(crate) struct Root {
    spelled: PathBuf,
    real: PathBuf,
    dir: Dir,
}

impl Root {
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        let spelled = std::path::absolute(root)?;
        let real = std::fs::canonicalize(&spelled)?;
        let dir = Dir::open_ambient_dir(&real, ambient_authority())?;
        Ok(Self { spelled, real, dir })
    }

    pub(crate) const fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Returns the path of an existing file below this root, without links.
    pub(crate) fn canonicalize(&self, relative: &Path) -> io::Result<PathBuf> {
        for _ in 0..TRIES {
            let found = self.dir.canonicalize(relative)?;
            // Linux calls a file that is replaced during the lookup `name (deleted)`.
            match self.dir.symlink_metadata(&found) {
                Err(error) if is_missing(&error) => {}
                _ => return Ok(found),
            }
        }
        Err(io::Error::other("the file is replaced again and again: try later"))
    }

    /// Returns the real path of a file, which need not exist.
    pub(crate) fn real(&self, relative: &Path) -> Result<PathBuf, Error> {
        match self.canonicalize(relative) {
            Ok(found) => return Ok(join(&self.real, &found)),
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(error.into()),
        }
        let name = relative.file_name().ok_or(Error::Missing)?;
        let folder = match relative.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        match self.canonicalize(folder) {
            Ok(folder) => Ok(join(&self.real, &folder).join(name)),
            Err(error) if is_missing(&error) && is_plain(relative) => Ok(self.real.join(relative)),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the part of `path` below this root. The path may begin with the spelled or with the
    /// real path of the root.
    pub(crate) fn below(&self, path: &Path) -> Option<PathBuf> {
        [&self.spelled, &self.real].into_iter().find_map(|root| path.strip_prefix(root).ok()).map(|rest| {
            // The root itself. An empty path cannot be opened.
            if rest.as_os_str().is_empty() { PathBuf::from(".") } else { rest.to_owned() }
        })
    }
}

/// Returns the path without links. For a file that does not exist, only its directory is resolved.
pub(crate) fn real_path(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = std::fs::canonicalize(path) {
        return Some(real);
    }
    let Some(Component::Normal(name)) = path.components().next_back() else { return None };
    Some(std::fs::canonicalize(path.parent()?).ok()?.join(name))
}

/// Joins `root` and a path that was found below it. `.` stands for the root itself.
fn join(root: &Path, found: &Path) -> PathBuf {
    found.components().filter(|part| matches!(part, Component::Normal(_))).fold(
        root.to_owned(),
        |mut path, part| {
            path.push(part);
            path
        },
    )
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

fn is_plain(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
}
