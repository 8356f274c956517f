//! The session's folder: the paths inside it, and its text files.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

/// Folders of build results and installed packages. Hidden folders, such as `.git` and `.venv`, are
/// left out as well.
const SKIPPED_FOLDERS: [&str; 3] = ["target", "node_modules", "__pycache__"];
/// The most files and folders that a listing looks at.
const MAX_VISITED: usize = 20_000;
/// The most files of a listing.
const MAX_FILES: usize = 1_000;
/// The largest file that a listing has, in bytes.
const MAX_FILE_SIZE: u64 = 1024 * 1024;
/// The part of a file that tells text from binary data, in bytes.
const SNIFFED: u64 = 1024;

/// The folder that a session works in, by the spelling of paths.
///
/// Links are not looked at here. The client decides about the files that it serves, and the library
/// keeps local ones below the session's directory.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
}

/// Text files of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Relative to the folder, in the order of names.
    pub files: Vec<PathBuf>,
    /// True if these are all. A large folder is cut short.
    pub complete: bool,
}

impl Workspace {
    /// Makes the workspace of the folder `root`, an absolute path.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Workspace { root: normalized(&root.into()) }
    }

    /// Returns the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the absolute path of a file that is named relative to the folder, or absolutely.
    ///
    /// This agent works on files in that folder only; it does not advertise additional directories.
    ///
    /// # Errors
    /// Fails if the path, as it is spelled, leads out of the folder, or names the folder itself.
    pub fn resolve(&self, path: &str) -> Result<PathBuf, String> {
        let absolute = normalized(&self.root.join(path));
        if absolute == self.root {
            return Err(format!("`{path}` is the session's folder, not a file in it"));
        }
        if !absolute.starts_with(&self.root) {
            return Err(format!("`{path}` is outside of the session's folder `{}`", self.root.display()));
        }
        Ok(absolute)
    }

    /// Lists the text files in the folder and the folders below it. It blocks meanwhile.
    ///
    /// Symbolic links, binary files and files above 1 MiB are left out. So are hidden folders,
    /// `target`, `node_modules` and `__pycache__`.
    ///
    /// # Errors
    /// Fails if the folder itself cannot be read. Unreadable folders below it are left out.
    pub fn list(&self) -> io::Result<Listing> {
        let mut listing = Listing { files: Vec::new(), complete: true };
        let mut visited = 0;
        // Folders still to be read, the next one last.
        let mut folders = vec![fs::read_dir(&self.root)?];
        while let Some(folder) = folders.pop() {
            for entry in folder.flatten() {
                visited += 1;
                if visited > MAX_VISITED || listing.files.len() >= MAX_FILES {
                    listing.complete = false;
                    folders.clear();
                    break;
                }
                let Ok(kind) = entry.file_type() else { continue };
                let path = entry.path();
                if kind.is_dir() {
                    if !is_skipped(&entry.file_name().to_string_lossy()) {
                        folders.extend(fs::read_dir(path).ok());
                    }
                } else if kind.is_file() && is_text(&path) {
                    listing.files.push(path.strip_prefix(&self.root).unwrap_or(&path).to_owned());
                }
            }
        }
        listing.files.sort();
        Ok(listing)
    }
}

fn is_skipped(folder: &str) -> bool {
    folder.starts_with('.') || SKIPPED_FOLDERS.contains(&folder)
}

/// Returns true if a file is small enough and its beginning has no zero byte, which text never has.
fn is_text(path: &Path) -> bool {
    let read = || -> io::Result<bool> {
        let file = fs::File::open(path)?;
        if file.metadata()?.len() > MAX_FILE_SIZE {
            return Ok(false);
        }
        let mut start = Vec::new();
        file.take(SNIFFED).read_to_end(&mut start)?;
        Ok(!start.contains(&0))
    };
    read().unwrap_or(false)
}

/// Returns the path without `.` and `..`, by its spelling only.
fn normalized(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                // The parent of the root of the file system is the root.
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}
