//! Reading a part of a text file.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use cap_std::fs::{Dir, File, OpenOptions};
use tokio_util::sync::CancellationToken;

use crate::disk::file_error::FileError;
use crate::disk::tree::{Tree, inside};

/// The number of buffers that are skipped in a long line between two checks for a withdrawal.
const BUFFERS: usize = 64;

/// The lines to read of a file, counted from 1, with at most `max_bytes` bytes together.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) max_bytes: usize,
    /// Fires when the request is withdrawn.
    pub(crate) withdrawn: CancellationToken,
}

/// Reads lines of a UTF-8 file with their terminators. The file may be larger than `max_bytes`, the
/// window may not.
pub(crate) fn read(trees: &[Arc<Tree>], path: &str, window: &Window) -> Result<String, FileError> {
    inside(trees, path, |tree, relative| {
        window.of(BufReader::with_capacity(64 * 1024, open_regular(tree.dir(), relative)?))
    })
}

impl Window {
    /// Returns the lines of this text.
    pub(crate) fn of(&self, mut text: impl BufRead) -> Result<String, FileError> {
        for _ in 1..self.first {
            if !self.skip_line(&mut text)? {
                return Ok(String::new());
            }
        }
        let mut bytes = Vec::new();
        for _ in 0..self.count {
            // One byte more than allowed shows that there is more.
            let left = (self.max_bytes - bytes.len()) as u64;
            if text.by_ref().take(left.saturating_add(1)).read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            if bytes.len() > self.max_bytes {
                return Err(FileError::TooLarge);
            }
        }
        String::from_utf8(bytes).map_err(|_| FileError::NotText)
    }

    /// Skips one line of any length without keeping it. Returns false at the end of the file.
    fn skip_line(&self, text: &mut impl BufRead) -> Result<bool, FileError> {
        loop {
            if self.withdrawn.is_cancelled() {
                return Err(FileError::Withdrawn);
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

fn open_regular(dir: &Dir, relative: &Path) -> Result<File, FileError> {
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

fn check_regular(found: &cap_std::fs::Metadata) -> Result<(), FileError> {
    if found.is_dir() {
        Err(FileError::Directory)
    } else if found.is_file() {
        Ok(())
    } else {
        Err(FileError::Special)
    }
}
