//! The answers about files that were not read or not written.

use std::fmt::Write as _;

use acp_json::{Map, Value};
use acp_types::v1::{ErrorCode, SessionId};

use crate::RpcError;
use crate::disk::file_error::FileError;

/// The number of characters of a path that an error repeats.
const SHOWN: usize = 200;
/// The length in bytes of the longest path in the data of an error.
const LONGEST: usize = 4096;

/// The subject of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    pub(super) session: &'a SessionId,
    pub(super) path: &'a str,
    pub(super) max_bytes: usize,
}

impl FileError {
    /// Builds the answer. It names the member, the file and the session, and never the content of
    /// the file.
    pub(super) fn answer(&self, field: &'static str, asked: Asked<'_>) -> RpcError {
        let (code, problem) = match self {
            Self::Withdrawn => return RpcError::cancelled(),
            Self::Missing => (ErrorCode::RESOURCE_NOT_FOUND.0, "does not exist".to_owned()),
            Self::MissingFolder => {
                (ErrorCode::RESOURCE_NOT_FOUND.0, "is in a directory that does not exist".to_owned())
            }
            Self::Io(error) => (RpcError::INTERNAL_ERROR, format!("cannot be served: {error}")),
            error => (RpcError::INVALID_PARAMS, error.problem(asked.max_bytes)),
        };
        let Asked { session, path, .. } = asked;
        let mut data =
            Map::from([("field", Value::from(field)), ("sessionId", Value::from(session.as_str()))]);
        if path.len() <= LONGEST {
            data.insert("path", Value::from(path));
            if code == ErrorCode::RESOURCE_NOT_FOUND.0 {
                data.insert("uri", Value::from(file_uri(path)));
            }
        }
        let message = format!("`{field}` {problem}: \"{}\" (session `{session}`)", shown(path));
        RpcError::new(code, message).with_data(Value::from(data))
    }

    fn problem(&self, max_bytes: usize) -> String {
        match self {
            Self::Relative => "must be an absolute path",
            Self::Outside => "lies outside of the directories that are served",
            Self::FolderPath => "has no file name after its last separator",
            Self::Directory => "is a directory",
            Self::Special => "is not a regular file",
            Self::DanglingLink => "is a link to a file that does not exist",
            Self::EndlessLink => "leads through links that cannot be followed",
            Self::BadName => "is not a valid name of a file",
            Self::NotText => "is not UTF-8 text",
            Self::TooLarge => {
                return format!("has more than {max_bytes} bytes at once: use parts (`line` and `limit`)");
            }
            Self::Missing | Self::MissingFolder | Self::Withdrawn | Self::Io(_) => "cannot be served",
        }
        .to_owned()
    }
}

/// Returns a path for people: shortened, and without characters that control a terminal.
fn shown(path: &str) -> String {
    let mut shown: String = path.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if path.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// Returns the `file:` URI of an absolute path.
fn file_uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                uri.push(char::from(byte));
            }
            b'\\' => uri.push('/'),
            // Writing to a string does not fail.
            _ => drop(write!(uri, "%{byte:02X}")),
        }
    }
    uri
}
