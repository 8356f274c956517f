//! A root with files in it, and things around it that must stay out of reach.

use std::fs;
use std::path::PathBuf;

use acp_fs::{Error, Files, Lines, Roots};
use tempfile::TempDir;

/// The content of files that must stay out of reach.
pub(crate) const SECRET: &str = "TOP-SECRET";

pub(crate) struct Place {
    pub(crate) around: TempDir,
    pub(crate) roots: Roots,
    pub(crate) files: Files,
}

impl Place {
    pub(crate) async fn new() -> Self {
        Self::with(Files::new()).await
    }

    pub(crate) async fn with(files: Files) -> Self {
        let around = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("root/notes.txt", "one\ntwo\nthree\n"),
            ("root/sub/deep.txt", "deep"),
            ("root-twin/secret.txt", SECRET),
            ("secret.txt", SECRET),
        ] {
            let path = around.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let roots = Roots::open([around.path().join("root")]).await;
        Self { around, roots, files }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.around.path().join("root")
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root().join(relative)
    }

    pub(crate) async fn read(&self, path: impl Into<PathBuf>) -> Result<String, Error> {
        self.files.read_text(&self.roots, &path.into(), Lines::ALL).await
    }

    pub(crate) async fn write(&self, path: impl Into<PathBuf>, text: &str) -> Result<(), Error> {
        self.files.write_text(&self.roots, &path.into(), text).await
    }

    /// Returns the names in a folder below the root.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}
