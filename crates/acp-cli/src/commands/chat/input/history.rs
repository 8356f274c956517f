//! The lines that were typed in chats, in a file of the user.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The number of lines that are remembered.
const LINES: usize = 1000;
/// The most bytes that are read of the file. A longer file is cut, from its beginning.
const BYTES: u64 = 4 * 1024 * 1024;

/// The file of typed lines. Line breaks within one of them are escaped.
pub(crate) struct History {
    file: PathBuf,
    last: Option<String>,
}

impl History {
    /// Reads the file, if there is one. Returns it with its newest lines, the oldest of them first.
    pub(crate) fn open(file: PathBuf) -> io::Result<(Self, Vec<String>)> {
        let text = match File::open(&file) {
            Ok(opened) => newest(opened)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let kept: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        let newest = kept.get(kept.len().saturating_sub(LINES)..).unwrap_or_default();
        if kept.len() > LINES * 2 {
            replace(&file, newest)?;
        }
        let lines: Vec<String> = newest.iter().map(|line| unescape(line)).collect();
        Ok((Self { file, last: lines.last().cloned() }, lines))
    }

    /// Keeps a line, unless it begins with a space or is the same as the one before.
    pub(crate) fn keep(&mut self, line: &str) -> io::Result<()> {
        let is_secret = line.starts_with(char::is_whitespace);
        if line.is_empty() || is_secret || self.last.as_deref() == Some(line) {
            return Ok(());
        }
        self.last = Some(line.to_owned());
        let mut file = append(&self.file)?;
        // One write for each line, so that chats at the same time do not mix theirs.
        file.write_all(format!("{}\n", escape(line)).as_bytes())
    }

    /// Returns the place of the file.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }
}

/// Reads the end of a file, from the beginning of a line on.
fn newest(mut file: File) -> io::Result<String> {
    let skipped = file.metadata()?.len().saturating_sub(BYTES);
    io::Seek::seek(&mut file, io::SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    file.take(BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let whole = text.split_once('\n').filter(|_| skipped > 0);
    Ok(whole.map_or(text.clone(), |(_, rest)| rest.to_owned()))
}

/// Opens the file for another line. Nobody but the user may read it.
fn append(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = File::options();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let file = options.mode(0o600).open(path)?;
        let mut permissions = file.metadata()?.permissions();
        if permissions.mode() & 0o077 != 0 {
            permissions.set_mode(0o600);
            file.set_permissions(permissions)?;
        }
        Ok(file)
    }
    #[cfg(not(unix))]
    options.open(path)
}

/// Replaces the file in one step. A temporary file is its owner's alone.
fn replace(path: &Path, lines: &[&str]) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    lines.iter().try_for_each(|line| writeln!(file, "{line}"))?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn escape(line: &str) -> String {
    line.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescape(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match (char, char == '\\') {
            (_, true) => match chars.next() {
                Some('n') => text.push('\n'),
                Some('r') => text.push('\r'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            (char, false) => text.push(char),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn lines_come_back_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/er/history");
        let lines = ["one", "two\nlines", r"C:\new", "ends with \\", "ü🙂"];
        let (mut history, before) = History::open(file.clone()).unwrap();
        assert!(before.is_empty());
        for line in lines {
            history.keep(line).unwrap();
            history.keep(line).unwrap();
        }
        for line in ["", " a secret", "\tanother"] {
            history.keep(line).unwrap();
        }
        let (_, read) = History::open(file).unwrap();
        assert_eq!(read, lines);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_them() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("history");
        fs::write(&file, "old\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let (mut history, _) = History::open(file.clone()).unwrap();
        history.keep("new").unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_long_file_is_cut_from_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("history");
        let text: String = (0..3000).map(|number| format!("line {number}\n")).collect();
        fs::write(&file, text).unwrap();
        let (_, lines) = History::open(file.clone()).unwrap();
        assert_eq!((lines.len(), lines.first().unwrap().as_str()), (LINES, "line 2000"));
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), LINES);
        fs::write(&file, [b"\xff\xfe\n".as_slice(), b"good\n"].concat()).unwrap();
        assert_eq!(History::open(file).unwrap().1.last().unwrap(), "good");
    }
}
