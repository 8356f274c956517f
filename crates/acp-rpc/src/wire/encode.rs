//! Values that can be written as JSON text.

use serde_core::Serialize;

/// A value that can be written as JSON text. Everything that is [`Serialize`] is one.
///
/// A type that holds JSON text already, such as a record of a store, implements it by copying:
/// nothing is read in order to be written again.
///
/// ```
/// use acp_rpc::{Encode, EncodeError};
///
/// /// An object with one member, whose value is JSON text.
/// struct Stored<'a>(&'a str);
///
/// impl Encode for Stored<'_> {
///     fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
///         buffer.extend_from_slice(br#"{"stored":"#);
///         buffer.extend_from_slice(self.0.as_bytes());
///         buffer.push(b'}');
///         Ok(())
///     }
/// }
/// ```
pub trait Encode {
    /// Adds the text of one JSON value to `buffer` and leaves everything before it as it is. If the
    /// call fails, its output is removed.
    ///
    /// It may be called more than once for one message, and under a lock. It must neither block nor
    /// use the connection.
    ///
    /// # Errors
    /// The value has no JSON text, or must not be sent after all. Nothing of the message is sent
    /// then.
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// Sees the params of a request or notification that is about to be sent.
    ///
    /// It is called once, right after the [`encode`](Self::encode) that wrote them into the output
    /// buffer, and under the same lock. Use it to keep what is sent, in the order of the wire.
    /// Layers that look at params do not call it. `json` includes what layers have added to
    /// `_meta`.
    ///
    /// # Errors
    /// The message must not be sent after all. It is removed from the buffer.
    fn leaves(&self, json: &[u8]) -> Result<(), EncodeError> {
        let _ = json;
        Ok(())
    }
}

/// The error of an [`Encode`].
pub type EncodeError = serde_json::Error;

impl<T: Serialize + ?Sized> Encode for T {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        serde_json::to_writer(buffer, self)
    }
}

/// Adds a string as JSON text to `buffer`, like its own [`Encode`].
///
/// Most strings have nothing to escape. Those are copied as they are, which takes a fraction of the
/// time.
///
/// # Errors
/// Never fails: the signature is that of [`Encode::encode`].
pub fn encode_str(text: &str, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
    if has_escapes(text.as_bytes()) {
        return text.encode(buffer);
    }
    buffer.reserve(text.len() + 2);
    buffer.push(b'"');
    buffer.extend_from_slice(text.as_bytes());
    buffer.push(b'"');
    Ok(())
}

/// Tells whether a text has characters that JSON escapes.
fn has_escapes(text: &[u8]) -> bool {
    let (pieces, rest) = text.as_chunks::<32>();
    // Without an early end the compiler compares many bytes at a time.
    let has_any = |piece: &[u8; 32]| piece.iter().fold(false, |found, byte| found | is_escaped(*byte));
    if pieces.iter().fold(false, |found, piece| found | has_any(piece)) {
        return true;
    }
    // One byte after the other, the rest would cost more than the pieces. The last word of it may
    // overlap what was looked at before.
    let (words, end) = rest.as_chunks::<8>();
    let in_end = || match text.last_chunk() {
        Some(last) => is_escaped_in(*last),
        None => end.iter().any(|byte| is_escaped(*byte)),
    };
    words.iter().any(|word| is_escaped_in(*word)) || (!end.is_empty() && in_end())
}

const fn is_escaped(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

/// Tells whether one of these bytes is escaped, by arithmetic on all of them at once: a byte that
/// is less than another borrows from its highest bit.
const fn is_escaped_in(bytes: [u8; 8]) -> bool {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let word = u64::from_ne_bytes(bytes);
    let quotes = word ^ (ONES * b'"' as u64);
    let backslashes = word ^ (ONES * b'\\' as u64);
    let controls = word.wrapping_sub(ONES * b' ' as u64) & !word;
    let equals = quotes.wrapping_sub(ONES) & !quotes | backslashes.wrapping_sub(ONES) & !backslashes;
    (controls | equals) & HIGH != 0
}

/// A value that is only borrowed.
pub(crate) struct Borrowed<'a, P: ?Sized>(pub(crate) &'a P);

impl<P: Encode + ?Sized> Encode for Borrowed<'_, P> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.0.encode(buffer)
    }

    fn leaves(&self, json: &[u8]) -> Result<(), EncodeError> {
        self.0.leaves(json)
    }
}

/// JSON text that was written before.
pub(crate) struct Written(pub(crate) Vec<u8>);

impl Encode for Written {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        buffer.extend_from_slice(&self.0);
        Ok(())
    }
}
