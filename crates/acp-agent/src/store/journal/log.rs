//! Writing a journal.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acp_types::v1::{SessionId, SessionInfo};

use super::blocking;
use super::damage::{DamageKind, Reporter};
use super::files::{self, Alone};
use super::line::{self, Kind, LONGEST, Line};
use super::list::read_info;
use crate::store::{Pending, Record, SessionLog, StoreError};

/// How far from the end the session's info may be once a turn is over: lists read as much of each file first.
pub(super) const INFO_WITHIN: u64 = 8 * 1024;

/// How much, in bytes, is written without it in a turn, one record more: what lists have to read of a session that is
/// in a turn, or was killed in one.
const INFO_EVERY: u64 = 64 * 1024;

/// How much is handed to the system at once, in bytes, unless one record is longer.
const PIECE: usize = 64 * 1024;

/// The open file of a session.
pub(super) struct Log {
    file: Arc<Alone>,
    path: PathBuf,
    info: SessionInfo,
    /// The bytes that were written after the last line of info.
    since_info: u64,
    /// Whether something was written since the last commit.
    is_dirty: bool,
}

impl Log {
    pub(super) fn create(folder: &Path, info: SessionInfo) -> Result<Self, StoreError> {
        let path = files::path(folder, &info.session_id)?;
        files::create_folder(folder)?;
        let file = files::open_alone(&path, &info.session_id, true)?;
        let mut log = Log { file: Arc::new(file), path, info, since_info: 0, is_dirty: false };
        let written = log.begin(folder);
        if written.is_err() {
            // Nobody will know its id, so nobody could delete it. The error came first.
            let _ = std::fs::remove_file(&log.path);
        }
        written.map(|()| log)
    }

    /// Writes the first line, durably.
    fn begin(&mut self, folder: &Path) -> Result<(), StoreError> {
        let lines = self.info_line()?;
        write(&self.file, &self.path, &lines)?;
        sync(&self.file, &self.path)?;
        files::sync_folder(folder)
    }

    pub(super) fn open(folder: &Path, session: &SessionId, reporter: &Reporter) -> Result<Self, StoreError> {
        let path = files::path_of_kept(folder, session)?;
        let file = files::open_alone(&path, session, false)?;
        finish_last_line(&file, &path, reporter)?;
        let mut end = &*file;
        end.seek(SeekFrom::End(0)).map_err(|error| StoreError::io("open", &path, error))?;
        let found = read_info(&path, session)?;
        let info = found.unwrap_or_else(|| SessionInfo::new(session.clone(), ""));
        Ok(Log { file: Arc::new(file), path, info, since_info: INFO_WITHIN, is_dirty: false })
    }

    fn info_line(&mut self) -> Result<Vec<u8>, StoreError> {
        let mut lines = Vec::new();
        line::write(&mut lines, Kind::Info, &acp_types::to_string(&self.info))?;
        self.since_info = 0;
        Ok(lines)
    }

    fn write(&mut self, lines: Vec<u8>) -> Pending<'_, ()> {
        self.is_dirty = true;
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        Box::pin(blocking(move || write(&file, &path, &lines)))
    }
}

impl SessionLog for Log {
    fn info(&self) -> &SessionInfo {
        &self.info
    }

    fn writes_ahead(&self) -> bool {
        true
    }

    fn append(&mut self, records: Vec<Record>) -> Pending<'_, ()> {
        let bytes: usize = records.iter().map(|record| line::length(record.json())).sum();
        let before = self.since_info;
        let is_long = before + bytes as u64 > INFO_EVERY;
        let info = if is_long { self.info_line() } else { Ok(Vec::new()) };
        self.since_info = records.iter().fold(before, |since, record| since_info(since, record).0);
        self.is_dirty = true;
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        Box::pin(blocking(move || {
            let info = info?;
            let mut lines = Vec::with_capacity(bytes.min(PIECE));
            let mut since = before;
            for record in &records {
                let length = line::length(record.json());
                if !lines.is_empty() && lines.len() + length > PIECE {
                    write(&file, &path, &lines)?;
                    lines.clear();
                }
                line::write(&mut lines, Kind::Record(record.kind()), record.json())?;
                let is_due;
                (since, is_due) = since_info(since, record);
                if is_due {
                    lines.extend_from_slice(&info);
                }
            }
            write(&file, &path, &lines)
        }))
    }

    fn set_title(&mut self, title: Option<String>) -> Pending<'_, ()> {
        self.info.title = title;
        match self.info_line() {
            Ok(lines) => self.write(lines),
            Err(error) => Box::pin(async { Err(error) }),
        }
    }

    fn set_additional_directories(&mut self, directories: Vec<String>) -> Pending<'_, ()> {
        self.info.additional_directories = directories;
        let lines = self.info_line();
        self.is_dirty = true;
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        Box::pin(blocking(move || unnoticed(&file, &path, || write(&file, &path, &lines?))))
    }

    fn commit(&mut self) -> Pending<'_, ()> {
        // A session that was only looked at stays as it was.
        if !std::mem::take(&mut self.is_dirty) {
            return Box::pin(async { Ok(()) });
        }
        // Half of it is left for a title and for records that follow.
        let info = if self.since_info > INFO_WITHIN / 2 { self.info_line() } else { Ok(Vec::new()) };
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        Box::pin(blocking(move || {
            write(&file, &path, &info?)?;
            sync(&file, &path)
        }))
    }
}

/// The bytes after the last line of info once this record is written, and whether one is due behind it.
fn since_info(before: u64, record: &Record) -> (u64, bool) {
    let since = before + line::length(record.json()) as u64;
    if since > INFO_EVERY { (0, true) } else { (since, false) }
}

/// One call where the system takes it whole: what a kill leaves is a beginning of it.
fn write(mut file: &File, path: &Path, lines: &[u8]) -> Result<(), StoreError> {
    file.write_all(lines).map_err(|error| StoreError::io("write", path, error))
}

fn sync(file: &File, path: &Path) -> Result<(), StoreError> {
    file.sync_data().map_err(|error| StoreError::io("sync", path, error))
}

/// Does something to the file that is no use of the session: the time of its last use stays.
fn unnoticed<T>(
    file: &File,
    path: &Path,
    work: impl FnOnce() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let failed = |error| StoreError::io("open", path, error);
    let modified = file.metadata().and_then(|metadata| metadata.modified()).map_err(failed)?;
    let done = work()?;
    file.set_modified(modified).map_err(failed)?;
    Ok(done)
}

/// Makes the file end with a line end: cuts off a record that was not written to its end.
fn finish_last_line(mut file: &File, path: &Path, reporter: &Reporter) -> Result<(), StoreError> {
    let failed = |error| StoreError::io("repair", path, error);
    let end = file.seek(SeekFrom::End(0)).map_err(failed)?;
    let start = last_line_start(file, end).map_err(failed)?;
    if start == end {
        return Ok(());
    }
    unnoticed(file, path, || finish_line(file, path, start, reporter))
}

/// The same for the line that begins here.
fn finish_line(mut file: &File, path: &Path, start: u64, reporter: &Reporter) -> Result<(), StoreError> {
    let failed = |error| StoreError::io("repair", path, error);
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(start)).map_err(failed)?;
    file.take(LONGEST as u64 + 64).read_to_end(&mut tail).map_err(failed)?;
    // More than one record stands there if line ends were damaged.
    let mut whole = 0;
    while let Some(line) = tail.get(whole..).and_then(Line::parse) {
        whole += line.length + 1;
    }
    if let Some(unfinished @ 1..) = tail.len().checked_sub(whole) {
        reporter.tell(path, start + whole as u64, unfinished, DamageKind::Unfinished);
    }
    // The last whole record may lack its line end, or have something else there.
    let kept = start + whole.saturating_sub(1) as u64;
    file.set_len(kept).map_err(failed)?;
    if whole == 0 {
        return Ok(());
    }
    file.seek(SeekFrom::Start(kept)).map_err(failed)?;
    file.write_all(b"\n").map_err(failed)
}

/// Where the line begins that has no end; the end of the file if all have one.
fn last_line_start(mut file: &File, end: u64) -> std::io::Result<u64> {
    let mut block = [0; 4096];
    let mut position = end;
    while position > 0 {
        let length = position.min(block.len() as u64);
        position -= length;
        let Some(block) = block.get_mut(..usize::try_from(length).unwrap_or_default()) else { break };
        file.seek(SeekFrom::Start(position))?;
        file.read_exact(block)?;
        if let Some(found) = block.iter().rposition(|byte| *byte == b'\n') {
            return Ok(position + found as u64 + 1);
        }
    }
    Ok(0)
}
