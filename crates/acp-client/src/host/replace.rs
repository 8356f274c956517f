//! Writing a file in one step.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{Dir, File, OpenOptions, Permissions};

use super::file_error::FileError;
use super::tree::{Tree, inside};

/// What is to be in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    pub(super) text: &'a str,
    /// Whether directories that are missing are made.
    pub(super) makes_directories: bool,
}

/// Creates or replaces a file in one step: a reader sees the old text or the new one, never a part.
///
/// The mode of a replaced file is kept, but for the bits that lend the owner's rights to whoever runs it. A hard link to
/// the old file keeps the old text: the new one is a new file.
pub(super) fn write(trees: &[Arc<Tree>], path: &str, text: Text<'_>) -> Result<(), FileError> {
    inside(trees, path, |tree, relative| {
        let dir = tree.dir();
        // Writing through a link changes its target and leaves the link alone.
        let target = match dir.canonicalize(relative) {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => relative.to_owned(),
            Err(error) => return Err(error.into()),
        };
        let name = target.file_name().ok_or(FileError::Directory)?;
        let folder = open_folder(dir, target.parent().unwrap_or(Path::new("")), text.makes_directories)?;
        let old = check_old(&folder, name)?;
        let (mut file, draft) = create_draft(&folder, old.as_ref())?;
        let written = (|| {
            io::Write::write_all(&mut file, text.text.as_bytes())?;
            if let Some(mode) = old {
                file.set_permissions(without_lent_rights(&mode))?;
            }
            file.sync_all()?;
            folder.rename(&draft, &folder, name)
        })();
        if written.is_err() {
            // Nothing to add when this fails too: the first error is the one to report.
            let _ = folder.remove_file(&draft);
        }
        Ok(written?)
    })
}

/// The mode of the file that is to be replaced, if there is one and it may be.
fn check_old(folder: &Dir, name: &OsStr) -> Result<Option<Permissions>, FileError> {
    let old = match folder.symlink_metadata(name) {
        Ok(old) => old,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if old.is_dir() {
        return Err(FileError::Directory);
    }
    if old.is_symlink() {
        return Err(FileError::DanglingLink);
    }
    if !old.is_file() {
        return Err(FileError::Special);
    }
    // The rename would go round the protection.
    if old.permissions().readonly() || !may_write(folder, name) {
        let error = io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only");
        return Err(FileError::Io(error));
    }
    Ok(Some(old.permissions()))
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

/// The mode without setuid and setgid: the new text is the agent's, and is not to run with the rights of others.
#[cfg(unix)]
fn without_lent_rights(mode: &Permissions) -> Permissions {
    use cap_std::fs::PermissionsExt as _;
    Permissions::from_mode(mode.mode() & 0o1777)
}

#[cfg(not(unix))]
fn without_lent_rights(mode: &Permissions) -> Permissions {
    mode.clone()
}

fn open_folder(dir: &Dir, relative: &Path, makes_directories: bool) -> Result<Dir, FileError> {
    if relative.as_os_str().is_empty() {
        return Ok(dir.try_clone()?);
    }
    match dir.open_dir(relative) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && makes_directories => {
            dir.create_dir_all(relative)?;
            Ok(dir.open_dir(relative)?)
        }
        Err(error) => Err(match error.into() {
            FileError::Missing => FileError::MissingFolder,
            error => error,
        }),
        Ok(folder) => Ok(folder),
    }
}

/// A new, empty file beside the one to be replaced; its name does not grow with the name of that one. While it is being
/// written nobody else may read it who may not read the old one.
fn create_draft(folder: &Dir, old: Option<&Permissions>) -> io::Result<(File, String)> {
    static DRAFTS: AtomicU64 = AtomicU64::new(0);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if old.is_some() {
        use cap_std::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = old;
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
