//! Zip archives.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use super::place::Place;

/// The longest target of a link.
const LONGEST_TARGET: u64 = 4096;
/// The bits of a mode that say what an entry is.
const KIND: u32 = 0o170_000;

pub(super) fn unpack(file: File, place: &mut Place) -> Result<(), String> {
    let told = |error: ZipError| error.to_string();
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(told)?;
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
