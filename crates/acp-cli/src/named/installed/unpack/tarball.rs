//! Tar archives. Long names and pax headers are read here, within a limit: an archive could have
//! gigabytes of them, which the crate would hold in memory.

use std::io::Read;
use std::path::PathBuf;

use tar::{Archive, Entry, EntryType, PaxExtensions};

use super::place::Place;

/// The longest header of an entry beside its own.
const LONGEST: u64 = 1024 * 1024;

/// The things that headers say about the next entry.
#[derive(Default)]
struct Next {
    name: Option<Vec<u8>>,
    target: Option<Vec<u8>>,
}

pub(super) fn unpack(content: impl Read, place: &mut Place) -> Result<(), String> {
    let mut archive = Archive::new(content);
    let mut next = Next::default();
    let mut is_empty = true;
    for entry in archive.entries().map_err(|error| error.to_string())?.raw(true) {
        let mut entry = entry.map_err(|error| error.to_string())?;
        place.count()?;
        is_empty = false;
        match entry.header().entry_type() {
            EntryType::GNULongName => next.name = Some(text(&mut entry)?),
            EntryType::GNULongLink => next.target = Some(text(&mut entry)?),
            EntryType::XHeader => pax(&mut entry, &mut next)?,
            EntryType::XGlobalHeader => drop(bytes(&mut entry)?),
            _ => put(&mut entry, std::mem::take(&mut next), place)?,
        }
    }
    if is_empty { Err("it is empty".to_owned()) } else { Ok(()) }
}

/// Puts an entry into its place.
fn put(entry: &mut Entry<'_, impl Read>, next: Next, place: &mut Place) -> Result<(), String> {
    let name = path(next.name.unwrap_or_else(|| entry.path_bytes().into_owned()))?;
    let kind = entry.header().entry_type();
    let is_file = matches!(kind, EntryType::Regular | EntryType::Continuous);
    let target = next.target.or_else(|| entry.link_name_bytes().map(|target| target.into_owned()));
    // Nothing is skipped without a limit.
    if !is_file && entry.size() > LONGEST {
        return Err(format!("its entry {} has content, which it must not have", name.display()));
    }
    let target = || path(target.ok_or_else(|| format!("its link {} has no target", name.display()))?);
    match kind {
        EntryType::Regular | EntryType::Continuous if name.as_os_str().as_encoded_bytes().ends_with(b"/") => {
            place.folder(&name)
        }
        EntryType::Regular | EntryType::Continuous => {
            let mode = entry.header().mode().map_err(|error| format!("{}: {error}", name.display()))?;
            let size = entry.size();
            place.file(&name, mode & 0o111 != 0, &mut Whole { entry, rest: size })
        }
        EntryType::Directory => place.folder(&name),
        EntryType::Symlink => place.link(&name, &target()?),
        EntryType::Link => place.copy(&name, &target()?),
        _ => Err(format!("its entry {} is neither a file, a folder nor a link", name.display())),
    }
}

/// Reads the pax header of the next entry.
fn pax(entry: &mut Entry<'_, impl Read>, next: &mut Next) -> Result<(), String> {
    let content = bytes(entry)?;
    for extension in PaxExtensions::new(&content) {
        let extension = extension.map_err(|error| error.to_string())?;
        let value = extension.value_bytes().to_vec();
        match extension.key_bytes() {
            b"path" => next.name = Some(value),
            b"linkpath" => next.target = Some(value),
            // The size would be another one than that of the entry.
            b"size" => return Err("it has files of a size that is not supported".to_owned()),
            key if key.starts_with(b"GNU.sparse") => return Err("it has sparse files".to_owned()),
            _ => {}
        }
    }
    Ok(())
}

/// Reads a name that ends with a zero byte.
fn text(entry: &mut Entry<'_, impl Read>) -> Result<Vec<u8>, String> {
    let mut text = bytes(entry)?;
    while text.last() == Some(&0) {
        text.pop();
    }
    Ok(text)
}

fn bytes(entry: &mut Entry<'_, impl Read>) -> Result<Vec<u8>, String> {
    let size = entry.size();
    if size > LONGEST {
        return Err(format!("it has a header of more than {LONGEST} bytes"));
    }
    let mut content = Vec::new();
    Whole { entry, rest: size }.read_to_end(&mut content).map_err(|error| error.to_string())?;
    Ok(content)
}

#[cfg(unix)]
fn path(bytes: Vec<u8>) -> Result<PathBuf, String> {
    use std::os::unix::ffi::OsStringExt;
    Ok(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path(bytes: Vec<u8>) -> Result<PathBuf, String> {
    String::from_utf8(bytes).map(PathBuf::from).map_err(|_| "it has a name that is not UTF-8".to_owned())
}

/// The content of an entry, which must be there to its end.
struct Whole<R> {
    entry: R,
    rest: u64,
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.entry.read(buffer)?;
        if count == 0 && self.rest > 0 && !buffer.is_empty() {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        self.rest = self.rest.saturating_sub(count as u64);
        Ok(count)
    }
}
