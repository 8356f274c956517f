//! Archives of agents: their kinds, and how they are unpacked without harm.
//!
//! The first bytes decide the kind. Nothing is written outside of the folder, whatever an archive
//! says: its names, its links and its order of entries.

mod place;
mod tarball;
#[cfg(test)]
mod tests;
mod zipped;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::{Component, Path, PathBuf};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;

use self::place::Place;

/// The most that an archive may hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) entries: u64,
    pub(super) bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 100_000, bytes: 4 * 1024 * 1024 * 1024 }
    }
}

/// Unpacks an archive into a folder that does not exist yet, and makes `cmd` of it executable. A
/// bare program is put there under the name `cmd`. The error is the end of a sentence about the
/// archive; the folder is of no use then.
pub(super) fn unpack(archive: &Path, folder: &Path, cmd: &str, limits: Limits) -> Result<(), String> {
    let told = |error: io::Error| error.to_string();
    let mut file = File::open(archive).map_err(told)?;
    let mut head = Vec::new();
    (&mut file).take(16).read_to_end(&mut head).map_err(told)?;
    file.rewind().map_err(told)?;
    let mut place = Place::new(folder, limits)?;
    match Kind::of(&head)? {
        Kind::Zip => zipped::unpack(file, &mut place)?,
        Kind::Gzip => tarball::unpack(MultiGzDecoder::new(BufReader::new(file)), &mut place)?,
        Kind::Bzip2 => tarball::unpack(MultiBzDecoder::new(BufReader::new(file)), &mut place)?,
        Kind::Program => {
            let name = program(cmd).ok_or("its `cmd` is not the name of a file")?;
            place.file(&name, true, &mut file)?;
        }
    }
    place.finish()?;
    make_executable(folder, cmd)
}

enum Kind {
    Zip,
    Gzip,
    Bzip2,
    Program,
}

impl Kind {
    fn of(head: &[u8]) -> Result<Self, String> {
        const MACHO: [[u8; 4]; 5] = [
            [0xfe, 0xed, 0xfa, 0xce],
            [0xfe, 0xed, 0xfa, 0xcf],
            [0xce, 0xfa, 0xed, 0xfe],
            [0xcf, 0xfa, 0xed, 0xfe],
            [0xca, 0xfe, 0xba, 0xbe],
        ];
        Ok(match head {
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Self::Zip,
            [0x1f, 0x8b, ..] => Self::Gzip,
            [b'B', b'Z', b'h', ..] => Self::Bzip2,
            [0x7f, b'E', b'L', b'F', _, _, _, _, b'A', b'I', 1 | 2, ..] => {
                return Err("it is an AppImage, which lists must not have".to_owned());
            }
            [0x7f, b'E', b'L', b'F', ..] | [b'M', b'Z', ..] | [b'#', b'!', ..] => Self::Program,
            [a, b, c, d, ..] if MACHO.contains(&[*a, *b, *c, *d]) => Self::Program,
            _ => return Err("it is neither a zip, a tar.gz or a tar.bz2 nor a program".to_owned()),
        })
    }
}

/// Returns the path that `cmd` has in the folder, if it stays in there.
fn program(cmd: &str) -> Option<PathBuf> {
    let parts: Option<Vec<_>> = Path::new(cmd)
        .components()
        .filter(|part| *part != Component::CurDir)
        .map(|part| matches!(part, Component::Normal(_)).then_some(part))
        .collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.into_iter().collect())
}

/// Makes the program executable, if the archive has it. An interpreter may be meant instead.
fn make_executable(folder: &Path, cmd: &str) -> Result<(), String> {
    let file = program(cmd).map(|name| folder.join(name)).filter(|file| file.is_file());
    // All links were found to stay in the folder.
    file.map_or(Ok(()), |file| place::set_executable(&file, true).map_err(|error| error.to_string()))
}
