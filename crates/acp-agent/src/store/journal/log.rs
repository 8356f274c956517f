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

/// How far from the end the session's info may be: lists read as much of each file.
pub(super) const INFO_WITHIN: u64 = 8 * 1024;

/// How much is handed to the system at once, in bytes, unless one record is longer.
const PIECE: usize = 64 * 1024;

/// The open file of a session.
pub(super) struct Log {
    file: Arc<Alone>,
    path: PathBuf,
    info: SessionInfo,
    /// The bytes that were written after the last line of info.
    since_info: u64,
}

impl Log {
    pub(super) fn create(folder: &Path, info: SessionInfo) -> Result<Self, StoreError> {
        let path = files::path(folder, &info.session_id)?;
        files::create_folder(folder)?;
        let file = files::open_alone(&path, &info.session_id, true)?;
        let mut log = Log { file: Arc::new(file), path, info, since_info: 0 };
        let lines = log.info_line()?;
        write(&log.file, &log.path, &lines)?;
        sync(&log.file, &log.path)?;
        files::sync_folder(folder)?;
        Ok(log)
    }

    pub(super) fn open(folder: &Path, session: &SessionId, reporter: &Reporter) -> Result<Self, StoreError> {
        let path = files::path(folder, session)?;
        let file = files::open_alone(&path, session, false)?;
        finish_last_line(&file, &path, reporter)?;
        let mut end = &*file;
        end.seek(SeekFrom::End(0)).map_err(|error| StoreError::io("open", &path, error))?;
        let found = read_info(&path, session)?;
        let info = found.unwrap_or_else(|| SessionInfo::new(session.clone(), ""));
        Ok(Log { file: Arc::new(file), path, info, since_info: INFO_WITHIN })
    }

    fn info_line(&mut self) -> Result<Vec<u8>, StoreError> {
        let mut lines = Vec::new();
        line::write(&mut lines, Kind::Info, &acp_types::to_string(&self.info))?;
        self.since_info = 0;
        Ok(lines)
    }

    fn write(&self, lines: Vec<u8>) -> Pending<'_, ()> {
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
        self.since_info += bytes as u64;
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        Box::pin(blocking(move || {
            let mut lines = Vec::with_capacity(bytes.min(PIECE));
            for record in &records {
                if !lines.is_empty() && lines.len() + line::length(record.json()) > PIECE {
                    write(&file, &path, &lines)?;
                    lines.clear();
                }
                line::write(&mut lines, Kind::Record(record.kind()), record.json())?;
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

    fn commit(&mut self) -> Pending<'_, ()> {
        // Half of it is left for a title and for records that follow.
        let info = if self.since_info > INFO_WITHIN / 2 { self.info_line() } else { Ok(Vec::new()) };
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        Box::pin(blocking(move || {
            write(&file, &path, &info?)?;
            sync(&file, &path)
        }))
    }
}

/// One call where the system takes it whole: what a kill leaves is a beginning of it.
fn write(mut file: &File, path: &Path, lines: &[u8]) -> Result<(), StoreError> {
    file.write_all(lines).map_err(|error| StoreError::io("write", path, error))
}

fn sync(file: &File, path: &Path) -> Result<(), StoreError> {
    file.sync_data().map_err(|error| StoreError::io("sync", path, error))
}

/// Makes the file end with a line end: cuts off a record that was not written to its end.
fn finish_last_line(mut file: &File, path: &Path, reporter: &Reporter) -> Result<(), StoreError> {
    let failed = |error| StoreError::io("repair", path, error);
    let end = file.seek(SeekFrom::End(0)).map_err(failed)?;
    let start = last_line_start(file, end).map_err(failed)?;
    if start == end {
        return Ok(());
    }
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
