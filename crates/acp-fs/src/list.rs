//! The entries of a directory.

use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::io;
use std::path::Path;

use cap_std::fs::FileType;

use crate::error::Error;
use crate::interest::Stage;
use crate::roots::Roots;

/// The entries of a directory, in the order of names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listing {
    /// The entries. Of a directory with more than were asked for, these are the first.
    pub entries: Vec<Entry>,
    /// True if these are all.
    pub is_complete: bool,
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Entry {
    /// The name, which need not be Unicode.
    pub name: OsString,
    /// The kind. A link is not followed.
    pub kind: EntryKind,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, a pipe or a socket.
    Special,
}

impl EntryKind {
    pub(crate) fn find(roots: &Roots, path: &Path) -> Result<Self, Error> {
        roots.inside(path, |root, relative| Ok(Self::of(root.dir().metadata(relative)?.file_type())))
    }

    fn of(kind: FileType) -> Self {
        if kind.is_file() {
            Self::File
        } else if kind.is_dir() {
            Self::Directory
        } else if kind.is_symlink() {
            Self::Link
        } else {
            Self::Special
        }
    }
}

impl Listing {
    /// Reads a directory. Memory is taken for `most` entries only.
    pub(crate) fn read(roots: &Roots, path: &Path, most: usize, stage: &Stage) -> Result<Self, Error> {
        roots.inside(path, |root, relative| {
            if !root.dir().metadata(relative)?.is_dir() {
                return Err(Error::NotADirectory);
            }
            let (mut first, mut is_complete) = (BinaryHeap::new(), true);
            for entry in root.dir().read_dir(relative)? {
                if stage.is_abandoned() {
                    break;
                }
                let entry = entry?;
                let Some(kind) = unless_gone(entry.file_type())? else { continue };
                first.push(Entry { name: entry.file_name(), kind: EntryKind::of(kind) });
                if first.len() > most {
                    first.pop();
                    is_complete = false;
                }
            }
            Ok(Self { entries: first.into_sorted_vec(), is_complete })
        })
    }
}

/// An entry that is gone by now is not one. Any other failure would leave out an entry that is
/// there.
fn unless_gone<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use super::unless_gone;

    #[test]
    fn only_an_entry_that_is_gone_is_left_out() {
        assert_eq!(unless_gone(Ok(1)).ok(), Some(Some(1)));
        assert_eq!(unless_gone::<u8>(Err(ErrorKind::NotFound.into())).ok(), Some(None));
        for kind in [ErrorKind::PermissionDenied, ErrorKind::Interrupted, ErrorKind::Other] {
            let failed = unless_gone::<u8>(Err(Error::from(kind)));
            assert_eq!(failed.map_err(|error| error.kind()), Err(kind));
        }
    }
}
