//! What is wrong with a journal.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Something in the file of a session that could not be read. The rest was.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The session's file.
    pub path: PathBuf,
    /// Where in the file, in bytes from its start.
    pub offset: u64,
    /// How much, in bytes.
    pub bytes: u64,
    /// What it is.
    pub kind: DamageKind,
}

/// What [`Damage`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DamageKind {
    /// The end of the file is a record that was not written to its end: the process was killed there.
    Unfinished,
    /// A record, or a piece of one, that is not what was written.
    Corrupt,
    /// A record of a kind that this version does not know. A later version wrote it.
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

/// Who is told.
#[derive(Clone, Default)]
pub(super) struct Reporter(pub(super) Option<Arc<Hook>>);

type Hook = dyn Fn(&Damage) + Send + Sync;

impl Reporter {
    pub(super) fn report(&self, path: &Path, offset: u64, bytes: usize, kind: DamageKind) {
        if let Some(hook) = &self.0 {
            hook(&Damage { path: path.to_owned(), offset, bytes: bytes as u64, kind });
        }
    }
}
