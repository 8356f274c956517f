//! The entries of a directory.

use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use cap_std::fs::FileType;

use crate::error::Error;
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
    pub(crate) fn read(
        roots: &Roots,
        path: &Path,
        most: usize,
        abandoned: &AtomicBool,
    ) -> Result<Self, Error> {
        roots.inside(path, |root, relative| {
            if !root.dir().metadata(relative)?.is_dir() {
                return Err(Error::NotADirectory);
            }
            let (mut first, mut is_complete) = (BinaryHeap::new(), true);
            for entry in root.dir().read_dir(relative)? {
                if abandoned.load(Ordering::Relaxed) {
                    break;
                }
                // An entry that is gone by now is not one.
                let Ok(entry) = entry else { continue };
                let Ok(kind) = entry.file_type() else { continue };
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
