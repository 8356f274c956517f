//! From the bytes of a line to a message.

use acp_json::repair_surrogates;

use super::message::{Message, NotJson};
use super::weight::is_too_heavy;

/// What to do about lines that are not JSON, and about those too long to tell.
///
/// Either way a request whose id can be made out is answered under it, half a surrogate pair in text is read as U+FFFD,
/// and a [`Fault`](crate::Fault) is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Noise {
    /// Answer with `-32700` and a null id: for the side that others connect to. What is not UTF-8 is not JSON.
    #[default]
    Answer,
    /// Skip them: for the side that reads another program's stdout, where banners and stray prints appear. Bytes in
    /// text that are not UTF-8 are read as U+FFFD.
    Skip,
}

/// Why no message was read.
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

/// Reads a line whose values weigh no more than `most`.
pub(crate) fn read(line: &[u8], most: usize) -> Result<Message<'_>, Unread> {
    if is_too_heavy(line, most)? {
        return Err(Unread::TooHeavy);
    }
    Ok(Message::parse(line)?)
}

/// A line that cannot be read, with U+FFFD in the place of what is not Unicode. `None` if it is not for that.
///
/// Who serves takes only UTF-8 (rule v1-rpc-02). Who reads the output of a program makes the best of it.
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
