use std::io;
use std::path::Path;
use std::sync::Arc;

use acp_json::{Map, Value};
use acp_types::v1::methods::{FsReadTextFile, FsWriteTextFile};
use acp_types::v1::{
    ReadTextFileRequest, ReadTextFileResponse, SessionId, WriteTextFileRequest, WriteTextFileResponse,
};

use super::tree::{self, FileError, Tree, Window};
use crate::{Client, Handlers, RpcError};

/// The error code of a resource that is not there.
const RESOURCE_NOT_FOUND: i32 = -32002;

/// Serves `fs/read_text_file` and `fs/write_text_file` from the disk, below one or more root directories.
///
/// Paths are absolute and must lie below a root, under its own name or its real one. They are opened relative to the
/// root's descriptor, so neither `..` nor a symbolic link leads out of it. Only regular files are served.
///
/// What goes wrong is answered with a JSON-RPC error that names the field and the session: -32002 with `data.uri` for
/// a file that does not exist, -32602 for a path or a file that cannot be served, -32603 for an error of the disk.
///
/// ```no_run
/// # fn main() -> std::io::Result<()> {
/// use acp_client::LocalFs;
///
/// let files = LocalFs::rooted("/home/me/project")?.max_bytes(1024 * 1024);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct LocalFs {
    trees: Vec<Arc<Tree>>,
    max_bytes: usize,
    writable: bool,
}

impl LocalFs {
    /// Serves the files below `dir`, to read and to write, at most 16 MiB of text at a time.
    ///
    /// # Errors
    /// `dir` is not a directory that can be opened.
    pub fn rooted(dir: impl AsRef<Path>) -> io::Result<Self> {
        Self { trees: Vec::new(), max_bytes: 16 * 1024 * 1024, writable: true }.with_root(dir)
    }

    /// Serves the files below `dir` too.
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

    /// Answers one `fs/read_text_file`.
    ///
    /// `line` counts from 1 (0 is read as 1), `limit` counts lines. Lines keep their terminators; a window past the
    /// end of the file is empty.
    ///
    /// # Errors
    /// As the type describes.
    pub async fn read_text_file(
        &self,
        request: ReadTextFileRequest,
    ) -> Result<ReadTextFileResponse, RpcError> {
        let window = Window { first: request.line.unwrap_or(1), count: request.limit.unwrap_or(u32::MAX) };
        let (trees, max_bytes, path) = (self.trees.clone(), self.max_bytes, request.path.clone());
        let read = tokio::task::spawn_blocking(move || tree::read(&trees, &path, window, max_bytes)).await;
        match read {
            Ok(Ok(text)) => Ok(ReadTextFileResponse::new(text)),
            Ok(Err(error)) => Err(self.refusal(&error, "path", &request.path, &request.session_id)),
            Err(_) => Err(RpcError::internal("reading the file was interrupted")),
        }
    }

    /// Answers one `fs/write_text_file`: the file is created or replaced in one step, and keeps its mode. Missing
    /// directories are created.
    ///
    /// # Errors
    /// As the type describes; -32602 too when the text is longer than [`max_bytes`](Self::max_bytes).
    pub async fn write_text_file(
        &self,
        request: WriteTextFileRequest,
    ) -> Result<WriteTextFileResponse, RpcError> {
        let WriteTextFileRequest { session_id, path, content, .. } = request;
        let (trees, max_bytes, target) = (self.trees.clone(), self.max_bytes, path.clone());
        let write =
            tokio::task::spawn_blocking(move || tree::write(&trees, &target, &content, max_bytes)).await;
        match write {
            Ok(Ok(())) => Ok(WriteTextFileResponse::default()),
            Ok(Err(error @ FileError::TooLarge)) => Err(self.refusal(&error, "content", &path, &session_id)),
            Ok(Err(error)) => Err(self.refusal(&error, "path", &path, &session_id)),
            Err(_) => Err(RpcError::internal("writing the file was interrupted")),
        }
    }

    fn refusal(&self, error: &FileError, field: &'static str, path: &str, session: &SessionId) -> RpcError {
        let limit = self.max_bytes;
        let problem = match error {
            FileError::Relative => "must be an absolute path".to_owned(),
            FileError::Outside => "lies outside of the directories that are served".to_owned(),
            FileError::Missing => "no such file".to_owned(),
            FileError::Directory => "is a directory".to_owned(),
            FileError::Special => "is not a regular file".to_owned(),
            FileError::DanglingLink => "is a link to a file that does not exist".to_owned(),
            FileError::BadName => "is not a name that a file can have".to_owned(),
            FileError::NotText => "is not UTF-8 text".to_owned(),
            FileError::TooLarge => format!("more than {limit} bytes at once: use parts (`line` and `limit`)"),
            FileError::Io(error) => error.to_string(),
        };
        let code = match error {
            FileError::Missing => RESOURCE_NOT_FOUND,
            FileError::Io(_) => RpcError::INTERNAL_ERROR,
            _ => RpcError::INVALID_PARAMS,
        };
        let mut data =
            Map::from([("field", Value::from(field)), ("sessionId", Value::from(session.as_str()))]);
        if matches!(error, FileError::Missing) {
            data.insert("uri", Value::from(file_uri(path)));
        }
        RpcError::new(code, format!("`{field}` {problem} (session `{session}`)")).with_data(Value::from(data))
    }
}

impl Client for LocalFs {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        handlers.request::<FsReadTextFile, _, _>(&self, |files, request, _| async move {
            files.read_text_file(request).await
        });
        if self.writable {
            handlers.request::<FsWriteTextFile, _, _>(&self, |files, request, _| async move {
                files.write_text_file(request).await
            });
        }
    }
}

/// The `file:` URI of an absolute path.
fn file_uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                uri.push(char::from(byte));
            }
            b'\\' => uri.push('/'),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
