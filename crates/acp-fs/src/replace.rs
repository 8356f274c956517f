//! Writing of a file in one step.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{Dir, File, OpenOptions};

use crate::error::Error;
use crate::rights::Rights;
use crate::roots::Roots;

/// The new content of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    pub(crate) text: &'a str,
    /// True if missing directories are to be made.
    pub(crate) makes_directories: bool,
}

/// Creates or replaces a file in one step. A reader sees the old text or the new one, never a part.
///
/// A replaced file keeps its owner, group, mode, ACL and other attributes, apart from the bits that
/// lend the owner's rights. A new file without these attributes could admit strangers or lock out
/// owners. So if it cannot get them, the text is written into the old file, and a reader may see a
/// part of it.
///
/// A hard link to the old file keeps the old text, because the new one is a new file.
pub(crate) fn write(roots: &Roots, path: &Path, text: Text<'_>) -> Result<(), Error> {
    roots.inside(path, |root, relative| {
        let dir = root.dir();
        // A write through a link changes the target and keeps the link.
        let target = match root.canonicalize(relative) {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => relative.to_owned(),
            Err(error) => return Err(error.into()),
        };
        let name = target.file_name().ok_or(Error::Directory)?;
        let mut made = MadeFolders::new(dir);
        let folder = made.open(target.parent().unwrap_or(Path::new("")), text.makes_directories)?;
        put(&folder, name, text.text.as_bytes())?;
        made.keep();
        Ok(())
    })
}

/// `…/` and `…/.` lead to a directory, or nowhere. The rest of such a path would pass for a name.
pub(crate) fn is_directory_path(path: &Path) -> bool {
    let path = path.as_os_str().as_encoded_bytes();
    let last = path.strip_suffix(b".").unwrap_or(path).last();
    last.is_some_and(|last| std::path::is_separator(char::from(*last)))
}

fn put(folder: &Dir, name: &OsStr, text: &[u8]) -> Result<(), Error> {
    let old = check_old(folder, name)?;
    match (replace(folder, name, text, old.as_ref()), old) {
        (Ok(Replaced::Yes), _) => Ok(()),
        (Ok(Replaced::WithoutRights), Some(old)) => old.write_in_place(folder, name, text).map_err(Error::Io),
        // The folder takes no new file, or it is shared and the file belongs to someone else.
        (Err(error), Some(old)) if error.kind() == io::ErrorKind::PermissionDenied => {
            old.write_in_place(folder, name, text).map_err(Error::Io)
        }
        (Ok(Replaced::WithoutRights), None) => Err(Error::Io(io::ErrorKind::PermissionDenied.into())),
        (Err(error), _) => Err(error.into()),
    }
}

enum Replaced {
    Yes,
    /// A new file cannot get the rights of the old one. Nothing was changed.
    WithoutRights,
}

fn replace(folder: &Dir, name: &OsStr, text: &[u8], old: Option<&Rights>) -> io::Result<Replaced> {
    let (mut file, draft) = create_draft(folder, old.is_some())?;
    let written = (|| {
        io::Write::write_all(&mut file, text)?;
        if old.is_some_and(|old| !old.give(&file)) {
            return Ok(Replaced::WithoutRights);
        }
        file.sync_all()?;
        folder.rename(&draft, folder, name)?;
        Ok(Replaced::Yes)
    })();
    if !matches!(written, Ok(Replaced::Yes)) {
        // A failure here adds nothing: the first error is the one to report.
        let _ = folder.remove_file(&draft);
    }
    written
}

/// Returns the rights of the file that is to be replaced, if there is one. Fails if it must not be
/// replaced.
fn check_old(folder: &Dir, name: &OsStr) -> Result<Option<Rights>, Error> {
    let old = match folder.symlink_metadata(name) {
        Ok(old) => old,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if old.is_dir() {
        return Err(Error::Directory);
    }
    if old.is_symlink() {
        return Err(Error::DanglingLink);
    }
    if !old.is_file() {
        return Err(Error::Special);
    }
    // The rename would bypass the protection.
    if old.permissions().readonly() || !may_write(folder, name) {
        let error = io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only");
        return Err(Error::Io(error));
    }
    Ok(Some(Rights::of(folder, name)?))
}

#[cfg(unix)]
fn may_write(folder: &Dir, name: &OsStr) -> bool {
    use rustix::fs::{Access, AtFlags, accessat};
    accessat(folder, name, Access::WRITE_OK, AtFlags::EACCESS).is_ok()
}

#[cfg(not(unix))]
const fn may_write(_: &Dir, _: &OsStr) -> bool {
    true
}

/// The folders that a write has made. Removes them when it is dropped, unless they are kept.
struct MadeFolders<'a> {
    dir: &'a Dir,
    /// Ordered from the outermost.
    made: Vec<PathBuf>,
}

impl<'a> MadeFolders<'a> {
    const fn new(dir: &'a Dir) -> Self {
        Self { dir, made: Vec::new() }
    }

    fn open(&mut self, relative: &Path, makes_directories: bool) -> Result<Dir, Error> {
        if relative.as_os_str().is_empty() {
            return Ok(self.dir.try_clone()?);
        }
        match self.dir.open_dir(relative) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && makes_directories => {
                self.make(relative)?;
                Ok(self.dir.open_dir(relative)?)
            }
            Err(error) => Err(match error.into() {
                Error::Missing => Error::MissingDirectory,
                error => error,
            }),
            Ok(folder) => Ok(folder),
        }
    }

    fn make(&mut self, relative: &Path) -> Result<(), Error> {
        let mut folders: Vec<&Path> = relative.ancestors().collect();
        // The last one is the root itself.
        folders.pop();
        for folder in folders.into_iter().rev() {
            match self.dir.create_dir(folder) {
                Ok(()) => self.made.push(folder.to_owned()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for MadeFolders<'_> {
    fn drop(&mut self) {
        for folder in self.made.iter().rev() {
            // A folder that somebody else uses by now stays.
            if self.dir.remove_dir(folder).is_err() {
                break;
            }
        }
    }
}

/// Creates an empty file beside the one to be replaced. Its name does not grow with the name of
/// that one. During the write it is readable only to those who may read the old file.
fn create_draft(folder: &Dir, is_to_replace: bool) -> io::Result<(File, String)> {
    static DRAFTS: AtomicU64 = AtomicU64::new(0);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_to_replace {
        use cap_std::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = is_to_replace;
    loop {
        let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
        let name = format!(".acp-write-{}-{number}", std::process::id());
        match folder.open_with(&name, &options) {
            Ok(file) => return Ok((file, name)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}
