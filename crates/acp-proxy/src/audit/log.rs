//! The file of an audit: its lines, and the chain of their hashes.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use acp_rpc::Encode;
use sha2::{Digest as _, Sha256};

/// The hash before the first line.
pub(super) const FIRST: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// The member that ends a line: its value is the hash of all before it.
pub(super) const HASH: &str = r#","hash":""#;

/// A file that only grows.
pub(super) struct Log(Mutex<State>);

struct State {
    file: File,
    number: u64,
    previous: String,
    /// A line was written in part, so that no other may follow.
    is_broken: bool,
}

/// A member of a record.
pub(super) enum Member<'a> {
    Text(&'static str, &'a str),
    Number(&'static str, u64),
    /// A value that is JSON text.
    Json(&'static str, &'a str),
}

impl Log {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let mut options = File::options();
        options.append(true).create_new(true);
        // It has what people and agents said.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        let state = State { file, number: 0, previous: FIRST.to_owned(), is_broken: false };
        let log = Self(Mutex::new(state));
        log.add(&[Member::Text("kind", "start")])?;
        Ok(log)
    }

    /// Adds a line.
    pub(super) fn add(&self, members: &[Member<'_>]) -> io::Result<()> {
        self.state().add(members)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, members: &[Member<'_>]) -> io::Result<()> {
        if self.is_broken {
            return Err(io::Error::other("a line before it could not be written"));
        }
        let mut line = format!(r#"{{"n":{},"at":{}"#, self.number, now()).into_bytes();
        for member in members {
            let name = match member {
                Member::Text(name, _) | Member::Number(name, _) | Member::Json(name, _) => name,
            };
            line.extend_from_slice(format!(r#","{name}":"#).as_bytes());
            match member {
                Member::Text(_, text) => text.encode(&mut line)?,
                Member::Number(_, number) => number.encode(&mut line)?,
                Member::Json(_, text) => line.extend_from_slice(text.as_bytes()),
            }
        }
        line.extend_from_slice(format!(r#","previous":"{}""#, self.previous).as_bytes());
        let hash = hash_of(&line);
        line.extend_from_slice(format!("{HASH}{hash}\"}}\n").as_bytes());
        self.file.write_all(&line).inspect_err(|_| self.is_broken = true)?;
        self.number += 1;
        self.previous = hash;
        Ok(())
    }
}

/// Says that nothing is missing behind the last line.
impl Drop for Log {
    fn drop(&mut self) {
        // A file without an end is the report of this failure.
        let _ = self.state().add(&[Member::Text("kind", "end")]);
    }
}

/// Returns the hash of a line, up to its member `hash`.
pub(super) fn hash_of(line: &[u8]) -> String {
    Sha256::digest(line).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the time in milliseconds since 1970.
pub(super) fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis())
}
