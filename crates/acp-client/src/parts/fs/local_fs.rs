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
/// opened relative to the root's descriptor, so neither `..` nor a symbolic link leads out of it,
/// also when somebody changes links meanwhile; a root whose path comes to lead elsewhere stays the
/// directory that it was. Only regular files are served. A hard link below a root is a file below
/// it: what it shares its text with may lie anywhere, and is read, but never written.
///
/// Text is UTF-8. A byte order mark is text like any other.
///
/// What goes wrong is answered with a JSON-RPC error that names the member, the file and the
/// session, in its message and its `data` (`field`, `path`, `sessionId`): -32002 with `data.uri`
/// for a file that does not exist (rule v1-fs-06), -32602 for a path or a file that cannot be
/// served, -32603 for an error of the disk.
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
    /// Places for those who use the disk.
    disk: Arc<Semaphore>,
}

/// How many files are read and written at a time. An agent may ask for any number at once, and each
/// takes a thread and room for its text.
const AT_ONCE: usize = 16;

impl LocalFs {
    /// Serves the files below `dir` to every session, to read and to write, at most 16 MiB of text
    /// at a time.
    ///
    /// # Errors
    /// `dir` is not a directory that can be opened.
    pub fn rooted(dir: impl AsRef<Path>) -> io::Result<Self> {
        Self { of_session: false, ..Self::session_roots() }.with_root(dir)
    }

    /// Serves to each session the files below its `cwd` and its additional directories (rule
    /// v1-fs-08), as [`rooted`](Self::rooted) does.
    ///
    /// The directories are opened before the agent hears of the session. One that cannot be opened
    /// then is not served; the others are.
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

    /// How many bytes of text one request may carry. A larger file can be read in parts.
    #[must_use]
    pub const fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Makes the directories that are missing on the way to a file that is written. Otherwise that
    /// is an error.
    #[must_use]
    pub const fn create_directories(mut self) -> Self {
        self.makes_directories = true;
        self
    }

    /// Reads a file that does not exist as one without text. There are agents that ask for every
    /// file before they create it, and stop at the error that the protocol wants (rule v1-fs-06).
    #[must_use]
    pub const fn missing_as_empty(mut self) -> Self {
        self.missing_is_empty = true;
        self
    }

    /// Asks `overlay` first: for the text of each file that is read, and whether it takes what is
    /// written. Limits and roots hold as for files on the disk.
    #[must_use]
    pub fn overlay(mut self, overlay: impl Overlay) -> Self {
        self.overlay = Some(Arc::new(overlay));
        self
    }

    /// Answers one `fs/read_text_file`.
    ///
    /// `line` counts from 1 (0 is read as 1), `limit` counts lines. Lines keep their terminators; a
    /// window past the end of the file is empty.
    ///
    /// # Errors
    /// As the type describes; -32800 when the agent has withdrawn the request.
    pub async fn read_text_file(
        &self,
        request: ReadTextFileRequest,
        context: &Context,
    ) -> Result<ReadTextFileResponse, RpcError> {
        // Fires when this future is dropped, too: then nobody waits for the disk any more.
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

    /// Answers one `fs/write_text_file`: the file is created (rule v1-fs-04) or replaced in one
    /// step, and a link to it stays a link. Of a write that fails, no directory is left that it has
    /// made.
    ///
    /// On unix a replaced file keeps its owner, group and mode, its ACL and its extended
    /// attributes, but not the bits setuid and setgid, nor file capabilities. Where this program
    /// may not give these to a new file, such as one that belongs to another user, or may not make
    /// one beside it, the text is written into the file itself. It keeps all it has then, but a
    /// reader may see a part of the text, and a crash may leave one. One that has hard links as
    /// well is refused. On macOS ACLs are not kept; on Windows a replaced file has the rights that
    /// its directory gives.
    ///
    /// # Errors
    /// As the type describes; -32602 too when the text is longer than
    /// [`max_bytes`](Self::max_bytes), -32800 when the agent has withdrawn the request before
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

    /// Finds where a path leads; what is there, or whether anything is, does not matter.
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

    /// Runs what may take the disk's time, where nobody else has to wait for it.
    async fn on_disk<T: Send + 'static>(
        &self,
        act: impl FnOnce() -> Result<T, FileError> + Send + 'static,
    ) -> Result<T, FileError> {
        // Nobody closes it.
        let place = Arc::clone(&self.disk).acquire_owned().await.ok();
        let done = tokio::task::spawn_blocking(move || {
            let done = act();
            drop(place);
            done
        });
        done.await.unwrap_or_else(|_| Err(FileError::Io(io::Error::other("it was interrupted"))))
    }

    /// What this session may reach.
    fn trees_of(&self, session: &SessionId, context: &Context) -> Result<Vec<Arc<Tree>>, RpcError> {
        if !self.of_session {
            return Ok(self.trees.clone());
        }
        let roots = context.roots(session);
        if roots.is_empty() {
            return Err(invalid("sessionId", "is no session that is open", session));
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
        handlers.needs_roots |= self.of_session;
        let (files, room) = (Arc::clone(&self), Arc::new(Semaphore::new(AT_ONCE)));
        handlers.raw_request(FsReadTextFile::NAME, move |request, context: Context| {
            let (files, room) = (Arc::clone(&files), Arc::clone(&room));
            async move {
                // Kept until the text is on its way: an agent that does not read gets no more of it
                // into memory.
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
