//! The folder of a journal: the names of its files, and their locks.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use acp_types::v1::SessionId;

use crate::store::StoreError;

const EXTENSION: &str = ".journal";
/// The longest file name. File systems end at 255.
const LONGEST_NAME: usize = 200;

/// Returns the folder for the sessions of this agent and this user, by the conventions of the
/// system: `$XDG_STATE_HOME` or `~/.local/state`, on macOS `~/Library/Application Support`, on
/// Windows `%LOCALAPPDATA%`.
pub(super) fn default_folder(agent: &str) -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = if cfg!(windows) {
        variable("LOCALAPPDATA")?
    } else if cfg!(target_os = "macos") {
        variable("HOME")?.join("Library").join("Application Support")
    } else {
        variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local").join("state")))?
    };
    Some(base.join(file_name(agent)).join("sessions"))
}

/// Returns the folder of a principal's sessions. It stands below that of the journal, where a
/// session is a file.
pub(super) fn folder_of(folder: &Path, principal: &str) -> Result<PathBuf, StoreError> {
    if principal.is_empty() {
        return Ok(folder.to_owned());
    }
    let name = file_name(principal);
    if name.len() > LONGEST_NAME {
        return Err(StoreError::Principal);
    }
    Ok(folder.join(format!("of-{name}")))
}

/// Returns the file of a session.
pub(super) fn path(folder: &Path, session: &SessionId) -> Result<PathBuf, StoreError> {
    let name = file_name(session.as_str());
    if name.is_empty() || name.len() > LONGEST_NAME {
        return Err(StoreError::Id { session: session.clone() });
    }
    Ok(folder.join(name + EXTENSION))
}

/// Returns the file of a stored session. A session whose id cannot be kept was never stored.
pub(super) fn path_of_kept(folder: &Path, session: &SessionId) -> Result<PathBuf, StoreError> {
    path(folder, session).map_err(|_| StoreError::Unknown { session: session.clone() })
}

/// Returns the name of a session's file without the extension; `None` for another file.
pub(super) fn stem(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()?.strip_suffix(EXTENSION)
}

/// Returns the file with this name, which is without the extension, if it can be a session's.
pub(super) fn at(folder: &Path, stem: &str) -> Option<PathBuf> {
    let ours = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'%');
    stem.bytes().all(ours).then(|| folder.join(format!("{stem}{EXTENSION}")))
}

/// Returns the text as part of a path. It is the same on every file system, also on those that
/// ignore case.
fn file_name(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    name
}

/// Creates the folder, for this user alone.
pub(super) fn create_folder(folder: &Path) -> Result<(), StoreError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| StoreError::io("creating the folder", folder, error))
}

/// Makes a new file durable. On unix its entry in the folder is apart from it.
pub(super) fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    if cfg!(unix) {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| StoreError::io("sync", folder, error))?;
    }
    Ok(())
}

/// The file of a session, which nobody else has open to add to it.
pub(super) struct Alone {
    file: File,
}

impl Deref for Alone {
    type Target = File;

    fn deref(&self) -> &File {
        &self.file
    }
}

/// Unlocks the file. Closing it would not do: a process that is being started has the file, too,
/// until it runs its program.
impl Drop for Alone {
    fn drop(&mut self) {
        unlock(&self.file);
    }
}

/// Opens the file of a session to add to it, alone.
///
/// The lock belongs to the file. It is gone when the process ends, however it does.
pub(super) fn open_alone(path: &Path, session: &SessionId, new: bool) -> Result<Alone, StoreError> {
    let busy = || StoreError::Busy { session: session.clone(), until: None };
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(new);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // Others may read and delete, but not write.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, 0x1 | 0x4);
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !new => {
            return Err(StoreError::Unknown { session: session.clone() });
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(StoreError::Exists { session: session.clone() });
        }
        // ERROR_SHARING_VIOLATION
        Err(error) if cfg!(windows) && error.raw_os_error() == Some(32) => return Err(busy()),
        Err(error) => return Err(StoreError::io("open", path, error)),
    };
    if !lock(&file).map_err(|error| StoreError::io("lock", path, error))? {
        return Err(busy());
    }
    let file = Alone { file };
    if is_deleted(&file).map_err(|error| StoreError::io("open", path, error))? {
        return Err(StoreError::Unknown { session: session.clone() });
    }
    Ok(file)
}

/// Opens the file of a session to read it, even while somebody writes it.
pub(super) fn open_to_read(path: &Path, session: &SessionId) -> Result<File, StoreError> {
    File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => StoreError::Unknown { session: session.clone() },
        _ => StoreError::io("open", path, error),
    })
}

/// Locks the file. Returns whether the lock is ours. On Windows the way in which the file was
/// opened is the lock.
#[cfg(unix)]
fn lock(file: &File) -> io::Result<bool> {
    use rustix::fs::{FlockOperation, flock};
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(unix)]
fn unlock(file: &File) {
    use rustix::fs::{FlockOperation, flock};
    // A file that is locked can be unlocked.
    let _ = flock(file, FlockOperation::Unlock);
}

#[cfg(not(unix))]
fn unlock(_: &File) {}

#[cfg(not(unix))]
fn lock(_: &File) -> io::Result<bool> {
    Ok(true)
}

/// Returns whether the file was deleted between its opening and its locking.
#[cfg(unix)]
fn is_deleted(file: &File) -> io::Result<bool> {
    Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) == 0)
}

#[cfg(not(unix))]
fn is_deleted(_: &File) -> io::Result<bool> {
    Ok(false)
}
