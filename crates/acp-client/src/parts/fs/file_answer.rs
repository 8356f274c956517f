//! The answers about files that were not read or not written.

use std::fmt::Write as _;

use acp_fs::Error;
use acp_json::{Map, Value};
use acp_types::v1::{ErrorCode, SessionId};

use crate::RpcError;

/// The number of characters of a path that an error repeats.
const SHOWN: usize = 200;
/// The length in bytes of the longest path in the data of an error.
const LONGEST: usize = 4096;

/// The subject of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    pub(super) session: &'a SessionId,
    pub(super) path: &'a str,
}

/// The reason why a request about a file was not done.
#[derive(Debug)]
pub(super) enum Failure {
    /// The request was withdrawn.
    Withdrawn,
    File(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::File(error)
    }
}

impl Failure {
    /// Builds the answer. It names the member, the file and the session, and never the content of
    /// the file.
    pub(super) fn answer(&self, field: &'static str, asked: Asked<'_>) -> RpcError {
        let Self::File(error) = self else { return RpcError::cancelled() };
        let (code, problem) = match error {
            Error::Missing => (ErrorCode::RESOURCE_NOT_FOUND.0, "does not exist".to_owned()),
            Error::MissingDirectory => {
                (ErrorCode::RESOURCE_NOT_FOUND.0, "is in a directory that does not exist".to_owned())
            }
            Error::Io(error) => (RpcError::INTERNAL_ERROR, format!("cannot be served: {error}")),
            error => (RpcError::INVALID_PARAMS, problem(error)),
        };
        let Asked { session, path } = asked;
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
}

/// Returns the problem as a predicate of the member that has it.
fn problem(error: &Error) -> String {
    match error {
        Error::Relative => "must be an absolute path",
        Error::Outside => "lies outside of the directories that are served",
        Error::NoFileName => "has no file name after its last separator",
        Error::Directory => "is a directory",
        Error::Special => "is not a regular file",
        Error::DanglingLink => "is a link to a file that does not exist",
        Error::EndlessLink => "leads through links that cannot be followed",
        Error::BadName => "is not a valid name of a file",
        Error::NotText => "is not UTF-8 text",
        Error::TooLarge { max_bytes } => {
            return format!("has more than {max_bytes} bytes at once: use parts (`line` and `limit`)");
        }
        _ => "cannot be served",
    }
    .to_owned()
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
