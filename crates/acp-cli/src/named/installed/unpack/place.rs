//! The folder that an archive is unpacked into, and the rules for its entries.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::Limits;

/// The most parts of a name. Folders that lie deeper cannot be removed with few open files.
const DEPTH: usize = 64;

/// A new folder that is filled. Links are made last, so that nothing is written through them.
pub(super) struct Place {
    root: PathBuf,
    limits: Limits,
    entries: u64,
    bytes: u64,
    /// Symbolic links, with their targets.
    links: Vec<(PathBuf, PathBuf)>,
}

impl Place {
    /// Makes the folder.
    pub(super) fn new(root: &Path, limits: Limits) -> Result<Self, String> {
        fs::create_dir(root).map_err(|error| error.to_string())?;
        Ok(Self { root: root.to_owned(), limits, entries: 0, bytes: 0, links: Vec::new() })
    }

    pub(super) const fn limits(&self) -> Limits {
        self.limits
    }

    /// Counts an entry.
    pub(super) fn count(&mut self) -> Result<(), String> {
        self.entries += 1;
        if self.entries > self.limits.entries {
            return Err(format!("it has more than {} entries", self.limits.entries));
        }
        Ok(())
    }

    pub(super) fn folder(&mut self, name: &Path) -> Result<(), String> {
        let path = self.path(name)?;
        if path == self.root {
            return Ok(());
        }
        self.folder_of(name, &path)?;
        create(&path).map(drop).map_err(|error| told(name, &error))
    }

    /// Writes a file that is not there yet.
    pub(super) fn file(
        &mut self,
        name: &Path,
        is_executable: bool,
        content: &mut impl Read,
    ) -> Result<(), String> {
        let path = self.made(name)?;
        let mut write = || -> io::Result<Option<u64>> {
            let mut file = File::options().write(true).create_new(true).open(&path)?;
            let room = self.limits.bytes - self.bytes;
            let written = io::copy(&mut content.take(room.saturating_add(1)), &mut file)?;
            set_executable(&path, is_executable)?;
            Ok(Some(written).filter(|written| *written <= room))
        };
        match write() {
            Ok(Some(written)) => {
                self.bytes += written;
                Ok(())
            }
            Ok(None) => Err(format!("it has more than {} bytes", self.limits.bytes)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(format!("it has the file {} twice", name.display()))
            }
            Err(error) => Err(told(name, &error)),
        }
    }

    /// Writes a file once more, under a second name.
    pub(super) fn copy(&mut self, name: &Path, of: &Path) -> Result<(), String> {
        let from = self.path(of)?;
        let is_file = fs::symlink_metadata(&from).is_ok_and(|data| data.is_file());
        if !is_file {
            return Err(format!("{} is a link to {}, which it does not have", name.display(), of.display()));
        }
        let mut content = File::open(&from).map_err(|error| told(of, &error))?;
        let is_executable = is_executable(&content);
        self.file(name, is_executable, &mut content)
    }

    /// Takes a symbolic link note, and makes its folder.
    pub(super) fn link(&mut self, name: &Path, target: &Path) -> Result<(), String> {
        let path = self.made(name)?;
        if target.as_os_str().is_empty() || target.is_absolute() || target.has_root() {
            return Err(leaves(name));
        }
        self.links.push((path, target.to_owned()));
        Ok(())
    }

    /// Makes the links. Each of them has to lead to something in the folder.
    pub(super) fn finish(self) -> Result<(), String> {
        let root = self.root.canonicalize().map_err(|error| error.to_string())?;
        for (path, target) in &self.links {
            symlink(target, path)
                .map_err(|error| told(path.strip_prefix(&self.root).unwrap_or(path), &error))?;
        }
        for (path, _) in &self.links {
            let name = path.strip_prefix(&self.root).unwrap_or(path);
            let end =
                path.canonicalize().map_err(|_| format!("the link {} leads nowhere", name.display()))?;
            if !end.starts_with(&root) {
                return Err(leaves(name));
            }
        }
        Ok(())
    }

    /// Returns the path of an entry, with the folder that it lies in.
    fn made(&mut self, name: &Path) -> Result<PathBuf, String> {
        let path = self.path(name)?;
        if path == self.root {
            return Err("it has an entry without a name".to_owned());
        }
        self.folder_of(name, &path)?;
        Ok(path)
    }

    /// Makes the folder that an entry lies in. Each folder that is new counts as an entry.
    fn folder_of(&mut self, name: &Path, path: &Path) -> Result<(), String> {
        let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) else { return Ok(()) };
        let mut made = self.root.clone();
        for part in folder.strip_prefix(&self.root).unwrap_or(folder) {
            made.push(part);
            if create(&made).map_err(|error| told(name, &error))? {
                self.count()?;
            }
        }
        Ok(())
    }

    /// Returns the path of an entry.
    fn path(&self, name: &Path) -> Result<PathBuf, String> {
        let mut path = self.root.clone();
        if name.components().count() > DEPTH {
            return Err(format!("it has a name of more than {DEPTH} parts"));
        }
        for part in name.components() {
            match part {
                // It would be a separator, a drive or a stream elsewhere.
                Component::Normal(part)
                    if !part.as_encoded_bytes().iter().any(|byte| b"\\:\0".contains(byte)) =>
                {
                    path.push(part);
                }
                Component::CurDir => {}
                _ => return Err(leaves(name)),
            }
        }
        Ok(path)
    }
}

/// Makes a folder. Returns false if it is there already.
fn create(folder: &Path) -> io::Result<bool> {
    match fs::create_dir(folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(false),
        Err(error) => Err(error),
    }
}

fn leaves(name: &Path) -> String {
    format!("its entry {} leaves the folder", name.display())
}

fn told(name: &Path, error: &io::Error) -> String {
    format!("{}: {error}", name.display())
}

#[cfg(unix)]
pub(super) fn set_executable(file: &Path, is_executable: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = if is_executable { 0o755 } else { 0o644 };
    fs::set_permissions(file, fs::Permissions::from_mode(mode))
}

#[cfg(unix)]
fn is_executable(file: &File) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.permissions().mode() & 0o100 != 0)
}

#[cfg(unix)]
fn symlink(target: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(super) fn set_executable(_: &Path, _: bool) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn is_executable(_: &File) -> bool {
    false
}

#[cfg(not(unix))]
fn symlink(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::other("links of archives are not made on this system"))
}
