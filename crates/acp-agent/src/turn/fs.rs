//! The client's file system.

use std::path::Path;

use acp_types::v1::{ReadTextFileRequest, WriteTextFileRequest, ext};

use crate::error::{Error, Result};
use crate::turn::Turn;

impl Turn {
    /// Returns the client's file system; `None` if the client offers neither reading nor writing.
    #[must_use]
    pub fn fs(&self) -> Option<Fs> {
        let offered = &self.client().capabilities().fs;
        (offered.read_text_file || offered.write_text_file).then(|| Fs { turn: self.clone() })
    }
}

/// The client's file system. It includes changes in editors that are not saved yet.
///
/// Paths are absolute. The client offers reading and writing independently of each other. A call
/// that it does not offer fails with [`Error::NotOffered`], and nothing is sent.
#[derive(Clone, Debug)]
pub struct Fs {
    turn: Turn,
}

impl Fs {
    /// Returns whether [`read_text`](Self::read_text) and [`read_lines`](Self::read_lines) are
    /// offered.
    #[must_use]
    pub fn can_read(&self) -> bool {
        self.turn.client().capabilities().fs.read_text_file
    }

    /// Returns whether [`write_text`](Self::write_text) is offered.
    #[must_use]
    pub fn can_write(&self) -> bool {
        self.turn.client().capabilities().fs.write_text_file
    }

    /// Reads a text file.
    ///
    /// # Errors
    /// [`Error::NotOffered`] naming `fs.readTextFile`; [`Error::Call`] with the client's error,
    /// usually `-32002` for a file that does not exist; [`Error::Cancelled`] with the turn; the
    /// path is not absolute.
    pub fn read_text<P: AsRef<Path>>(&self, path: P) -> impl Future<Output = Result<String>> + Send + use<P> {
        self.read(path.as_ref(), None, None)
    }

    /// Reads `count` lines of a text file, beginning with line `first`, which counts from 1.
    ///
    /// # Errors
    /// The errors of [`read_text`](Self::read_text).
    pub fn read_lines<P: AsRef<Path>>(
        &self,
        path: P,
        first: u32,
        count: u32,
    ) -> impl Future<Output = Result<String>> + Send + use<P> {
        self.read(path.as_ref(), Some(first), Some(count))
    }

    /// Writes a text file, and creates it if it does not exist.
    ///
    /// # Errors
    /// [`Error::NotOffered`] naming `fs.writeTextFile`; [`Error::Call`] with the client's error;
    /// [`Error::Cancelled`] with the turn; the path is not absolute.
    pub fn write_text<P: AsRef<Path>, C: Into<String>>(
        &self,
        path: P,
        content: C,
    ) -> impl Future<Output = Result<()>> + Send + use<P, C> {
        let request = check(self.can_write(), "fs.writeTextFile")
            .and_then(|()| absolute(path.as_ref()))
            .map(|path| WriteTextFileRequest::new(self.turn.session_id(), path, content));
        let turn = self.turn.clone();
        async move {
            turn.ask_client(&request?).await?;
            Ok(())
        }
    }

    fn read(
        &self,
        path: &Path,
        first: Option<u32>,
        count: Option<u32>,
    ) -> impl Future<Output = Result<String>> + Send + use<> {
        let request = check(self.can_read(), "fs.readTextFile").and_then(|()| absolute(path)).map(|path| {
            let mut request = ReadTextFileRequest::new(self.turn.session_id(), path);
            request.line = first;
            request.limit = count;
            request
        });
        let turn = self.turn.clone();
        async move {
            let response = turn.ask_client(&request?).await?;
            Ok(response.content)
        }
    }
}

pub(crate) fn check(offered: bool, capability: &'static str) -> Result<()> {
    if offered { Ok(()) } else { Err(Error::not_offered(capability)) }
}

/// Returns the path for the wire, where paths are absolute and Unicode (rules `v1-rpc-24`,
/// `v1-fs-07`).
pub(crate) fn absolute(path: &Path) -> Result<String> {
    ext::absolute(path).map(str::to_owned).map_err(|error| {
        Error::from(format!("the path `{}` {error}: join it to the session's `cwd`", path.display()))
    })
}
