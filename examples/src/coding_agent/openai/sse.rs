//! Server-sent events, the framing in which a model server streams its answer.
//!
//! Chat completions use the `data` field only, so event names, ids and retry times are skipped.

/// A decoder: it takes the bytes of a `text/event-stream` body, cut anywhere, and returns the data
/// of its events.
///
/// It keeps the unfinished event. The caller limits its size.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The bytes of the line that has not ended yet.
    line: Vec<u8>,
    /// The data lines of the event that has not ended yet.
    data: Option<String>,
    /// True after a carriage return: a line feed right after it belongs to the line.
    after_return: bool,
    /// True after the first line, which may start with a byte order mark.
    started: bool,
}

impl Decoder {
    /// Takes the next bytes and returns the data of the events that end in them.
    ///
    /// An unfinished event at the end of the body is never returned.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        for &byte in bytes {
            let second_half = byte == b'\n' && self.after_return;
            self.after_return = byte == b'\r';
            match byte {
                b'\n' if second_half => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                _ => self.line.push(byte),
            }
        }
        events
    }

    /// Reads a complete line. An empty one ends the event.
    fn end_line(&mut self) -> Option<String> {
        // A chunk may end in the middle of a character, a complete line does not.
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let mut line = &*text;
        if !std::mem::replace(&mut self.started, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            return self.data.take();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        if field == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
        None
    }
}
