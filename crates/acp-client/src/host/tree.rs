//! A directory tree in which files are read and replaced, and never outside of it.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};

/// One root directory. Every path below it is opened relative to its descriptor, component by component, so that
/// neither `..` nor a symbolic link, not even one swapped in at the wrong moment, leads out of it.
#[derive(Debug)]
pub(crate) struct Tree {
    spelled: PathBuf,
    real: PathBuf,
    dir: Dir,
}

/// Why a file was not read or not written.
#[derive(Debug)]
pub(crate) enum FileError {
    Relative,
    Outside,
    Missing,
    Directory,
    Special,
    DanglingLink,
    BadName,
    NotText,
    TooLarge,
    Io(io::Error),
}

/// Which lines of a file: `first` counts from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) first: u32,
    pub(crate) count: u32,
}

impl Tree {
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        let spelled = std::path::absolute(root)?;
        let real = std::fs::canonicalize(&spelled)?;
        let dir = Dir::open_ambient_dir(&real, ambient_authority())?;
        Ok(Self { spelled, real, dir })
    }

    /// The part of `path` below this root, when it is spelled as the root was or as the root really is.
    fn below(&self, path: &Path) -> Option<PathBuf> {
        [&self.spelled, &self.real].into_iter().find_map(|root| path.strip_prefix(root).ok()).map(|rest| {
            // The root itself: an empty path is no path to open.
            if rest.as_os_str().is_empty() { PathBuf::from(".") } else { rest.to_owned() }
        })
    }
}

/// Reads the lines of a UTF-8 file, terminators kept. At most `max_bytes` are returned; a file may be larger as long
/// as the window is not.
pub(crate) fn read(
    trees: &[Arc<Tree>],
    path: &str,
    window: Window,
    max_bytes: usize,
) -> Result<String, FileError> {
    inside(trees, path, |dir, relative| {
        let mut file = BufReader::new(open_regular(dir, relative)?);
        for _ in 1..window.first {
            if !skip_line(&mut file)? {
                return Ok(String::new());
            }
        }
        let mut bytes = Vec::new();
        for _ in 0..window.count {
            let left = (max_bytes - bytes.len()) as u64;
            if file.by_ref().take(left + 1).read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            if bytes.len() > max_bytes {
                return Err(FileError::TooLarge);
            }
        }
        String::from_utf8(bytes).map_err(|_| FileError::NotText)
    })
}

/// Creates or replaces a file in one step: a reader sees the old text or the new one, never a part.
///
/// The mode of a replaced file is kept. Missing directories are created. A hard link to the old file keeps the old
/// text: the new one is a new file.
pub(crate) fn write(trees: &[Arc<Tree>], path: &str, text: &str, max_bytes: usize) -> Result<(), FileError> {
    if text.len() > max_bytes {
        return Err(FileError::TooLarge);
    }
    inside(trees, path, |dir, relative| {
        // Writing through a link changes its target and leaves the link alone.
        let target = match dir.canonicalize(relative) {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => relative.to_owned(),
            Err(error) => return Err(error.into()),
        };
        let name = target.file_name().ok_or(FileError::Directory)?;
        let folder = open_folder(dir, target.parent().unwrap_or(Path::new("")))?;
        let mode = match folder.symlink_metadata(name) {
            Ok(old) if old.is_dir() => return Err(FileError::Directory),
            Ok(old) if old.is_symlink() => return Err(FileError::DanglingLink),
            Ok(old) if !old.is_file() => return Err(FileError::Special),
            // The rename below would go round the protection.
            Ok(old) if old.permissions().readonly() => {
                return Err(FileError::Io(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    "the file is read-only",
                )));
            }
            Ok(old) => Some(old.permissions()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        let (mut file, draft) = create_draft(&folder)?;
        let written = (|| {
            io::Write::write_all(&mut file, text.as_bytes())?;
            if let Some(mode) = mode {
                file.set_permissions(mode)?;
            }
            file.sync_all()?;
            folder.rename(&draft, &folder, name)
        })();
        if written.is_err() {
            // Nothing to add when this fails too: the first error is the one to report.
            let _ = folder.remove_file(&draft);
        }
        Ok(written?)
    })
}

/// Runs `act` on the root that holds `path` and on the rest of the path below it.
fn inside<T>(
    trees: &[Arc<Tree>],
    path: &str,
    act: impl Fn(&Dir, &Path) -> Result<T, FileError>,
) -> Result<T, FileError> {
    if path.contains('\0') {
        return Err(FileError::BadName);
    }
    let path = Path::new(path);
    if !path.is_absolute() {
        return Err(FileError::Relative);
    }
    let spelled = trees.iter().find_map(|tree| Some((tree, tree.below(path)?)));
    if let Some((tree, relative)) = spelled {
        match act(&tree.dir, &relative) {
            Err(FileError::Outside) => {}
            done => return done,
        }
    }
    // A path that is inside under its real name: through a link that names its target in full, or in another case.
    // What the lookup says is not trusted, the file is opened below the root again.
    let real = real_path(path).ok_or(FileError::Outside)?;
    let (tree, relative) =
        trees.iter().find_map(|tree| Some((tree, tree.below(&real)?))).ok_or(FileError::Outside)?;
    act(&tree.dir, &relative)
}

/// The path without links; of a file that does not exist yet, that of its directory and its name.
fn real_path(path: &Path) -> Option<PathBuf> {
    if let Ok(real) = std::fs::canonicalize(path) {
        return Some(real);
    }
    let Some(Component::Normal(name)) = path.components().next_back() else { return None };
    Some(std::fs::canonicalize(path.parent()?).ok()?.join(name))
}

fn open_regular(dir: &Dir, relative: &Path) -> Result<File, FileError> {
    let mut options = OpenOptions::new();
    options.read(true);
    // Opening a FIFO would wait for a writer, which may never come.
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = dir.open_with(relative, &options).map_err(|error| {
        // Windows refuses to open a directory at all, and a socket cannot be opened anywhere.
        match dir.metadata(relative) {
            Ok(found) if found.is_dir() => FileError::Directory,
            Ok(found) if !found.is_file() => FileError::Special,
            _ => error.into(),
        }
    })?;
    let found = file.metadata()?;
    if found.is_dir() {
        Err(FileError::Directory)
    } else if found.is_file() {
        Ok(file)
    } else {
        Err(FileError::Special)
    }
}

/// Passes over one line, however long it is, without keeping it. False at the end of the file.
fn skip_line(file: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let buffer = file.fill_buf()?;
        if buffer.is_empty() {
            return Ok(false);
        }
        let line_end = buffer.iter().position(|byte| *byte == b'\n');
        let used = line_end.map_or(buffer.len(), |at| at + 1);
        file.consume(used);
        if line_end.is_some() {
            return Ok(true);
        }
    }
}

fn open_folder(dir: &Dir, relative: &Path) -> Result<Dir, FileError> {
    if relative.as_os_str().is_empty() {
        return Ok(dir.try_clone()?);
    }
    match dir.open_dir(relative) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            dir.create_dir_all(relative)?;
            Ok(dir.open_dir(relative)?)
        }
        opened => Ok(opened?),
    }
}

/// A new, empty file beside the one to be replaced; its name does not grow with the name of that one.
fn create_draft(folder: &Dir) -> io::Result<(File, String)> {
    static DRAFTS: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
        let name = format!(".acp-write-{}-{number}", std::process::id());
        match folder.open_with(&name, OpenOptions::new().write(true).create_new(true)) {
            Ok(file) => return Ok((file, name)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            io::ErrorKind::IsADirectory => Self::Directory,
            io::ErrorKind::NotADirectory => Self::Missing,
            io::ErrorKind::InvalidFilename => Self::BadName,
            // cap-std reports a path that leads out of its directory as a permission error of its own making.
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => Self::Outside,
            _ => Self::Io(error),
        }
    }
}
