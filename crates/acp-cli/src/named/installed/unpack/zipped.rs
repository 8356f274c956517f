//! Zip archives.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;

use zip::ZipArchive;
use zip::result::ZipError;

use super::place::Place;

/// The longest target of a link.
const LONGEST_TARGET: u64 = 4096;
/// The bytes of the table of contents for each entry that there may be.
const CONTENTS: u64 = 512;
/// The bytes that are read to find the table.
const SEARCH: u64 = 256 * 1024;
/// The bits of a mode that say what an entry is.
const KIND: u32 = 0o170_000;

pub(super) fn unpack(file: File, place: &mut Place) -> Result<(), String> {
    let told = |error: ZipError| error.to_string();
    let room = Rc::new(Cell::new(SEARCH + place.limits().entries.saturating_mul(CONTENTS)));
    let file = Metered { inner: BufReader::new(file), room: Rc::clone(&room) };
    let mut archive = ZipArchive::new(file).map_err(told)?;
    room.set(u64::MAX);
    for index in 0..archive.len() {
        place.count()?;
        let mut entry = archive.by_index(index).map_err(told)?;
        let name = entry.name().to_owned();
        let path = Path::new(&name);
        let mode = entry.unix_mode().unwrap_or(0);
        match mode & KIND {
            _ if name.ends_with('/') => place.folder(path)?,
            0o040_000 => place.folder(path)?,
            0o120_000 => {
                let mut target = String::new();
                let read = (&mut entry).take(LONGEST_TARGET + 1).read_to_string(&mut target);
                if read.is_err() || target.len() as u64 > LONGEST_TARGET {
                    return Err(format!("the target of its link {name} cannot be read"));
                }
                place.link(path, Path::new(&target))?;
            }
            0 | 0o100_000 => place.file(path, mode & 0o111 != 0, &mut entry)?,
            _ => return Err(format!("its entry {name} is neither a file, a folder nor a link")),
        }
    }
    Ok(())
}

/// A file of which only so much can be read. The crate holds the whole table of contents in memory,
/// so the table must not be longer than the entries need.
struct Metered<R> {
    inner: R,
    room: Rc<Cell<u64>>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let room = self.room.get().checked_sub(count as u64);
        self.room.set(room.ok_or_else(|| io::Error::other("its table of contents is too long"))?);
        Ok(count)
    }
}

impl<R: Seek> Seek for Metered<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}
