//! The writing side of a journal.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acp_types::v1::{SessionId, SessionInfo};

use super::damage::{DamageKind, Reporter};
use super::facts::{Facts, StatePlaces};
use super::files::{self, Alone};
use super::line::{self, Kind, LONGEST, Line};
use super::list::read_facts;
use super::state::read_state;
use super::threads::{READING, WRITING};
use crate::store::{Pending, Record, RecordKind, SessionLog, StoreError, timestamp};

/// The greatest distance of the session's facts from the end after a turn. Lists first read this
/// much of each file.
pub(super) const INFO_WITHIN: u64 = 8 * 1024;

/// The number of bytes after which a turn writes the facts once more, give or take a record. Lists
/// have to read this much of a session that is in a turn, or was killed in one.
const INFO_EVERY: u64 = 64 * 1024;

/// The number of bytes that are handed to the system at once, unless one record is longer.
const PIECE: usize = 64 * 1024;

/// The number of bytes that a turn must find room for before it begins. An update that fits into
/// the rest of a disk block tells nothing about the next one.
const ROOM: usize = 64 * 1024;

/// The open file of a session.
pub(super) struct Log {
    file: Arc<SessionFile>,
    facts: Arc<Facts>,
    /// The number of bytes after the last line of facts.
    since_info: u64,
    /// The end of the last whole line.
    end: u64,
    /// Set if there was [`ROOM`] since the file was opened.
    has_room: bool,
    /// Set if something was written since the last commit.
    is_dirty: bool,
    /// Set during an addition. It stays set after one that was given up: nobody knows the end then.
    is_adding: bool,
}

impl Log {
    pub(super) fn create(folder: &Path, info: SessionInfo) -> Result<Self, StoreError> {
        let path = files::path(folder, &info.session_id)?;
        files::create_folder(folder)?;
        let file = files::open_alone(&path, &info.session_id, true)?;
        let file = Arc::new(SessionFile { file, path });
        let facts = Arc::new(Facts { info, state: Some(StatePlaces::new()) });
        let mut log =
            Log { file, facts, since_info: 0, end: 0, has_room: false, is_dirty: false, is_adding: false };
        let begun = log.begin(folder);
        if begun.is_err() {
            // Nobody learns its id, so nobody could delete it. The earlier error is the one to
            // return.
            let _ = std::fs::remove_file(&log.file.path);
        }
        begun.map(|()| log)
    }

    /// Writes the first line, durably.
    fn begin(&mut self, folder: &Path) -> Result<(), StoreError> {
        let lines = self.info_line()?;
        self.file.write(&lines)?;
        self.file.sync()?;
        self.end = lines.len() as u64;
        files::sync_folder(folder)
    }

    pub(super) fn open(folder: &Path, session: &SessionId, reporter: &Reporter) -> Result<Self, StoreError> {
        let path = files::path_of_kept(folder, session)?;
        let file = files::open_alone(&path, session, false)?;
        finish_last_line(&file, &path, reporter)?;
        let seeked = (&*file).seek(SeekFrom::End(0));
        let end = seeked.map_err(|error| StoreError::io("open", &path, error))?;
        let found = read_facts(&path, session)?;
        let lost = || Facts { info: SessionInfo::new(session.clone(), ""), state: None };
        let facts = Arc::new(found.unwrap_or_else(lost));
        let file = Arc::new(SessionFile { file, path });
        Ok(Log {
            file,
            facts,
            since_info: INFO_WITHIN,
            end,
            has_room: false,
            is_dirty: false,
            is_adding: false,
        })
    }

    fn facts_mut(&mut self) -> &mut Facts {
        Arc::make_mut(&mut self.facts)
    }

    fn info_line(&self) -> Result<Vec<u8>, StoreError> {
        let mut lines = Vec::new();
        self.facts.write(&mut lines)?;
        Ok(lines)
    }

    /// Runs `add` behind the last whole line. It returns the number of bytes that it has added, and
    /// more. If it fails, nothing is left behind that line.
    async fn add<T: Send + 'static>(
        &mut self,
        add: impl FnOnce(&SessionFile) -> Result<(u64, T), StoreError> + Send + 'static,
    ) -> Result<(u64, T), StoreError> {
        if std::mem::replace(&mut self.is_adding, true) {
            // It may still run, and would write between the lines of this one.
            let session = &self.facts.info.session_id;
            return Err(StoreError::other(format!(
                "an earlier addition to session `{session}` was given up: open the session again",
            )));
        }
        let (file, end) = (Arc::clone(&self.file), self.end);
        let adding = WRITING.run(move || {
            add(&file).inspect_err(|_| {
                // If this fails, too, the file is mended when it is opened again.
                let _ = file.cut(end);
            })
        });
        let added = adding.await;
        self.is_adding = false;
        let (bytes, added) = added?;
        self.end += bytes;
        Ok((bytes, added))
    }

    async fn append_all(&mut self, records: Vec<Record>) -> Result<(), StoreError> {
        let is_first = !self.has_room && records.iter().any(|record| record.kind() == RecordKind::Prompt);
        let (end, facts, since_info) = (self.end, Arc::clone(&self.facts), self.since_info);
        self.is_dirty = true;
        let added = self.add(move |file| {
            if is_first {
                file.check_room(end)?;
            }
            let mut writing = Records { file, lines: Vec::new(), written: 0, end, facts, since_info };
            writing.write_all(&records)?;
            Ok((writing.written, (writing.facts, writing.since_info)))
        });
        (self.facts, self.since_info) = added.await?.1;
        self.has_room |= is_first;
        Ok(())
    }

    /// Reads the session's state. From here on its places are known.
    async fn read_state(&mut self) -> Result<Vec<Record>, StoreError> {
        let (file, places) = (Arc::clone(&self.file), self.facts.state.clone());
        let session = self.facts.info.session_id.clone();
        let (records, places) = READING.run(move || read_state(&file.path, &session, places)).await?;
        self.facts_mut().state = Some(places);
        Ok(records)
    }

    /// Writes a line of facts, unless the last one is near enough. Makes everything durable if
    /// asked to.
    async fn write_info(&mut self, is_near: bool, durable: bool) -> Result<(), StoreError> {
        let line = if is_near { Vec::new() } else { self.info_line()? };
        let added = self.add(move |file| {
            file.write(&line)?;
            if durable {
                file.sync()?;
            }
            Ok((line.len() as u64, ()))
        });
        if added.await?.0 > 0 {
            self.since_info = 0;
        }
        Ok(())
    }
}

impl SessionLog for Log {
    fn info(&self) -> &SessionInfo {
        &self.facts.info
    }

    fn state(&mut self) -> Pending<'_, Option<Vec<Record>>> {
        Box::pin(async { self.read_state().await.map(Some) })
    }

    fn writes_ahead(&self) -> bool {
        true
    }

    fn position(&self) -> Option<u64> {
        (!self.is_adding).then_some(self.end)
    }

    fn append(&mut self, records: Vec<Record>) -> Pending<'_, ()> {
        Box::pin(self.append_all(records))
    }

    fn set_title(&mut self, title: Option<String>) -> Pending<'_, ()> {
        self.facts_mut().info.title = title;
        self.is_dirty = true;
        Box::pin(self.write_info(false, false))
    }

    fn set_additional_directories(&mut self, directories: Vec<String>) -> Pending<'_, ()> {
        self.facts_mut().info.additional_directories = directories;
        Box::pin(async move {
            let line = self.info_line()?;
            // At once, because there may be nothing to commit.
            let added = self.add(move |file| {
                unnoticed(&file.file, &file.path, || {
                    file.write(&line)?;
                    file.sync()?;
                    Ok((line.len() as u64, ()))
                })
            });
            added.await?;
            self.since_info = 0;
            Ok(())
        })
    }

    fn set_updated_at(&mut self, time: String) -> Pending<'_, ()> {
        Box::pin(async move {
            let time = timestamp::parse(&time)?;
            let set = self.add(move |file| {
                let set =
                    file.file.set_modified(time).map_err(|error| StoreError::io("date", &file.path, error));
                set.map(|()| (0, ()))
            });
            set.await.map(drop)
        })
    }

    fn commit(&mut self) -> Pending<'_, ()> {
        // A session that was only looked at stays as it was.
        if !std::mem::take(&mut self.is_dirty) {
            return Box::pin(async { Ok(()) });
        }
        // Half of the distance is left for a title and for records that follow.
        Box::pin(self.write_info(self.since_info <= INFO_WITHIN / 2, true))
    }
}

/// A file that its only holder writes at the end.
struct SessionFile {
    file: Alone,
    path: PathBuf,
}

impl SessionFile {
    /// Writes in one call if the system takes it whole. A kill then leaves a beginning of it.
    fn write(&self, lines: &[u8]) -> Result<(), StoreError> {
        (&*self.file).write_all(lines).map_err(|error| StoreError::io("write", &self.path, error))
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.file.sync_data().map_err(|error| StoreError::io("sync", &self.path, error))
    }

    /// Fails unless there is room behind the end. A kill leaves a line without an end here.
    fn check_room(&self, end: u64) -> Result<(), StoreError> {
        self.write(&[b' '; ROOM])?;
        self.cut(end)
    }

    /// Cuts the file off at `end`.
    fn cut(&self, end: u64) -> Result<(), StoreError> {
        let cut = self.file.set_len(end).and_then(|()| (&*self.file).seek(SeekFrom::Start(end)));
        cut.map(drop).map_err(|error| StoreError::io("repair", &self.path, error))
    }
}

/// Records on their way into a file, with lines of facts in between.
struct Records<'a> {
    file: &'a SessionFile,
    /// The lines that are not written yet.
    lines: Vec<u8>,
    /// The number of bytes that were written.
    written: u64,
    /// The end of the file before them.
    end: u64,
    facts: Arc<Facts>,
    since_info: u64,
}

impl Records<'_> {
    fn write_all(&mut self, records: &[Record]) -> Result<(), StoreError> {
        let bytes: usize = records.iter().map(|record| line::length(record.json())).sum();
        self.lines.reserve(bytes.min(PIECE));
        for record in records {
            let length = line::length(record.json());
            if !self.lines.is_empty() && self.lines.len() + length > PIECE {
                self.flush()?;
            }
            if record.kind().is_state() {
                let at = self.end + self.written + self.lines.len() as u64;
                Arc::make_mut(&mut self.facts).note(record.kind(), at);
            }
            line::write(&mut self.lines, Kind::Record(record.kind()), record.json())?;
            self.since_info += length as u64;
            if self.since_info > INFO_EVERY {
                self.facts.write(&mut self.lines)?;
                self.since_info = 0;
            }
        }
        self.flush()
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        self.file.write(&self.lines)?;
        self.written += self.lines.len() as u64;
        self.lines.clear();
        Ok(())
    }
}

/// Does something to the file that does not count as a use of the session: the time of its last use
/// stays.
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

/// Ends the file with a line end: cuts off a record that was not written to its end.
fn finish_last_line(mut file: &File, path: &Path, reporter: &Reporter) -> Result<(), StoreError> {
    let failed = |error| StoreError::io("repair", path, error);
    let end = file.seek(SeekFrom::End(0)).map_err(failed)?;
    let start = last_line_start(file, end).map_err(failed)?;
    if start == end {
        return Ok(());
    }
    unnoticed(file, path, || finish_line(file, path, start, reporter))
}

/// Ends the line that begins at `start`.
fn finish_line(mut file: &File, path: &Path, start: u64, reporter: &Reporter) -> Result<(), StoreError> {
    let failed = |error| StoreError::io("repair", path, error);
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(start)).map_err(failed)?;
    file.take(LONGEST as u64 + 64).read_to_end(&mut tail).map_err(failed)?;
    // More than one record stands there if line ends are damaged.
    let mut whole = 0;
    while let Some(line) = tail.get(whole..).and_then(Line::parse) {
        whole += line.length + 1;
    }
    if let Some(unfinished @ 1..) = tail.len().checked_sub(whole) {
        reporter.report(path, start + whole as u64, unfinished, DamageKind::Unfinished);
    }
    // The last whole record may lack its line end, or have something else in its place.
    let kept = start + whole.saturating_sub(1) as u64;
    file.set_len(kept).map_err(failed)?;
    if whole == 0 {
        return Ok(());
    }
    file.seek(SeekFrom::Start(kept)).map_err(failed)?;
    file.write_all(b"\n").map_err(failed)
}

/// Returns the beginning of the line without an end; the end of the file if all lines have one.
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
