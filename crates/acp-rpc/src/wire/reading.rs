//! The step from the bytes of a line to a message.

use acp_json::repair_surrogates;

use super::message::{Message, NotJson};
use super::weight::is_too_heavy;

/// The treatment of lines that are not JSON, or too long to tell.
///
/// In both cases a request whose id can be found is answered under it, half a surrogate pair in
/// text is read as U+FFFD, and a [`Fault`](crate::Fault) is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Noise {
    /// Answers with `-32700` and a null id. For the side that others connect to. Text that is not
    /// UTF-8 is not JSON.
    #[default]
    Answer,
    /// Skips them. For the side that reads the stdout of another program, where banners and stray
    /// prints appear. Bytes in text that are not UTF-8 are read as U+FFFD.
    Skip,
}

/// The reason why no message was read.
pub(crate) enum Unread {
    /// Its values would weigh too much.
    TooHeavy,
    NotJson(NotJson),
}

impl From<NotJson> for Unread {
    fn from(error: NotJson) -> Self {
        Self::NotJson(error)
    }
}

/// Reads a line whose values weigh at most `most`.
pub(crate) fn read(line: &[u8], most: usize) -> Result<Message<'_>, Unread> {
    if is_too_heavy(line, most)? {
        return Err(Unread::TooHeavy);
    }
    Ok(Message::parse(line)?)
}

/// Puts U+FFFD in place of everything in a line that is not Unicode. Returns `None` if that is not
/// why the line cannot be read.
///
/// A server takes only UTF-8 (rule v1-rpc-02). A reader of another program's output makes the best
/// of it.
pub(crate) fn repaired(line: &[u8], noise: Noise) -> Option<String> {
    match (std::str::from_utf8(line), noise) {
        (Ok(text), _) => repair_surrogates(text),
        (Err(_), Noise::Answer) => None,
        (Err(_), Noise::Skip) => {
            let text = String::from_utf8_lossy(line).into_owned();
            Some(repair_surrogates(&text).unwrap_or(text))
        }
    }
}
