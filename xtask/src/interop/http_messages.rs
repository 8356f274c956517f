//! The requests or answers of a connection of HTTP/1.1, taken apart.

/// The messages of one direction, until it is something else than HTTP.
#[derive(Default)]
pub(super) struct HttpMessages {
    unread: Vec<u8>,
    is_opaque: bool,
}

impl HttpMessages {
    /// Returns the messages that are complete with these bytes: head and body. A stream of events
    /// and a WebSocket have no body here, and nothing comes after them.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
        if self.is_opaque {
            return Vec::new();
        }
        self.unread.extend_from_slice(bytes);
        let mut messages = Vec::new();
        while let Some(message) = self.next() {
            messages.push(message);
        }
        messages
    }

    fn next(&mut self) -> Option<(String, Vec<u8>)> {
        const END: &[u8] = b"\r\n\r\n";
        if self.is_opaque {
            return None;
        }
        let end = position(&self.unread, END)?;
        let head = String::from_utf8_lossy(self.unread.get(..end)?).into_owned();
        let body = end + END.len();
        let media = header(&head, "content-type").unwrap_or_default();
        if header(&head, "upgrade").is_some() || media.starts_with("text/event-stream") {
            self.is_opaque = true;
            self.unread.clear();
            return Some((head, Vec::new()));
        }
        let (text, length) = if header(&head, "transfer-encoding").is_some() {
            chunks(self.unread.get(body..)?)?
        } else {
            let length = header(&head, "content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
            (self.unread.get(body..body + length)?.to_vec(), length)
        };
        self.unread.drain(..body + length);
        Some((head, text))
    }
}

/// Returns a body in chunks, and the bytes that it takes, once it is all there.
fn chunks(mut bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (all, mut body) = (bytes.len(), Vec::new());
    loop {
        let end = position(bytes, b"\r\n")?;
        let size = std::str::from_utf8(bytes.get(..end)?).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        body.extend_from_slice(bytes.get(end + 2..end + 2 + size)?);
        bytes = bytes.get(end + 2 + size + 2..)?;
        if size == 0 {
            return Some((body, all - bytes.len()));
        }
    }
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// Returns a header of a head, with any case of its name.
pub(super) fn header<'a>(head: &'a str, wanted: &str) -> Option<&'a str> {
    let mut headers = head.lines().filter_map(|line| line.split_once(':'));
    headers.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.trim())
}
