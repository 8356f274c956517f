//! The check of an audit's file.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

use super::Audit;
use super::log::{FIRST, HASH, hash_of};
use crate::wire::member::{member, text};

/// The result of the check of a file that nobody has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// The number of lines.
    pub records: u64,
    /// The last line says that it is the last. Without that the program was killed, or lines were
    /// cut off.
    pub is_complete: bool,
    /// The hash of the last line.
    pub hash: String,
}

/// The failure of the check of a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum AuditError {
    /// The file cannot be read.
    Io(io::Error),
    /// A line was changed, added, removed or moved, or was written in part.
    Changed {
        /// The number of the line, from 1.
        line: u64,
        /// The problem with it.
        problem: &'static str,
    },
}

impl Audit {
    /// Checks a file: each line by its hash, and the lines by their chain.
    ///
    /// # Errors
    /// The file was changed, or cannot be read.
    pub fn verify(path: &Path) -> Result<Verified, AuditError> {
        let mut reader = BufReader::new(File::open(path).map_err(AuditError::Io)?);
        let mut verified = Verified { records: 0, is_complete: false, hash: FIRST.to_owned() };
        let mut line = String::new();
        while reader.read_line(&mut line).map_err(AuditError::Io)? > 0 {
            let number = verified.records;
            let changed = |problem| AuditError::Changed { line: number + 1, problem };
            let text_of_line = line.strip_suffix('\n').ok_or_else(|| changed("it was written in part"))?;
            if verified.is_complete {
                return Err(changed("it stands behind the last line"));
            }
            check(text_of_line, number, &verified.hash).map_err(changed)?;
            verified.hash = text(text_of_line, "hash").unwrap_or_default().into_owned();
            verified.is_complete = text(text_of_line, "kind").as_deref() == Some("end");
            verified.records += 1;
            line.clear();
        }
        Ok(verified)
    }
}

fn check(line: &str, number: u64, previous: &str) -> Result<(), &'static str> {
    let (body, rest) = line.rsplit_once(HASH).ok_or("it has no hash")?;
    if rest.strip_suffix("\"}") != Some(hash_of(body.as_bytes()).as_str()) {
        return Err("its hash is not that of its content");
    }
    if text(line, "previous").as_deref() != Some(previous) {
        return Err("it does not follow the line before it");
    }
    let is_counted = member(line, "n").and_then(|n| n.parse().ok()) == Some(number);
    if is_counted { Ok(()) } else { Err("its number is not the next one") }
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the file cannot be read: {error}"),
            Self::Changed { line, problem } => write!(f, "line {line} is not as it was written: {problem}"),
        }
    }
}

impl std::error::Error for AuditError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Changed { .. } => None,
        }
    }
}
