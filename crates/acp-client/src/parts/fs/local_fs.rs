//! Files of this machine, as a client serves them.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acp_rpc::Reply;
use acp_types::method::Method;
use acp_types::v1::methods::{FsReadTextFile, FsWriteTextFile};
use acp_types::v1::{
    ReadTextFileRequest, ReadTextFileResponse, SessionId, WriteTextFileRequest, WriteTextFileResponse,
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::file_answer::Asked;
use super::overlay::{AnyOverlay, HostFile, Overlay};
use crate::disk::file_error::FileError;
use crate::disk::lines::{self, Window};
use crate::disk::replace::{self, Text};
use crate::disk::tree::{Tree, inside};
use crate::parts::refusal::invalid;
use crate::{Client, Context, Handlers, RpcError};

/// Serves `fs/read_text_file` and `fs/write_text_file` from the disk, below one or more root
/// directories.
///
/// Paths are absolute and must lie below a root, under its own name or its real one. They are
/// opened relative to the root's descriptor. So neither `..` nor a symbolic link leads out of it,
/// even if links change meanwhile, and the root stays the same directory even if its path changes.
/// Only regular files are served. A hard link below a root counts as a file below it. It is read,
/// but never written, because other names of the file may lie anywhere.
///
/// Text is UTF-8. A byte order mark is text like any other.
///
/// A failure is answered with a JSON-RPC error that names the member, the file and the session, in
/// its message and its `data` (`field`, `path`, `sessionId`). The code is -32002 with `data.uri`
/// for a file [that does not
/// exist](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-fs-06), -32602 for a path or
/// a file that cannot be served, and -32603 for an error of the disk.
///
/// ```no_run
/// # fn main() -> std::io::Result<()> {
/// use acp_client::LocalFs;
///
/// // To each session what it works in: its directory, and the additional ones.
/// let files = LocalFs::session_roots().max_bytes(1024 * 1024);
/// // Or to all of them the same, to look at.
/// let files = LocalFs::rooted("/home/me/project")?.read_only();
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct LocalFs {
    trees: Vec<Arc<Tree>>,
    of_session: bool,
    max_bytes: usize,
    writable: bool,
    makes_directories: bool,
    missing_is_empty: bool,
    overlay: Option<Arc<dyn AnyOverlay>>,
    /// The permits for work on the disk.
    disk: Arc<Semaphore>,
}

/// The number of files that are read or written at a time. An agent may ask for any number at once,
/// and each takes a thread and memory for its text.
const AT_ONCE: usize = 16;

impl LocalFs {
    /// Serves the files below `dir` to every session, to read and to write. One request carries at
    /// most 16 MiB of text.
    ///
    /// # Errors
    /// `dir` is not a directory that can be opened.
    pub fn rooted(dir: impl AsRef<Path>) -> io::Result<Self> {
        Self { of_session: false, ..Self::session_roots() }.with_root(dir)
    }

    /// Serves to each session the files below its `cwd` and [its additional
    /// directories](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-fs-08), like
    /// [`rooted`](Self::rooted).
    ///
    /// The directories are opened before the agent learns of the session. A directory that cannot
    /// be opened is not served.
    #[must_use]
    pub fn session_roots() -> Self {
        Self {
            trees: Vec::new(),
            of_session: true,
            max_bytes: 16 * 1024 * 1024,
            writable: true,
            makes_directories: false,
            missing_is_empty: false,
            overlay: None,
            disk: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Serves the files below `dir` too, to every session.
    ///
    /// # Errors
    /// `dir` is not a directory that can be opened.
    pub fn with_root(mut self, dir: impl AsRef<Path>) -> io::Result<Self> {
        self.trees.push(Arc::new(Tree::open(dir.as_ref())?));
        Ok(self)
    }

    /// Does not offer `fs/write_text_file`.
    #[must_use]
    pub const fn read_only(mut self) -> Self {
        self.writable = false;
        self
    }

    /// Limits the bytes of text in one request. A larger file can be read in parts.
    #[must_use]
    pub const fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Makes missing directories on the way to a file that is written. By default they are an
    /// error.
    #[must_use]
    pub const fn create_directories(mut self) -> Self {
        self.makes_directories = true;
        self
    }

    /// Reads a missing file as an empty one. Some agents read every file before they create it, and
    /// stop at the error [that the protocol
    /// requires](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-fs-06).
    #[must_use]
    pub const fn missing_as_empty(mut self) -> Self {
        self.missing_is_empty = true;
        self
    }

    /// Asks `overlay` first: for the text of each file that is read, and for each write whether it
    /// takes it. Limits and roots hold as for files on the disk.
    #[must_use]
    pub fn overlay(mut self, overlay: impl Overlay) -> Self {
        self.overlay = Some(Arc::new(overlay));
        self
    }

    /// Answers one `fs/read_text_file`.
    ///
    /// `line` counts from 1, and 0 is read as 1. `limit` counts lines. Lines keep their
    /// terminators. A window past the end of the file is empty.
    ///
    /// # Errors
    /// The errors that the type describes; -32800 if the agent has withdrawn the request.
    pub async fn read_text_file(
        &self,
        request: ReadTextFileRequest,
        context: &Context,
    ) -> Result<ReadTextFileResponse, RpcError> {
        // Fires when this future is dropped, too, because then nobody waits for the disk any more.
        let withdrawn = CancellationToken::new();
        let _guard = withdrawn.clone().drop_guard();
        let ReadTextFileRequest { session_id, path, line, limit, .. } = request;
        let window = Window {
            first: line.unwrap_or(1),
            count: limit.unwrap_or(u32::MAX),
            max_bytes: self.max_bytes,
            withdrawn,
        };
        let trees = self.trees_of(&session_id, context)?;
        let read = context.unless_withdrawn(self.read(trees, &session_id, &path, window)).await?;
        match read {
            Ok(text) => Ok(ReadTextFileResponse::new(text)),
            Err(FileError::Missing) if self.missing_is_empty => Ok(ReadTextFileResponse::new("")),
            Err(error) => Err(error.answer("path", self.asked(&session_id, &path))),
        }
    }

    /// Answers one `fs/write_text_file`. The file is
    /// [created](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-fs-04) or replaced in
    /// one step, and a link to it stays a link. A failed write leaves no directories that it has
    /// made.
    ///
    /// On unix a replaced file keeps its owner, group and mode, its ACL and its extended
    /// attributes. It loses setuid, setgid and file capabilities. If this program may not give
    /// these attributes to a new file, or may not make one beside it, it writes into the file
    /// itself. An example is a file of another user. Then the file keeps all its attributes, but a
    /// reader may see a part of the text, and a crash may leave one. A file that also has hard
    /// links is refused. On macOS ACLs are not kept. On Windows a replaced file has the rights that
    /// its directory gives.
    ///
    /// # Errors
    /// The errors that the type describes; -32602 also for a text longer than
    /// [`max_bytes`](Self::max_bytes); -32800 if the agent has withdrawn the request before
    /// anything was written.
    pub async fn write_text_file(
        &self,
        request: WriteTextFileRequest,
        context: &Context,
    ) -> Result<WriteTextFileResponse, RpcError> {
        let WriteTextFileRequest { session_id, path, content, .. } = request;
        let asked = self.asked(&session_id, &path);
        if content.len() > self.max_bytes {
            return Err(FileError::TooLarge.answer("content", asked));
        }
        let trees = self.trees_of(&session_id, context)?;
        match self.write(trees, &session_id, &path, content, context).await {
            Ok(()) => Ok(WriteTextFileResponse::default()),
            Err(error) => Err(error.answer("path", asked)),
        }
    }

    async fn read(
        &self,
        trees: Vec<Arc<Tree>>,
        session: &SessionId,
        path: &str,
        window: Window,
    ) -> Result<String, FileError> {
        if let Some(overlay) = &self.overlay {
            let file = self.locate(trees.clone(), session, path).await?;
            if let Some(text) = overlay.read(&file).await {
                return window.of(text.as_bytes());
            }
        }
        let path = path.to_owned();
        self.on_disk(move || lines::read(&trees, &path, &window)).await
    }

    async fn write(
        &self,
        trees: Vec<Arc<Tree>>,
        session: &SessionId,
        path: &str,
        content: String,
        context: &Context,
    ) -> Result<(), FileError> {
        let withdrawn = |_| FileError::Withdrawn;
        if replace::is_folder_path(path) {
            return Err(FileError::FolderPath);
        }
        if let Some(overlay) = &self.overlay {
            let asked = async {
                let file = self.locate(trees.clone(), session, path).await?;
                Ok::<_, FileError>(overlay.write(&file, &content).await)
            };
            if context.unless_withdrawn(asked).await.map_err(withdrawn)?? {
                return Ok(());
            }
        }
        if context.is_cancelled() {
            return Err(FileError::Withdrawn);
        }
        let (path, makes_directories) = (path.to_owned(), self.makes_directories);
        self.on_disk(move || replace::write(&trees, &path, Text { text: &content, makes_directories })).await
    }

    /// Finds the real path of a file, which need not exist.
    async fn locate(
        &self,
        trees: Vec<Arc<Tree>>,
        session: &SessionId,
        path: &str,
    ) -> Result<HostFile, FileError> {
        let (session, path) = (session.clone(), path.to_owned());
        self.on_disk(move || {
            let real: PathBuf = inside(&trees, &path, |tree, relative| tree.real(relative))?;
            Ok(HostFile::new(session, path, real))
        })
        .await
    }

    /// Runs work on the disk on a thread where it delays nobody else.
    async fn on_disk<T: Send + 'static>(
        &self,
        act: impl FnOnce() -> Result<T, FileError> + Send + 'static,
    ) -> Result<T, FileError> {
        // Nobody closes the semaphore.
        let place = Arc::clone(&self.disk).acquire_owned().await.ok();
        let done = tokio::task::spawn_blocking(move || {
            let done = act();
            drop(place);
            done
        });
        done.await.unwrap_or_else(|_| Err(FileError::Io(io::Error::other("it was interrupted"))))
    }

    /// Returns the directories that this session may reach.
    fn trees_of(&self, session: &SessionId, context: &Context) -> Result<Vec<Arc<Tree>>, RpcError> {
        if !self.of_session {
            return Ok(self.trees.clone());
        }
        let roots = context.roots(session);
        if roots.is_empty() {
            return Err(invalid("sessionId", "is not an open session", session));
        }
        let of_session = roots.iter().flat_map(|roots| roots.trees());
        Ok(of_session.chain(&self.trees).cloned().collect())
    }

    const fn asked<'a>(&self, session: &'a SessionId, path: &'a str) -> Asked<'a> {
        Asked { session, path, max_bytes: self.max_bytes }
    }
}

impl Client for LocalFs {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        handlers.special.needs_roots |= self.of_session;
        let (files, room) = (Arc::clone(&self), Arc::new(Semaphore::new(AT_ONCE)));
        handlers.raw_request(FsReadTextFile::NAME, move |request, context: Context| {
            let (files, room) = (Arc::clone(&files), Arc::clone(&room));
            async move {
                // Kept until the text is on its way, so that an agent that does not read gets no
                // more texts into memory.
                let place = context.unless_withdrawn(room.acquire_owned()).await?;
                let text = files.read_text_file(request, &context).await?;
                Ok(Reply::new(text).after(move |_| drop(place)))
            }
        });
        if self.writable {
            handlers.request::<FsWriteTextFile, _, _>(&self, |files, request, context| async move {
                files.write_text_file(request, &context).await
            });
        }
    }
}

impl fmt::Debug for LocalFs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalFs")
            .field("trees", &self.trees)
            .field("of_session", &self.of_session)
            .field("max_bytes", &self.max_bytes)
            .field("writable", &self.writable)
            .finish_non_exhaustive()
    }
}
