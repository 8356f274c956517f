//! Reading and writing of files below roots, within limits.

use std::convert::Infallible;
use std::future::{pending, poll_fn};
use std::io;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::sync::Semaphore;

use crate::error::Error;
use crate::interest::{Interest, Stage};
use crate::lines::{Lines, Window};
use crate::list::{EntryKind, Listing};
use crate::replace::{self, Text};
use crate::roots::Roots;

/// The number of files that are read or written at a time. Each takes a thread, and memory for its
/// text.
const AT_ONCE: usize = 16;

/// Reads and writes text files below [`Roots`], within limits. Clones share the limits.
///
/// The work is done on threads of the runtime that may block, for at most 16 files at a time; more
/// wait. Dropping a future gives up work that has not begun. A file that is being written is then
/// written to its end, in one step as always.
#[derive(Clone, Debug)]
pub struct Files {
    max_bytes: usize,
    makes_directories: bool,
    permits: Arc<Semaphore>,
}

impl Default for Files {
    fn default() -> Self {
        Self::new()
    }
}

impl Files {
    /// Sets the limit of 16 MiB for one text. Directories are not made.
    #[must_use]
    pub fn new() -> Self {
        Self {
            max_bytes: 16 * 1024 * 1024,
            makes_directories: false,
            permits: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Limits the bytes of one text that is read or written. A larger file can be read in parts.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Makes missing directories on the way to a file that is written. By default they are an
    /// error.
    #[must_use]
    pub fn create_directories(mut self) -> Self {
        self.makes_directories = true;
        self
    }

    /// Returns the limit of one text in bytes.
    #[must_use]
    pub const fn limit(&self) -> usize {
        self.max_bytes
    }

    /// Reads lines of a text file.
    ///
    /// # Errors
    /// [`Error`]: the file is missing, lies outside of the roots, is not a regular file or not
    /// text, or the lines have more bytes than the limit.
    pub async fn read_text(&self, roots: &Roots, path: &Path, lines: Lines) -> Result<String, Error> {
        let (roots, path, max_bytes) = (roots.clone(), path.to_owned(), self.max_bytes);
        self.on_disk(move |stage| {
            let is_abandoned = || stage.is_abandoned();
            Window { lines, max_bytes, is_abandoned }.read(&roots, &path)
        })
        .await
    }

    /// Takes lines out of a text as [`read_text`](Self::read_text) takes them out of a file.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub fn lines_of(&self, text: &str, lines: Lines) -> Result<String, Error> {
        Window { lines, max_bytes: self.max_bytes, is_abandoned: || false }.of(text.as_bytes())
    }

    /// Checks the path and the length of a text, as [`write_text`](Self::write_text) does before it
    /// looks at the disk.
    ///
    /// # Errors
    /// [`Error::NoFileName`] and [`Error::TooLarge`].
    pub fn check_write(&self, path: &Path, text: &str) -> Result<(), Error> {
        if text.len() > self.max_bytes {
            return Err(Error::TooLarge { max_bytes: self.max_bytes });
        }
        if replace::is_directory_path(path) { Err(Error::NoFileName) } else { Ok(()) }
    }

    /// Creates a text file, or replaces it in one step: a reader sees the old text or the new one.
    /// A link to the file stays a link. A failed write leaves no part of the text, and no directory
    /// that it has made.
    ///
    /// On unix a replaced file keeps its owner, group and mode, its ACL and its extended
    /// attributes. It loses setuid, setgid and file capabilities. If this program may not give
    /// these attributes to a new file, or may not make one beside it, it writes into the file
    /// itself. An example is a file of another user. Then the file keeps all its attributes, but a
    /// reader may see a part of the text, and a crash may leave one. A file that also has hard
    /// links is refused there. On macOS ACLs are not kept. On Windows a replaced file has the
    /// rights that its directory gives.
    ///
    /// # Errors
    /// [`Error`]: the path cannot be written to, or the text is longer than the limit.
    pub async fn write_text(&self, roots: &Roots, path: &Path, text: impl Into<String>) -> Result<(), Error> {
        match self.write_text_unless(roots, path, text, pending::<Infallible>()).await {
            Ok(written) => written,
            Err(never) => match never {},
        }
    }

    /// Writes a text file as [`write_text`](Self::write_text) does, unless `cancelled` ends before
    /// the write has begun. A write that has begun is awaited, and its result returned.
    ///
    /// # Errors
    /// The output of `cancelled`: the write has not begun, and is not done later.
    pub async fn write_text_unless<C>(
        &self,
        roots: &Roots,
        path: &Path,
        text: impl Into<String>,
        cancelled: impl Future<Output = C>,
    ) -> Result<Result<(), Error>, C> {
        let text = text.into();
        if let Err(error) = self.check_write(path, &text) {
            return Ok(Err(error));
        }
        let (roots, path, makes_directories) = (roots.clone(), path.to_owned(), self.makes_directories);
        let write = move |_: &Stage| replace::write(&roots, &path, Text { text: &text, makes_directories });
        self.on_disk_unless(write, cancelled).await
    }

    /// Returns the kind of a file, after following links. `None` if it does not exist.
    ///
    /// # Errors
    /// [`Error`]: the path is outside of the roots or cannot be followed.
    pub async fn kind(&self, roots: &Roots, path: &Path) -> Result<Option<EntryKind>, Error> {
        let (roots, path) = (roots.clone(), path.to_owned());
        let found = self.on_disk(move |_| EntryKind::find(&roots, &path)).await;
        match found {
            Ok(kind) => Ok(Some(kind)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Lists a directory in the order of names, with at most `most` entries.
    ///
    /// # Errors
    /// [`Error`]: the directory is missing or outside of the roots, or is not a directory.
    pub async fn list(&self, roots: &Roots, path: &Path, most: usize) -> Result<Listing, Error> {
        let (roots, path) = (roots.clone(), path.to_owned());
        self.on_disk(move |stage| Listing::read(&roots, &path, most, stage)).await
    }

    /// Returns the real path of a file, which need not exist.
    ///
    /// # Errors
    /// [`Error`]: the path is outside of the roots or cannot be followed.
    pub async fn real_path(&self, roots: &Roots, path: &Path) -> Result<PathBuf, Error> {
        let (roots, path) = (roots.clone(), path.to_owned());
        self.on_disk(move |_| roots.inside(&path, |root, relative| root.real(relative))).await
    }

    /// Runs work on the disk on a thread where it delays nobody else. The work can see when nobody
    /// awaits its result.
    async fn on_disk<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Stage) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.work(&Interest::default(), act).await
    }

    /// Runs work on the disk, unless `cancelled` ends before it has begun.
    async fn on_disk_unless<T: Send + 'static, C>(
        &self,
        act: impl FnOnce(&Stage) -> Result<T, Error> + Send + 'static,
        cancelled: impl Future<Output = C>,
    ) -> Result<Result<T, Error>, C> {
        let interest = Interest::default();
        let (mut working, mut cancelled) = (pin!(self.work(&interest, act)), pin!(cancelled));
        let first = poll_fn(|cx| match cancelled.as_mut().poll(cx) {
            Poll::Ready(cancelled) => Poll::Ready(Err(cancelled)),
            Poll::Pending => working.as_mut().poll(cx).map(Ok),
        });
        match first.await {
            Err(cancelled) if interest.stage().give_up() => Err(cancelled),
            Err(_) => Ok(working.await),
            Ok(done) => Ok(done),
        }
    }

    async fn work<T: Send + 'static>(
        &self,
        interest: &Interest,
        act: impl FnOnce(&Stage) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let stage = interest.share();
        // Nobody closes the semaphore.
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
        let done = tokio::task::spawn_blocking(move || {
            // It may have waited for a thread.
            let done = if stage.begin() { act(&stage) } else { Err(interrupted()) };
            drop(permit);
            done
        });
        done.await.unwrap_or_else(|_| Err(Error::Io(io::Error::other("it was interrupted"))))
    }
}

/// Returns the error of work that nobody waits for.
fn interrupted() -> Error {
    Error::Io(io::ErrorKind::Interrupted.into())
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::sync::mpsc;

    use super::{Arc, Files, Semaphore, Stage};

    /// Work that is held in its middle is awaited by a caller who is cancelled there.
    #[tokio::test]
    async fn work_that_has_begun_is_finished() {
        let files = Files::new();
        let (began, has_begun) = tokio::sync::oneshot::channel();
        let (go_on, held) = mpsc::channel::<()>();
        let act = move |_: &Stage| {
            let _ = began.send(());
            let _ = held.recv();
            Ok("done")
        };
        let cancelled = async {
            let _ = has_begun.await;
            let _ = go_on.send(());
            "cancelled"
        };
        assert!(matches!(files.on_disk_unless(act, cancelled).await, Ok(Ok("done"))));
    }

    /// Neither a thread nor a permit is there, so the work is not done, and is not done later.
    #[test]
    fn work_that_has_not_begun_is_given_up() {
        let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build();
        let runtime = runtime.unwrap_or_else(|error| panic!("{error}"));
        runtime.block_on(async {
            let files = Files::new();
            let (go_on, held) = mpsc::channel::<()>();
            let busy = tokio::task::spawn_blocking(move || held.recv());
            let (did, done) = mpsc::channel::<&str>();
            let act = |name| {
                let did = did.clone();
                move |_: &Stage| did.send(name).map_err(|error| std::io::Error::other(error).into())
            };
            // Cancelled before the first poll, and behind a thread that is busy.
            assert_eq!(files.on_disk_unless(act("at once"), ready(1)).await.err(), Some(1));
            let waited = files.on_disk_unless(act("for a thread"), tokio::task::yield_now());
            assert!(waited.await.is_err());
            let full = Files { permits: Arc::new(Semaphore::new(0)), ..Files::new() };
            let waited = full.on_disk_unless(act("for a permit"), tokio::task::yield_now());
            assert!(waited.await.is_err());
            full.permits.add_permits(1);
            drop(go_on);
            let _ = busy.await;
            let last = files.on_disk_unless(act("last"), std::future::pending::<()>()).await;
            assert!(matches!(last, Ok(Ok(()))));
            assert_eq!(done.try_iter().collect::<Vec<_>>(), ["last"]);
        });
    }
}
