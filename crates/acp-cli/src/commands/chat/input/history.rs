//! The lines that were typed in chats, in a file of the user.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The most bytes of a line that is kept.
const LONGEST: usize = 256 * 1024;

/// The file of typed lines. Line breaks within one of them are escaped.
pub(crate) struct History {
    file: PathBuf,
    last: Option<String>,
}

/// The size of the file. A file of twice this size is cut, from its beginning.
#[derive(Clone, Copy)]
struct Limits {
    lines: usize,
    bytes: u64,
}

impl Limits {
    const USUAL: Self = Self { lines: 1000, bytes: 2 * 1024 * 1024 };
}

impl History {
    /// Reads the file, if there is one. Returns it with its newest lines, the oldest of them first.
    pub(crate) fn open(file: PathBuf) -> io::Result<(Self, Vec<String>)> {
        Self::within(file, Limits::USUAL)
    }

    fn within(file: PathBuf, limits: Limits) -> io::Result<(Self, Vec<String>)> {
        let mut newest = Newest::read(&file, limits)?;
        if newest.is_cut {
            // Other chats may have added lines, or cut it, since it was read.
            let _lock = lock(&file)?;
            newest = Newest::read(&file, limits)?;
            if newest.is_cut {
                replace(&file, &newest.lines)?;
            }
        }
        let lines: Vec<String> = newest.lines.iter().map(|line| unescape(line)).collect();
        Ok((Self { file, last: lines.last().cloned() }, lines))
    }

    /// Keeps a line, unless it begins with a space, is the same as the one before, or is very long.
    pub(crate) fn keep(&mut self, line: &str) -> io::Result<()> {
        let is_secret = line.starts_with(char::is_whitespace);
        if line.is_empty() || is_secret || line.len() > LONGEST || self.last.as_deref() == Some(line) {
            return Ok(());
        }
        self.last = Some(line.to_owned());
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        // A chat that cuts the file would lose a line that comes meanwhile.
        let _lock = lock(&self.file)?;
        append(&self.file)?.write_all(format!("{}\n", escape(line)).as_bytes())
    }

    /// Returns the place of the file.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }
}

/// The newest lines of the file, as they stand there.
#[derive(Default)]
struct Newest {
    lines: Vec<String>,
    /// True if the file is too long.
    is_cut: bool,
}

impl Newest {
    /// Reads the end of the file. A missing one is empty.
    fn read(path: &Path, limits: Limits) -> io::Result<Self> {
        let mut file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            opened => opened?,
        };
        let most = limits.bytes * 2;
        let skipped = file.metadata()?.len().saturating_sub(most);
        io::Seek::seek(&mut file, io::SeekFrom::Start(skipped))?;
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let text = match skipped {
            0 => &*text,
            // The first line is not whole.
            _ => text.split_once('\n').map_or("", |(_, whole)| whole),
        };
        let mut lines: Vec<String> =
            text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
        let is_cut = skipped > 0 || lines.len() > limits.lines * 2;
        let mut room = if is_cut { limits.bytes } else { most };
        let fits = |line: &&String| {
            let left = room.checked_sub(line.len() as u64 + 1);
            room = left.unwrap_or(0);
            left.is_some()
        };
        let kept = lines.iter().rev().take(limits.lines).take_while(fits).count();
        lines.drain(..lines.len() - kept);
        Ok(Self { lines, is_cut })
    }
}

/// Waits until no other chat writes the file. Reading needs no lock.
fn lock(path: &Path) -> io::Result<File> {
    let file = private(File::options().write(true).create(true)).open(path.with_extension("lock"))?;
    #[cfg(unix)]
    while let Err(error) = rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive) {
        if error != rustix::io::Errno::INTR {
            return Err(error.into());
        }
    }
    Ok(file)
}

/// Lets only the user read a file that is made.
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Opens the file for another line. Nobody but the user may read it.
fn append(path: &Path) -> io::Result<File> {
    let file = private(File::options().append(true).create(true)).open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mut permissions = file.metadata()?.permissions();
        if permissions.mode() & 0o077 != 0 {
            permissions.set_mode(0o600);
            file.set_permissions(permissions)?;
        }
    }
    Ok(file)
}

/// Replaces the file in one step. A temporary file is its owner's alone.
fn replace(path: &Path, lines: &[String]) -> io::Result<()> {
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
        assert_eq!((lines.len(), lines.first().unwrap().as_str()), (1000, "line 2000"));
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 1000);
        fs::write(&file, [b"\xff\xfe\n".as_slice(), b"good\n"].concat()).unwrap();
        assert_eq!(History::open(file).unwrap().1.last().unwrap(), "good");
    }

    #[test]
    fn a_file_of_few_long_lines_is_cut_too() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("history");
        let line = |number: usize| format!("{number} {}", "x".repeat(100_000));
        let text: String = (0..100).map(|number| line(number) + "\n").collect();
        fs::write(&file, text).unwrap();
        let (mut history, lines) = History::open(file.clone()).unwrap();
        assert_eq!((lines.len(), lines.first().unwrap(), lines.last().unwrap()), (20, &line(80), &line(99)));
        let cut = fs::read_to_string(&file).unwrap();
        assert!(cut.lines().eq(&lines), "it has {} bytes", cut.len());
        // It has room for more.
        history.keep("another").unwrap();
        assert_eq!(History::open(file.clone()).unwrap().1.len(), 21);
        assert_eq!(fs::read_to_string(&file).unwrap(), format!("{cut}another\n"));
        // A line without an end is nothing.
        fs::write(&file, "x".repeat(5 * 1024 * 1024)).unwrap();
        assert!(History::open(file.clone()).unwrap().1.is_empty());
        assert_eq!(fs::read_to_string(&file).unwrap(), "");
    }

    #[test]
    fn a_very_long_line_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (mut history, _) = History::open(folder.path().join("history")).unwrap();
        history.keep(&"x".repeat(LONGEST)).unwrap();
        history.keep(&"y".repeat(LONGEST + 1)).unwrap();
        assert_eq!(History::open(history.file).unwrap().1, ["x".repeat(LONGEST)]);
    }

    #[cfg(unix)]
    #[test]
    fn a_line_that_comes_while_another_chat_cuts_the_file_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("history");
        let few = Limits { lines: 1, bytes: 1000 };
        let (mut history, _) = History::within(file.clone(), few).unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            let cuts = scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    History::within(file.clone(), few).unwrap();
                }
            });
            let is_lost = (0..2000).find(|number| {
                history.keep(&number.to_string()).unwrap();
                fs::read_to_string(&file).unwrap().lines().last() != Some(&number.to_string())
            });
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            cuts.join().unwrap();
            assert_eq!(is_lost, None);
        });
    }
}
