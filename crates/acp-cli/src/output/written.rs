//! A file that appears whole, or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file that is being written. Until [`finish`](Self::finish) an earlier file of its name stands
/// as it is. A new file is for its owner only, for it has what people said.
#[derive(Debug)]
pub(crate) struct Written {
    place: BufWriter<Place>,
}

#[derive(Debug)]
enum Place {
    /// A file beside the one that it becomes.
    Beside(NamedTempFile, PathBuf),
    /// A pipe, a device, or a file in a folder that takes no new ones.
    Itself(File),
}

impl Written {
    /// Begins a file.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub(crate) fn begin(path: &Path) -> io::Result<Self> {
        // A link goes on pointing to its file.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let earlier = fs::metadata(&path).ok();
        if let Some(earlier) = &earlier {
            // The same error as for a file that is opened, before the work.
            let file = File::options().write(true).open(&path)?;
            if !earlier.is_file() {
                return Ok(Self::at(Place::Itself(file)));
            }
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let beside = match NamedTempFile::new_in(folder.unwrap_or(Path::new("."))) {
            Ok(beside) => beside,
            Err(_) if earlier.is_some() => return Ok(Self::at(Place::Itself(File::create(&path)?))),
            Err(error) => return Err(error),
        };
        if let Some(earlier) = earlier {
            beside.as_file().set_permissions(earlier.permissions())?;
        }
        Ok(Self::at(Place::Beside(beside, path)))
    }

    fn at(place: Place) -> Self {
        Self { place: BufWriter::new(place) }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// Fails if the rest cannot be written, or the name cannot be given.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self.place.into_inner().map_err(io::IntoInnerError::into_error)? {
            Place::Beside(file, path) => file.persist(path).map(drop).map_err(|error| error.error),
            Place::Itself(mut file) => file.flush(),
        }
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.place.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.place.flush()
    }
}

impl Write for Place {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Beside(file, _) => file.write(bytes),
            Self::Itself(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Beside(file, _) => file.flush(),
            Self::Itself(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_file_stands_until_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "earlier").unwrap();
        for finishes in [false, true] {
            let mut file = Written::begin(&path).unwrap();
            file.write_all(b"later").unwrap();
            file.flush().unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"earlier");
            if finishes {
                file.finish().unwrap();
            }
        }
        assert_eq!(fs::read(&path).unwrap(), b"later");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_written_fails_at_once() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().to_owned(), folder.path().join("none").join("a")] {
            Written::begin(&path).unwrap_err();
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_modes_and_devices_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let [file, link, new] = ["a", "b", "c"].map(|name| folder.path().join(name));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        fs::write(&file, "earlier").unwrap();
        fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        for path in [&link, &new, Path::new("/dev/null")] {
            let mut written = Written::begin(path).unwrap();
            written.write_all(b"later").unwrap();
            written.finish().unwrap();
        }
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"later");
        assert_eq!((mode(&file), mode(&new)), (0o640, 0o600));
        assert!(!Path::new("/dev/null").is_file());
    }
}
