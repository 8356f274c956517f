//! Reading a part of a text file.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use cap_std::fs::{Dir, File, OpenOptions};

use crate::error::Error;
use crate::roots::Roots;

/// The number of buffers of a long line that are skipped before the next check that somebody still
/// waits.
const BUFFERS: usize = 64;

/// The lines of a text to read. Lines keep their terminators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    first: u32,
    count: u32,
}

impl Lines {
    /// All lines.
    pub const ALL: Self = Self::new(1, u32::MAX);

    /// Selects `count` lines from line `first` on, which counts from 1. 0 is read as 1. Past the
    /// end of the text there are none.
    #[must_use]
    pub const fn new(first: u32, count: u32) -> Self {
        Self { first, count }
    }
}

/// Lines of a file with at most `max_bytes` bytes together.
#[derive(Clone, Copy)]
pub(crate) struct Window<A> {
    pub(crate) lines: Lines,
    pub(crate) max_bytes: usize,
    /// Returns true once nobody waits for the text any more.
    pub(crate) is_abandoned: A,
}

impl<A: Fn() -> bool> Window<A> {
    /// Reads lines of a UTF-8 file with their terminators. The file may be larger than `max_bytes`,
    /// the window may not.
    pub(crate) fn read(&self, roots: &Roots, path: &Path) -> Result<String, Error> {
        roots.inside(path, |root, relative| {
            self.of(BufReader::with_capacity(64 * 1024, open_regular(root.dir(), relative)?))
        })
    }

    /// Returns the lines of this text.
    pub(crate) fn of(&self, mut text: impl BufRead) -> Result<String, Error> {
        for _ in 1..self.lines.first {
            if !self.skip_line(&mut text)? {
                return Ok(String::new());
            }
        }
        let mut bytes = Vec::new();
        for _ in 0..self.lines.count {
            // One byte more than allowed shows that there is more.
            let left = (self.max_bytes - bytes.len()) as u64;
            if text.by_ref().take(left.saturating_add(1)).read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            if bytes.len() > self.max_bytes {
                return Err(Error::TooLarge { max_bytes: self.max_bytes });
            }
        }
        String::from_utf8(bytes).map_err(|_| Error::NotText)
    }

    /// Skips one line of any length without keeping it. Returns false at the end of the file.
    fn skip_line(&self, text: &mut impl BufRead) -> Result<bool, Error> {
        loop {
            if (self.is_abandoned)() {
                return Err(Error::Io(io::ErrorKind::Interrupted.into()));
            }
            for _ in 0..BUFFERS {
                let buffer = text.fill_buf()?;
                if buffer.is_empty() {
                    return Ok(false);
                }
                let line_end = buffer.iter().position(|byte| *byte == b'\n');
                let used = line_end.map_or(buffer.len(), |at| at + 1);
                text.consume(used);
                if line_end.is_some() {
                    return Ok(true);
                }
            }
        }
    }
}

fn open_regular(dir: &Dir, relative: &Path) -> Result<File, Error> {
    // Checked before it is opened, because opening a device may have effects.
    check_regular(&dir.metadata(relative)?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    // Another file may stand there by now. Opening a FIFO would wait for a writer, perhaps for
    // ever, and opening a terminal could make it the controlling one.
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        use rustix::fs::OFlags;
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    let file = dir.open_with(relative, &options)?;
    check_regular(&file.metadata()?)?;
    Ok(file)
}

fn check_regular(found: &cap_std::fs::Metadata) -> Result<(), Error> {
    if found.is_dir() {
        Err(Error::Directory)
    } else if found.is_file() {
        Ok(())
    } else {
        Err(Error::Special)
    }
}
