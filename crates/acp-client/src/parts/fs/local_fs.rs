//! Files of this machine, as a client serves them.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use acp_fs::{Files, Lines, Roots};
use acp_types::method::Method;
use acp_types::v1::methods::{FsReadTextFile, FsWriteTextFile};
use acp_types::v1::{
    ReadTextFileRequest, ReadTextFileResponse, SessionId, WriteTextFileRequest, WriteTextFileResponse,
};
use tokio::sync::Semaphore;

use super::file_answer::{Asked, Failure};
use super::overlay::{AnyOverlay, HostFile, Overlay};
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
    roots: Roots,
    of_session: bool,
    files: Files,
    writable: bool,
    missing_is_empty: bool,
    overlay: Option<Arc<dyn AnyOverlay>>,
}

/// The number of texts that may wait until the agent reads them.
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
            roots: Roots::default(),
            of_session: true,
            files: Files::new(),
            writable: true,
            missing_is_empty: false,
            overlay: None,
        }
    }

    /// Serves the files below `dir` too, to every session.
    ///
    /// # Errors
    /// `dir` is not a directory that can be opened.
    pub fn with_root(mut self, dir: impl AsRef<Path>) -> io::Result<Self> {
        self.roots.add(dir)?;
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
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.files = self.files.max_bytes(bytes);
        self
    }

    /// Makes missing directories on the way to a file that is written. By default they are an
    /// error.
    #[must_use]
    pub fn create_directories(mut self) -> Self {
        self.files = self.files.create_directories();
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
        let ReadTextFileRequest { session_id, path, line, limit, .. } = request;
        let lines = Lines::new(line.unwrap_or(1), limit.unwrap_or(u32::MAX));
        let roots = self.roots_of(&session_id, context)?;
        let read = context.unless_withdrawn(self.read(&roots, &session_id, &path, lines)).await?;
        match read {
            Ok(text) => Ok(ReadTextFileResponse::new(text)),
            Err(acp_fs::Error::Missing) if self.missing_is_empty => Ok(ReadTextFileResponse::new("")),
            Err(error) => {
                Err(Failure::File(error).answer("path", Asked { session: &session_id, path: &path }))
            }
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
        let asked = Asked { session: &session_id, path: &path };
        let checked = self.files.check_write(Path::new(&path), &content);
        if let Err(error @ acp_fs::Error::TooLarge { .. }) = checked {
            return Err(Failure::File(error).answer("content", asked));
        }
        let roots = self.roots_of(&session_id, context)?;
        match self.write(&roots, &session_id, &path, content, context).await {
            Ok(()) => Ok(WriteTextFileResponse::default()),
            Err(error) => Err(error.answer("path", asked)),
        }
    }

    async fn read(
        &self,
        roots: &Roots,
        session: &SessionId,
        path: &str,
        lines: Lines,
    ) -> Result<String, acp_fs::Error> {
        if let Some(overlay) = &self.overlay {
            let file = self.locate(roots, session, path).await?;
            if let Some(text) = overlay.read(&file).await {
                return self.files.lines_of(&text, lines);
            }
        }
        self.files.read_text(roots, Path::new(path), lines).await
    }

    async fn write(
        &self,
        roots: &Roots,
        session: &SessionId,
        path: &str,
        content: String,
        context: &Context,
    ) -> Result<(), Failure> {
        self.files.check_write(Path::new(path), &content)?;
        if let Some(overlay) = &self.overlay {
            let asked = async {
                let file = self.locate(roots, session, path).await?;
                Ok::<_, acp_fs::Error>(overlay.write(&file, &content).await)
            };
            if context.unless_withdrawn(asked).await.map_err(|_| Failure::Withdrawn)?? {
                return Ok(());
            }
        }
        if context.is_cancelled() {
            return Err(Failure::Withdrawn);
        }
        Ok(self.files.write_text(roots, Path::new(path), content).await?)
    }

    /// Finds the real path of a file, which need not exist.
    async fn locate(
        &self,
        roots: &Roots,
        session: &SessionId,
        path: &str,
    ) -> Result<HostFile, acp_fs::Error> {
        let real = self.files.real_path(roots, Path::new(path)).await?;
        Ok(HostFile::new(session.clone(), path.to_owned(), real))
    }

    /// Returns the directories that this session may reach.
    fn roots_of(&self, session: &SessionId, context: &Context) -> Result<Roots, RpcError> {
        if !self.of_session {
            return Ok(self.roots.clone());
        }
        let of_session = context.roots(session);
        if of_session.is_empty() {
            return Err(invalid("sessionId", "is not an open session", session));
        }
        let mut roots = Roots::default();
        of_session.iter().for_each(|of_session| roots.append(of_session.opened()));
        roots.append(&self.roots);
        Ok(roots)
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
                Ok(context.wire().answer(text).after(move |_| drop(place)))
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
            .field("roots", &self.roots)
            .field("of_session", &self.of_session)
            .field("max_bytes", &self.files.limit())
            .field("writable", &self.writable)
            .finish_non_exhaustive()
    }
}
