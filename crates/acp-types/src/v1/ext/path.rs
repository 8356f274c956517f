//! Paths on the wire, which are absolute.

use std::fmt;
use std::path::Path;

/// A path that cannot be sent. `Display` continues a sentence that begins with the member's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathError {
    /// The path is relative.
    Relative,
    /// The path is not Unicode.
    NotUnicode,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Relative => "must be an absolute path",
            Self::NotUnicode => "must be UTF-8 text",
        })
    }
}

impl std::error::Error for PathError {}

/// Returns whether a path is absolute on any system. [Paths on the wire
/// are](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-rpc-24), the two sides need not
/// run on the same system, and the protocol does not say on which they do.
///
/// A path is absolute if it begins with `/` (POSIX), with a drive and a separator, as in `C:\` or
/// `C:/`, or with `\\` as in `\\server\share` (Windows).
///
/// ```
/// use acp_types::v1::ext::is_absolute;
///
/// assert!(is_absolute("/work") && is_absolute(r"C:\work") && is_absolute(r"\\server\share"));
/// assert!(!is_absolute("work") && !is_absolute(r"C:work") && !is_absolute(r"\work"));
/// ```
#[must_use]
pub const fn is_absolute(path: &str) -> bool {
    match path.as_bytes() {
        [b'/', ..] | [b'\\', b'\\', ..] => true,
        [drive, b':', b'/' | b'\\', ..] => drive.is_ascii_alphabetic(),
        _ => false,
    }
}

/// Checks a path that came, or that is about to be sent: see [`is_absolute`].
///
/// # Errors
/// The path is relative.
pub const fn check_absolute(path: &str) -> Result<(), PathError> {
    if is_absolute(path) { Ok(()) } else { Err(PathError::Relative) }
}

/// Returns a path as it is sent: see [`is_absolute`].
///
/// # Errors
/// The path is relative or not Unicode.
pub fn absolute(path: &Path) -> Result<&str, PathError> {
    let text = path.to_str().ok_or(PathError::NotUnicode)?;
    check_absolute(text).map(|()| text)
}
