//! Bytes as text: base64 (RFC 4648, section 4), in which the protocol carries them.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns the value of a letter. Others have none.
const fn value(letter: u8) -> Option<u8> {
    Some(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

/// Writes bytes as text, with padding.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for letter in 0..4 {
            let value = (bits >> (18 - 6 * letter)) & 63;
            let letter = if letter > chunk.len() { None } else { LETTERS.get(value as usize) };
            text.push(letter.map_or('=', |letter| char::from(*letter)));
        }
    }
    text
}

/// Reads bytes from text. Returns `None` if it is not base64. The padding may be left out.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let letters = match text.len() % 4 {
        0 => text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text),
        _ => text,
    };
    let mut bytes = Vec::with_capacity(letters.len() / 4 * 3 + 2);
    for chunk in letters.as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for letter in chunk {
            bits = bits << 6 | u32::from(value(*letter)?);
        }
        let [_, first, second, third] = (bits << (24 - 6 * chunk.len())).to_be_bytes();
        match chunk.len() {
            4 => bytes.extend([first, second, third]),
            3 => bytes.extend([first, second]),
            2 => bytes.push(first),
            _ => return None,
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        let table: [(&[u8], &str); 8] = [
            (b"", ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg=="),
            (b"fooba", "Zm9vYmE="),
            (b"foobar", "Zm9vYmFy"),
            (&[0xff, 0xfe, 0xfb, 0x00], "//77AA=="),
        ];
        for (bytes, text) in table {
            assert_eq!(encode(bytes), text);
            assert_eq!(decode(text).as_deref(), Some(bytes), "{text}");
            assert_eq!(decode(text.trim_end_matches('=')).as_deref(), Some(bytes), "{text} unpadded");
        }
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&encode(&all)), Some(all));
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["Z", "Zm9vY", "Zg=", "Zg===", "=", "====", "Zg==Zg==", "Z g=", "Zm9v\n", "Zm-_", "Zmä"]
        {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }
}
