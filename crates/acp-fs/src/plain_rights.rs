//! The rights of a file on systems without owners and modes.

use std::ffi::OsStr;
use std::io;

use cap_std::fs::{Dir, File, Permissions};

/// The attributes of a file that is to be replaced.
pub(super) struct Rights(Permissions);

impl Rights {
    pub(super) fn of(folder: &Dir, name: &OsStr) -> io::Result<Self> {
        Ok(Self(folder.symlink_metadata(name)?.permissions()))
    }

    /// Gives all attributes to a new file. Returns false if that fails.
    pub(super) fn give(&self, file: &File) -> bool {
        file.set_permissions(self.0.clone()).is_ok()
    }

    pub(super) fn write_in_place(&self, _: &Dir, _: &OsStr, _: &[u8]) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file cannot be replaced"))
    }
}
