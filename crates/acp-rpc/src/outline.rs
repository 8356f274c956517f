//! What is kept of a line that is too long to be kept.

use memchr::memchr2;

/// How much is kept at most.
const MOST: usize = 4 * 1024;
/// How much of it one string may be.
const LONGEST_STRING: usize = 1024;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// The outermost object of a line as its bytes go by, with nested values emptied and long strings left out:
/// `{"jsonrpc":"2.0","method":"echo","params":[],"id":7}`. So an id is found wherever it stands, and none that stands
/// deeper is taken for it.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    kept: Vec<u8>,
    /// In how many arrays and objects we are.
    depth: usize,
    string: Option<Text>,
    /// The last thing kept is a colon: what comes is the value of a member.
    is_value: bool,
    /// Nothing more is kept.
    is_over: bool,
}

/// A string on its way.
#[derive(Clone, Copy, Debug)]
struct Text {
    /// Where it begins in what is kept, if it is kept.
    start: Option<usize>,
    /// The next byte is escaped.
    escaped: bool,
}

impl Outline {
    /// More of the line.
    pub(crate) fn push(&mut self, mut bytes: &[u8]) {
        while !self.is_over && !bytes.is_empty() {
            let done = match self.string {
                Some(text) => self.text(text, bytes),
                None if self.depth < 2 => self.top(bytes),
                None => self.nested(bytes),
            };
            bytes = bytes.get(done..).unwrap_or_default();
        }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.kept
    }

    /// Bytes of a string: up to its end, or to an escape. Returns how many there were.
    fn text(&mut self, text: Text, bytes: &[u8]) -> usize {
        if text.escaped {
            self.string = Some(Text { escaped: false, ..text });
            self.keep_text(text, bytes.get(..1).unwrap_or_default());
            return 1;
        }
        let Some(mark) = memchr2(b'"', b'\\', bytes) else {
            self.keep_text(text, bytes);
            return bytes.len();
        };
        let is_end = bytes.get(mark) == Some(&b'"');
        self.string = (!is_end).then_some(Text { escaped: true, ..text });
        self.keep_text(text, bytes.get(..=mark).unwrap_or_default());
        mark + 1
    }

    fn keep_text(&mut self, text: Text, bytes: &[u8]) {
        let Some(start) = text.start else { return };
        if self.kept.len() - start + bytes.len() <= LONGEST_STRING {
            return self.kept.extend_from_slice(bytes);
        }
        // As the value of a member something that is no id, and as its name something that is none we know.
        self.kept.truncate(start);
        self.kept.extend_from_slice(if self.is_value { b"[]" } else { b"\"\"" });
        if let Some(text) = &mut self.string {
            text.start = None;
        }
    }

    /// One byte of the outermost object, or before it.
    fn top(&mut self, bytes: &[u8]) -> usize {
        let Some(byte) = bytes.first().copied() else { return 0 };
        match byte {
            _ if self.depth == 0 && byte != b'{' => {
                // Whatever else the line may be, it has no id.
                self.is_over = !(byte.is_ascii_whitespace() || BOM.contains(&byte));
                return 1;
            }
            b'"' => self.string = Some(Text { start: Some(self.kept.len()), escaped: false }),
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.is_over = true,
            // One is enough to keep apart what it separates.
            _ if byte.is_ascii_whitespace() => {
                if self.kept.last() != Some(&b' ') {
                    self.kept.push(b' ');
                }
                return 1;
            }
            _ => self.is_value = byte == b':',
        }
        self.kept.push(byte);
        self.is_over |= self.kept.len() > MOST;
        1
    }

    /// Bytes of a nested value outside strings: up to what opens or closes something.
    fn nested(&mut self, bytes: &[u8]) -> usize {
        let marks = bytes.iter().position(|byte| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']'));
        let Some(mark) = marks else { return bytes.len() };
        match bytes.get(mark) {
            Some(b'"') => self.string = Some(Text { start: None, escaped: false }),
            Some(b'{' | b'[') => self.depth += 1,
            closing => {
                self.depth -= 1;
                if self.depth == 1 {
                    self.kept.extend(closing);
                }
            }
        }
        mark + 1
    }
}
