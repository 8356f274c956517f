//! Failures to read or write a file.

use std::fmt;
use std::io;

/// A failure to read or write a file. It repeats neither the path nor the text.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The path is not absolute.
    Relative,
    /// The path leads out of the roots.
    Outside,
    /// The file does not exist.
    Missing,
    /// The directory of the file does not exist.
    MissingDirectory,
    /// The path ends like that of a directory: it has no file name.
    NoFileName,
    /// The path is that of a directory.
    Directory,
    /// The path has to be that of a directory, and is not.
    NotADirectory,
    /// The path is that of a device, a pipe or a socket.
    Special,
    /// The path is that of a link to a file that does not exist.
    DanglingLink,
    /// A circle of links, or a link that the system makes up.
    EndlessLink,
    /// No file can have this name.
    BadName,
    /// The text is not UTF-8.
    NotText,
    /// The text has more bytes than the [limit](crate::Files::max_bytes).
    TooLarge {
        /// The limit in bytes.
        max_bytes: usize,
    },
    /// An error of the system.
    Io(io::Error),
}

impl Error {
    /// Returns true if the file, or the directory that it would be in, does not exist.
    #[must_use]
    pub const fn is_missing(&self) -> bool {
        matches!(self, Self::Missing | Self::MissingDirectory)
    }
}

impl From<io::Error> for Error {
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Relative => "the path must be absolute",
            Self::Outside => "the path lies outside of the directories that may be used",
            Self::Missing => "the file does not exist",
            Self::MissingDirectory => "the directory of the file does not exist",
            Self::NoFileName => "the path has no file name after its last separator",
            Self::Directory => "the path is that of a directory",
            Self::NotADirectory => "the path is not that of a directory",
            Self::Special => "the path is not that of a regular file",
            Self::DanglingLink => "the path is that of a link to a file that does not exist",
            Self::EndlessLink => "the path leads through links that cannot be followed",
            Self::BadName => "no file can have this name",
            Self::NotText => "the text is not UTF-8",
            Self::TooLarge { max_bytes } => {
                return write!(f, "the text has more than {max_bytes} bytes: use parts of it");
            }
            Self::Io(error) => return error.fmt(f),
        })
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => error.source(),
            _ => None,
        }
    }
}
