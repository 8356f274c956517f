//! Failures to read or write a file.

use std::io;

/// A failure to read or write a file.
#[derive(Debug)]
pub(crate) enum FileError {
    Relative,
    Outside,
    Missing,
    MissingFolder,
    /// The path ends like that of a directory.
    FolderPath,
    Directory,
    Special,
    DanglingLink,
    /// A circle of links, or a link that the system makes up.
    EndlessLink,
    BadName,
    NotText,
    TooLarge,
    /// The request was withdrawn.
    Withdrawn,
    Io(io::Error),
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::IsADirectory => Self::Directory,
            io::ErrorKind::NotADirectory => Self::Missing,
            io::ErrorKind::InvalidFilename => Self::BadName,
            // cap-std reports a path that leads out of its directory as a permission error without
            // a code of the system.
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => Self::Outside,
            _ if is_link_loop(&error) => Self::EndlessLink,
            _ => Self::Io(error),
        }
    }
}

#[cfg(unix)]
fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
const fn is_link_loop(_: &io::Error) -> bool {
    false
}
