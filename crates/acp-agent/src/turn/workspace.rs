//! The files of a session, wherever they can be reached.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use acp_fs::{Files, Lines, Listing, Roots};
use acp_rpc::CallError;
use acp_types::v1::{ErrorCode, ReadTextFileRequest, WriteTextFileRequest};
use tokio::sync::SemaphorePermit;

use crate::error::file_error::{FileAct, FileError, FileProblem};
use crate::error::{Error, Result};
use crate::turn::Turn;
use crate::updates::paths;
use crate::wire::ask::{Answer, Ask};

/// The most entries of a directory that are listed.
const MOST_ENTRIES: usize = 10_000;

/// The limits of the local disk, for all sessions of this process together.
static FILES: LazyLock<Files> = LazyLock::new(|| Files::new().create_directories());

impl Turn {
    /// Returns the files of the session: those of the client where it offers them, otherwise those
    /// on the local disk below the session's directories.
    #[must_use]
    pub fn workspace(&self) -> Workspace {
        Workspace { turn: self.clone() }
    }
}

/// The files of a session, with clients of every kind.
///
/// Reading and writing are separate capabilities. A client that offers `fs.readTextFile` is asked
/// for each text, because its editors may hold changes that are not saved yet. A client that offers
/// `fs.writeTextFile` gets each text to write. For a capability that the client does not offer, the
/// local disk is used.
///
/// * A relative path is joined with the session's working directory.
/// * **The client** decides which files it serves. It gets only paths that are Unicode.
/// * **The local disk** is used below the session's working directory and its additional
///   directories. Neither `..` nor a symbolic link leads out of them. They are opened at the first
///   use in a session, and stay the same directories even if their paths change. One that is not
///   there yet is tried again at the next use. Only regular files are read and written. A file is
///   replaced in one step and keeps its owner, its rights and its ACL, as with the client's
///   `LocalFs`. Missing directories on the way to a new file are made.
/// * One text has at most 16 MiB, either way. Larger files can be read in parts. Text is UTF-8;
///   `\r\n` and a byte order mark are text like any other.
///
/// When the turn is cancelled, a call ends with [`Error::Cancelled`]. A write on the local disk
/// that has begun is finished first, and the call returns its result. A write that still waits for
/// others is given up. A client that is writing gets `$/cancel_request`, and the file may be
/// written or not.
///
/// ```
/// # use acp_agent::{Result, Turn};
/// # async fn count(turn: Turn) -> Result<()> {
/// let files = turn.workspace();
/// let notes = files.read_text("notes.txt").await?;
/// files.write_text("copies/notes.txt", notes).await
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Workspace {
    turn: Turn,
}

impl Workspace {
    /// Returns true if the client serves reading, and false if the local disk is read.
    #[must_use]
    pub fn reads_by_client(&self) -> bool {
        self.turn.client().capabilities().fs.read_text_file
    }

    /// Returns true if the client serves writing, and false if the local disk is written.
    #[must_use]
    pub fn writes_by_client(&self) -> bool {
        self.turn.client().capabilities().fs.write_text_file
    }

    /// Returns the session's working directory.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        Path::new(self.turn.session_updates().cwd())
    }

    /// Joins a relative path with the session's working directory. A path that is absolute on any
    /// system, such as `/a.txt` or `C:\a.txt`, stays as it is.
    #[must_use]
    pub fn absolute(&self, path: impl AsRef<Path>) -> PathBuf {
        paths::absolute(path.as_ref(), self.turn.session_updates().cwd())
    }

    /// Reads a text file.
    ///
    /// # Errors
    /// [`Error::File`], which [says](FileError::is_missing) if the file does not exist.
    /// [`Error::Cancelled`] and [`Error::TurnOver`] with the turn.
    pub fn read_text<P: AsRef<Path>>(&self, path: P) -> impl Future<Output = Result<String>> + Send + use<P> {
        self.read(path.as_ref(), None)
    }

    /// Reads `count` lines of a text file, beginning with line `first`, which counts from 1. Lines
    /// keep their ends. Past the end of the file there are none.
    ///
    /// # Errors
    /// The errors of [`read_text`](Self::read_text).
    pub fn read_lines<P: AsRef<Path>>(
        &self,
        path: P,
        first: u32,
        count: u32,
    ) -> impl Future<Output = Result<String>> + Send + use<P> {
        self.read(path.as_ref(), Some((first, count)))
    }

    /// Writes a text file, and creates it if it does not exist.
    ///
    /// # Errors
    /// [`Error::File`]. [`Error::Cancelled`] and [`Error::TurnOver`] with the turn: then nothing
    /// was written on the local disk.
    pub fn write_text<P: AsRef<Path>, C: Into<String>>(
        &self,
        path: P,
        content: C,
    ) -> impl Future<Output = Result<()>> + Send + use<P, C> {
        let (work, content) = (self.work(FileAct::Write, path.as_ref()), content.into());
        async move {
            FILES.check_write(&work.path, &content).map_err(|error| work.disk(error))?;
            if !work.of.writes_by_client() {
                return work.write_locally(content).await;
            }
            let request = WriteTextFileRequest::new(work.turn().session_id(), work.unicode()?, content);
            work.ask_client(&request).await.map(drop)
        }
    }

    /// Returns true if a file or a directory exists.
    ///
    /// A client that serves reading is asked for the first line, so that a file counts that is not
    /// saved yet. If the client fails for a reason other than a missing file, as it does for
    /// directories, the local disk shows if the file exists. If it is not there, an error that
    /// cannot mean "missing", such as a timeout, is returned: there may be unsaved text.
    ///
    /// # Errors
    /// [`Error::File`] if neither the client nor the disk knows. [`Error::Cancelled`] and
    /// [`Error::TurnOver`] with the turn.
    pub fn exists<P: AsRef<Path>>(&self, path: P) -> impl Future<Output = Result<bool>> + Send + use<P> {
        let work = self.work(FileAct::Look, path.as_ref());
        async move {
            if !work.of.reads_by_client() {
                return work.is_on_disk().await;
            }
            match work.read(Some((1, 1))).await {
                Ok(_) => Ok(true),
                Err(error) => work.is_there(&error).await.ok_or(error),
            }
        }
    }

    /// Lists a directory on the local disk, in the order of names: at most 10,000 entries. Clients
    /// have no method for that.
    ///
    /// # Errors
    /// [`Error::File`], also if the session's directories are not on this machine.
    /// [`Error::Cancelled`] and [`Error::TurnOver`] with the turn.
    pub fn list<P: AsRef<Path>>(&self, path: P) -> impl Future<Output = Result<Listing>> + Send + use<P> {
        let work = self.work(FileAct::List, path.as_ref());
        async move {
            work.turn().check_open()?;
            let listing = async {
                let roots = work.roots().await;
                FILES.list(&roots, &work.path, MOST_ENTRIES).await.map_err(|error| work.disk(error))
            };
            work.turn().heeding(listing).await
        }
    }

    pub(crate) const fn turn(&self) -> &Turn {
        &self.turn
    }

    /// Waits for the permit to compare a file with its old text and then write it. The session has
    /// one, so that none of its edits is lost to another.
    pub(crate) async fn writing(&self) -> Result<SemaphorePermit<'_>> {
        let permit = self.turn.session_updates().directories().writing().acquire();
        // Nobody closes the semaphore.
        self.turn.heeding(async { permit.await.map_err(Error::other) }).await
    }

    /// Reads a file that may be missing. A read that fails is an error unless somebody knows that
    /// the file is missing: a file that cannot be read must not be taken for a new one.
    pub(crate) async fn read_if_there(&self, path: &Path) -> Result<Option<String>> {
        let work = self.work(FileAct::Read, path);
        match work.read(None).await {
            Ok(text) => Ok(Some(text)),
            Err(error) if work.is_there(&error).await == Some(false) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read(
        &self,
        path: &Path,
        lines: Option<(u32, u32)>,
    ) -> impl Future<Output = Result<String>> + Send + use<> {
        let work = self.work(FileAct::Read, path);
        async move { work.read(lines).await }
    }

    fn work(&self, act: FileAct, path: &Path) -> Work {
        Work { of: self.clone(), act, path: self.absolute(path) }
    }
}

/// Work with one file.
struct Work {
    of: Workspace,
    act: FileAct,
    path: PathBuf,
}

impl Work {
    const fn turn(&self) -> &Turn {
        &self.of.turn
    }

    async fn roots(&self) -> Roots {
        self.turn().session_updates().directories().roots().await
    }

    async fn read(&self, lines: Option<(u32, u32)>) -> Result<String> {
        if !self.of.reads_by_client() {
            return self.read_locally(lines).await;
        }
        let mut request = ReadTextFileRequest::new(self.turn().session_id(), self.unicode()?);
        (request.line, request.limit) = lines.unzip();
        let text = self.ask_client(&request).await?.content;
        if text.len() > FILES.limit() {
            return Err(self.disk(acp_fs::Error::TooLarge { max_bytes: FILES.limit() }));
        }
        Ok(text)
    }

    async fn read_locally(&self, lines: Option<(u32, u32)>) -> Result<String> {
        self.turn().check_open()?;
        let lines = lines.map_or(Lines::ALL, |(first, count)| Lines::new(first, count));
        let reading = async {
            let roots = self.roots().await;
            FILES.read_text(&roots, &self.path, lines).await.map_err(|error| self.disk(error))
        };
        self.turn().heeding(reading).await
    }

    /// Writes on the local disk. A write that has begun goes on to its end, so that its result is
    /// known.
    async fn write_locally(&self, text: String) -> Result<()> {
        self.turn().check_open()?;
        let roots = self.turn().heeding(async { Ok(self.roots().await) }).await?;
        // The handler notices the end here, and so gets the time for a write that has begun.
        let written = FILES.write_text_unless(&roots, &self.path, text, self.turn().closed()).await?;
        written.map_err(|error| self.disk(error))
    }

    async fn is_on_disk(&self) -> Result<bool> {
        self.turn().check_open()?;
        let looking = async {
            let roots = self.roots().await;
            FILES.kind(&roots, &self.path).await.map_err(|error| self.disk(error))
        };
        Ok(self.turn().heeding(looking).await?.is_some())
    }

    /// Returns true if there is a file that was not read, and false if it is missing. `None` means
    /// that nobody knows. Clients answer for a missing file with codes of their choice, so the disk
    /// decides about the other ones. But the text of a file that is not on the disk may be in an
    /// editor, so an error that cannot mean "missing" leaves that open.
    async fn is_there(&self, error: &Error) -> Option<bool> {
        let Error::File(file) = error else { return None };
        match &file.problem {
            _ if file.is_missing() => Some(false),
            FileProblem::Client { error, .. } => {
                let is_there = self.is_on_disk().await.ok()?;
                (is_there || can_mean_missing(error)).then_some(is_there)
            }
            _ => None,
        }
    }

    async fn ask_client<Q: Ask>(&self, request: &Q) -> Result<Answer<Q>> {
        self.turn().ask_client(request).await.map_err(|error| match error {
            Error::Call { method, error } => self.failed(FileProblem::Client { method, error }),
            error => error,
        })
    }

    fn unicode(&self) -> Result<&str> {
        self.path.to_str().ok_or_else(|| self.failed(FileProblem::NotUnicode))
    }

    fn disk(&self, error: acp_fs::Error) -> Error {
        let is_lacking = || self.turn().session_updates().directories().lack(&self.path);
        self.failed(match error {
            // A path of another system is not absolute on this one.
            acp_fs::Error::Outside | acp_fs::Error::Relative if is_lacking() => FileProblem::NoDirectory,
            error => FileProblem::Disk(error),
        })
    }

    fn failed(&self, problem: FileProblem) -> Error {
        let (path, session) = (self.path.clone(), self.turn().session_id().clone());
        Error::File(Box::new(FileError { act: self.act, path, session, problem }))
    }
}

/// Returns true for the answer of a client that may be about a file that does not exist. The codes
/// of JSON-RPC are about the request, apart from the one for any other failure.
fn can_mean_missing(error: &CallError) -> bool {
    const ABOUT_THE_REQUEST: [ErrorCode; 5] = [
        ErrorCode::PARSE_ERROR,
        ErrorCode::INVALID_REQUEST,
        ErrorCode::METHOD_NOT_FOUND,
        ErrorCode::INVALID_PARAMS,
        ErrorCode::REQUEST_CANCELLED,
    ];
    error.remote().is_some_and(|remote| !ABOUT_THE_REQUEST.contains(&ErrorCode(remote.code)))
}
