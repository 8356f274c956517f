//! A directory tree that no lookup leaves.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::disk::file_error::FileError;

/// One root directory. Every path below it is opened relative to its descriptor, component by
/// component. So neither `..` nor a symbolic link leads out of it, not even a link that is swapped
/// in during the lookup. It stays the same directory when its path comes to name another one.
#[derive(Debug)]
pub(crate) struct Tree {
    spelled: PathBuf,
    real: PathBuf,
    dir: Dir,
}

impl Tree {
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        let spelled = std::path::absolute(root)?;
        let real = std::fs::canonicalize(&spelled)?;
        let dir = Dir::open_ambient_dir(&real, ambient_authority())?;
        Ok(Self { spelled, real, dir })
    }

    pub(crate) const fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Returns the real path of a file, which need not exist.
    pub(crate) fn real(&self, relative: &Path) -> Result<PathBuf, FileError> {
        let is_missing = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        match self.dir.canonicalize(relative) {
            Ok(found) => return Ok(join(&self.real, &found)),
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(error.into()),
        }
        let name = relative.file_name().ok_or(FileError::Missing)?;
        let folder = match relative.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        match self.dir.canonicalize(folder) {
            Ok(folder) => Ok(join(&self.real, &folder).join(name)),
            Err(error) if is_missing(&error) && is_plain(relative) => Ok(self.real.join(relative)),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the part of `path` below this root. The path may begin with the spelled or with the
    /// real path of the root.
    fn below(&self, path: &Path) -> Option<PathBuf> {
        [&self.spelled, &self.real].into_iter().find_map(|root| path.strip_prefix(root).ok()).map(|rest| {
            // The root itself. An empty path cannot be opened.
            if rest.as_os_str().is_empty() { PathBuf::from(".") } else { rest.to_owned() }
        })
    }
}

/// Runs `act` on the root that holds `path` and on the rest of the path below it.
pub(crate) fn inside<T>(
    trees: &[Arc<Tree>],
    path: &str,
    act: impl Fn(&Tree, &Path) -> Result<T, FileError>,
) -> Result<T, FileError> {
    if path.contains('\0') {
        return Err(FileError::BadName);
    }
    let path = Path::new(path);
    if !path.is_absolute() {
        return Err(FileError::Relative);
    }
    // The first of nested roots that does not report the path as outside.
    for tree in trees {
        let Some(relative) = tree.below(path) else { continue };
        match act(tree, &relative) {
            Err(FileError::Outside) => {}
            done => return done,
        }
    }
    // The path may be inside under its real name: through an absolute link, or in another case. The
    // lookup is not trusted: the file is opened below the root again.
    let real = real_path(path).ok_or(FileError::Outside)?;
    let (tree, relative) =
        trees.iter().find_map(|tree| Some((tree, tree.below(&real)?))).ok_or(FileError::Outside)?;
    act(tree, &relative)
}

/// Returns the real path of a directory that lies in one of these trees.
pub(crate) fn folder_inside(trees: &[Arc<Tree>], path: &str) -> Result<PathBuf, FileError> {
    inside(trees, path, |tree, relative| {
        let real = tree.real(relative)?;
        match tree.dir.metadata(relative) {
            Ok(found) if found.is_dir() => Ok(real),
            Ok(_) => Err(FileError::Special),
            Err(error) => Err(error.into()),
        }
    })
}

/// Returns the path without links. For a file that does not exist, only its directory is resolved.
fn real_path(path: &Path) -> Option<PathBuf> {
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

fn is_plain(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
}
