//! Lists of stored sessions, page by page.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use acp_types::v1::{ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo};

use super::damage::Reporter;
use super::facts::Facts;
use super::files;
use super::line::Kind;
use super::log::INFO_WITHIN;
use super::read::Reader;
use crate::store::{StoreError, timestamp};

/// A file of the folder. Its order is the reverse of the list's.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    modified: SystemTime,
    path: PathBuf,
}

/// Returns a page of the sessions in the folder. Those changed last come first.
///
/// Without a filter, only the times of files that are not on the page are read.
pub(super) fn list(
    folder: &Path,
    request: &ListSessionsRequest,
    page_size: usize,
) -> Result<ListSessionsResponse, StoreError> {
    let mut files = scan(folder)?;
    files.sort_unstable_by(|a, b| b.cmp(a));
    if let Some(cursor) = &request.cursor {
        let after = parse_cursor(folder, cursor)?;
        files.retain(|file| *file < after);
    }
    let mut sessions: Vec<SessionInfo> = Vec::new();
    let mut last = None;
    for file in files {
        // A file that cannot be read, or was deleted meanwhile, does not hide the others.
        let Some(mut info) = session_of(&file) else { continue };
        if request.cwd.as_ref().is_some_and(|cwd| Path::new(cwd) != Path::new(&info.cwd)) {
            continue;
        }
        if sessions.len() == page_size {
            let mut page = ListSessionsResponse::new(sessions);
            page.next_cursor = last.as_ref().map(cursor);
            return Ok(page);
        }
        info.updated_at = timestamp::format(file.modified);
        sessions.push(info);
        last = Some(file);
    }
    Ok(ListSessionsResponse::new(sessions))
}

/// Deletes the sessions that were last changed before this time, except those that are open.
/// Returns their number.
pub(super) fn delete_older_than(folder: &Path, time: SystemTime) -> Result<u64, StoreError> {
    let mut deleted = 0;
    for file in scan(folder)?.into_iter().filter(|file| file.modified < time) {
        // The id is only for errors, so a damaged file goes, too.
        let session = SessionId::from(files::stem(&file.path).unwrap_or_default());
        // Held until the file is gone, so that nobody opens it meanwhile.
        let alone = match files::open_alone(&file.path, &session, false) {
            Ok(alone) => alone,
            Err(StoreError::Busy { .. } | StoreError::Unknown { .. }) => continue,
            Err(error) => return Err(error),
        };
        let failed = |error| StoreError::io("delete", &file.path, error);
        // Somebody may have used it since the scan.
        if alone.metadata().and_then(|metadata| metadata.modified()).map_err(failed)? < time {
            fs::remove_file(&file.path).map_err(failed)?;
            deleted += 1;
        }
    }
    Ok(deleted)
}

fn scan(folder: &Path) -> Result<Vec<Found>, StoreError> {
    let failed = |error| StoreError::io("list", folder, error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        // Nothing has been stored yet.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        if files::stem(&path).is_none() {
            continue;
        }
        // The metadata of the entry would not do: on Windows it is old while the file is open.
        if let Ok(modified) = fs::metadata(&path).and_then(|metadata| metadata.modified()) {
            // Cursors have no earlier times.
            files.push(Found { modified: modified.max(UNIX_EPOCH), path });
        }
    }
    Ok(files)
}

fn session_of(file: &Found) -> Option<SessionInfo> {
    let info = last_facts(&file.path).ok()??.info;
    let expected = files::path(file.path.parent()?, &info.session_id).ok()?;
    (expected == file.path && !info.cwd.is_empty()).then_some(info)
}

/// Returns the file's facts about the session; `None` if it has none any more.
pub(super) fn read_facts(path: &Path, session: &SessionId) -> Result<Option<Facts>, StoreError> {
    Ok(last_facts(path)?.filter(|facts| facts.info.session_id == *session))
}

/// Returns the last line of facts, with the records of state behind it. It stands near the end, and
/// a little farther from it if a turn was killed or is running.
fn last_facts(path: &Path) -> Result<Option<Facts>, StoreError> {
    let length = fs::metadata(path).map_err(|error| StoreError::io("read", path, error))?.len();
    let mut within = INFO_WITHIN;
    loop {
        let from = length.saturating_sub(within);
        let found = last_facts_from(path, from)?;
        if found.is_some() || from == 0 {
            return Ok(found);
        }
        // Enough for a running turn, if its records are no longer than most.
        within = within.saturating_mul(16);
    }
}

fn last_facts_from(path: &Path, from: u64) -> Result<Option<Facts>, StoreError> {
    let file = fs::File::open(path).map_err(|error| StoreError::io("read", path, error))?;
    // The replay reports damage. A line that begins before this piece is not damage.
    let mut reader = Reader::new(file, from, path.to_owned(), Reporter::default())?;
    let mut last: Option<Facts> = None;
    while let Some((at, kind, json)) = reader.next_at()? {
        match kind {
            Kind::Info => last = Facts::parse(json).or(last),
            Kind::Record(kind) => {
                if let Some(facts) = &mut last {
                    facts.note(kind, at);
                }
            }
        }
    }
    Ok(last)
}

/// Returns the beginning of the next page: after this file, by time and name.
fn cursor(file: &Found) -> String {
    let since = file.modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    format!(
        "{:x}.{:x}.{}",
        since.as_secs(),
        since.subsec_nanos(),
        files::stem(&file.path).unwrap_or_default()
    )
}

fn parse_cursor(folder: &Path, cursor: &str) -> Result<Found, StoreError> {
    let parse = || {
        let (seconds, rest) = cursor.split_once('.')?;
        let (nanos, stem) = rest.split_once('.')?;
        let seconds = u64::from_str_radix(seconds, 16).ok()?;
        let nanos = u32::from_str_radix(nanos, 16).ok().filter(|nanos| *nanos < 1_000_000_000)?;
        let modified = UNIX_EPOCH.checked_add(std::time::Duration::new(seconds, nanos))?;
        Some(Found { modified, path: files::at(folder, stem)? })
    };
    parse().ok_or(StoreError::Cursor)
}
