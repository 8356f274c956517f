//! An editor's texts over the files on the disk.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use acp_types::v1::SessionId;

/// The texts that an editor has open, over those on the disk. The agent reads [the user's unsaved
/// text](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-fs-02), and the user sees the
/// agent's writes.
///
/// An overlay is only asked about files below a root: see
/// [`LocalFs::overlay`](crate::LocalFs::overlay). A call is dropped if the agent withdraws the
/// request.
///
/// ```
/// use std::collections::HashMap;
/// use std::path::PathBuf;
/// use std::sync::Mutex;
///
/// use acp_client::{HostFile, Overlay};
///
/// #[derive(Default)]
/// struct Buffers(Mutex<HashMap<PathBuf, String>>);
///
/// impl Overlay for Buffers {
///     async fn read(&self, file: &HostFile) -> Option<String> {
///         self.0.lock().ok()?.get(file.real_path()).cloned()
///     }
///
///     async fn write(&self, file: &HostFile, text: &str) -> bool {
///         let Ok(mut buffers) = self.0.lock() else { return false };
///         // An open file is changed in its buffer, where the user can undo it. Other files are
///         // written to the disk.
///         buffers.get_mut(file.real_path()).map(|buffer| text.clone_into(buffer)).is_some()
///     }
/// }
/// ```
pub trait Overlay: Send + Sync + 'static {
    /// Returns the text of the file, or `None` to read it from the disk.
    fn read(&self, file: &HostFile) -> impl Future<Output = Option<String>> + Send;

    /// Takes a write of the agent. Returns true if the overlay has taken the text, and false to
    /// write it to the disk.
    fn write(&self, file: &HostFile, text: &str) -> impl Future<Output = bool> + Send;
}

/// A file that an agent reads or writes. It need not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFile {
    session: SessionId,
    path: String,
    real: PathBuf,
}

impl HostFile {
    pub(super) const fn new(session: SessionId, path: String, real: PathBuf) -> Self {
        Self { session, path, real }
    }

    /// Returns the session.
    #[must_use]
    pub const fn session_id(&self) -> &SessionId {
        &self.session
    }

    /// Returns the path as the agent spells it: absolute, but possibly with links and `..`.
    #[must_use]
    pub fn path(&self) -> &Path {
        Path::new(&self.path)
    }

    /// Returns the path without links, for comparisons.
    #[must_use]
    pub fn real_path(&self) -> &Path {
        &self.real
    }
}

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// An [`Overlay`] of any type.
pub(super) trait AnyOverlay: Send + Sync {
    fn read<'a>(&'a self, file: &'a HostFile) -> Boxed<'a, Option<String>>;
    fn write<'a>(&'a self, file: &'a HostFile, text: &'a str) -> Boxed<'a, bool>;
}

impl<O: Overlay> AnyOverlay for O {
    fn read<'a>(&'a self, file: &'a HostFile) -> Boxed<'a, Option<String>> {
        Box::pin(Overlay::read(self, file))
    }

    fn write<'a>(&'a self, file: &'a HostFile, text: &'a str) -> Boxed<'a, bool> {
        Box::pin(Overlay::write(self, file, text))
    }
}

/// A shared overlay.
impl<O: Overlay> Overlay for Arc<O> {
    async fn read(&self, file: &HostFile) -> Option<String> {
        O::read(self, file).await
    }

    async fn write(&self, file: &HostFile, text: &str) -> bool {
        O::write(self, file, text).await
    }
}
