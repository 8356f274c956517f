//! The file of a recording, which may be continued in another one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use acp_rpc::tap::Record;

/// The file of a recording. It is created when the first record is written. On unix only its owner
/// may read a new file: it holds prompts and files.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    limit: Option<u64>,
    keep: usize,
    file: Option<File>,
    size: u64,
    /// A part of a record stands at the end, which could not be removed.
    is_torn: bool,
}

/// The place that records are written to.
pub(super) enum Sink {
    File(RecordFile),
    Writer(Box<dyn Write + Send>),
}

impl Sink {
    /// Writes whole records.
    pub(super) fn write<'r>(&mut self, records: &'r [u8]) -> Result<(), Unwritten<'r>> {
        match self {
            Self::File(file) => file.write(records),
            Self::Writer(writer) => writer.write_all(records).map_err(|error| Unwritten { records, error }),
        }
    }
}

/// Records that could not be written.
pub(super) struct Unwritten<'r> {
    pub(super) records: &'r [u8],
    pub(super) error: io::Error,
}

impl RecordFile {
    /// Records to a file, which is created or truncated.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), limit: None, keep: 0, file: None, size: 0, is_torn: false }
    }

    /// Begins a new file before this one is larger than `limit` bytes, and keeps `keep` older ones:
    /// `turn.1.ndjson` is the one before `turn.ndjson`, and so on. A file that is there at the
    /// start is kept as an older one. A record that is larger than the limit has a file for itself.
    #[must_use]
    pub const fn rotate(mut self, limit: u64, keep: usize) -> Self {
        self.limit = Some(limit);
        self.keep = keep;
        self
    }

    /// Returns the path of the file that is `age` files older.
    fn older(&self, age: usize) -> PathBuf {
        let extension = self.path.extension().map(|it| format!(".{}", it.display())).unwrap_or_default();
        let stem = self.path.file_stem().unwrap_or_default();
        self.path.with_file_name(format!("{}.{age}{extension}", stem.display()))
    }

    /// Writes whole records.
    pub(super) fn write<'r>(&mut self, records: &'r [u8]) -> Result<(), Unwritten<'r>> {
        let mut rest = records;
        while !rest.is_empty() {
            let fits = match self.make_room(rest) {
                Ok(fits) => fits,
                Err(error) => return Err(Unwritten { records: rest, error }),
            };
            let (now, later) = rest.split_at_checked(fits).unwrap_or((rest, &[]));
            if let Err(error) = self.append(now) {
                return Err(Unwritten { records: rest, error });
            }
            rest = later;
        }
        Ok(())
    }

    /// Opens or rotates the file, and returns the number of bytes that go into it: whole records,
    /// at least one.
    fn make_room(&mut self, records: &[u8]) -> io::Result<usize> {
        let first = records.iter().position(|byte| *byte == b'\n').map_or(records.len(), |end| end + 1);
        let Some(limit) = self.limit else {
            if self.file.is_none() {
                self.open()?;
            }
            return Ok(records.len());
        };
        if self.file.is_none() {
            if fs::metadata(&self.path).is_ok_and(|file| file.is_file() && file.len() > 0) {
                self.shift()?;
            }
            self.open()?;
        }
        let head = self.head().len() as u64;
        if self.size + first as u64 > limit && self.size > head {
            self.file = None;
            self.shift()?;
            self.open()?;
        }
        let room = usize::try_from(limit.saturating_sub(self.size)).unwrap_or(usize::MAX).min(records.len());
        let whole = records.get(..room).and_then(|part| part.iter().rposition(|byte| *byte == b'\n'));
        Ok(whole.map_or(first, |end| end + 1).max(first))
    }

    fn head(&self) -> Vec<u8> {
        let mut head = Vec::new();
        Record::Start { time: SystemTime::now(), version: Record::VERSION }.write(&mut head);
        head
    }

    fn open(&mut self) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        self.file = Some(options.open(&self.path)?);
        self.size = 0;
        self.is_torn = false;
        self.append(&self.head())
    }

    /// Makes each file one older. The oldest one is removed.
    fn shift(&self) -> io::Result<()> {
        if self.keep == 0 {
            return Ok(());
        }
        for age in (1..self.keep).rev() {
            rename(&self.older(age), &self.older(age + 1))?;
        }
        rename(&self.path, &self.older(1))
    }

    /// Writes records, or nothing of them.
    fn append(&mut self, records: &[u8]) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let ended = if self.is_torn { file.write_all(b"\n") } else { Ok(()) };
        if let Err(error) = ended.and_then(|()| file.write_all(records)) {
            // A part of them must not stay.
            let cut = file.set_len(self.size).and_then(|()| file.seek(SeekFrom::Start(self.size)));
            self.is_torn = cut.is_err();
            if self.size == 0 {
                self.file = None;
            }
            return Err(error);
        }
        self.is_torn = false;
        self.size += records.len() as u64;
        Ok(())
    }
}

/// Renames a file, if it is there.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
