//! Damage of journals.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A part of a session's file that could not be read. The rest could.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The session's file.
    pub path: PathBuf,
    /// Its offset in the file, in bytes.
    pub offset: u64,
    /// Its length, in bytes.
    pub bytes: u64,
    /// Its kind.
    pub kind: DamageKind,
}

/// The kind of a [`Damage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DamageKind {
    /// The file ends with a record that was not written to its end: the process was killed there.
    Unfinished,
    /// A record, or a piece of one, differs from what was written.
    Corrupt,
    /// The kind of a record is unknown to this version. A later version wrote it.
    UnknownKind,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            DamageKind::Unfinished => "an unfinished record",
            DamageKind::Corrupt => "a corrupt record",
            DamageKind::UnknownKind => "a record of an unknown kind",
        };
        let Damage { path, offset, bytes, .. } = self;
        write!(f, "{}: {what} at byte {offset}, {bytes} bytes, was skipped", path.display())
    }
}

/// The receiver of damage reports.
#[derive(Clone, Default)]
pub(super) struct Reporter(pub(super) Option<Arc<OnDamage>>);

type OnDamage = dyn Fn(&Damage) + Send + Sync;

impl Reporter {
    pub(super) fn report(&self, path: &Path, offset: u64, bytes: usize, kind: DamageKind) {
        if let Some(hook) = &self.0 {
            hook(&Damage { path: path.to_owned(), offset, bytes: bytes as u64, kind });
        }
    }
}
