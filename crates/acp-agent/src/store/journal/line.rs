//! One line of a journal.
//!
//! ```text
//! 0000001c 5ad3f21e u {"sessionUpdate":"…"}
//! ```
//!
//! It has the length of the JSON text in bytes, the CRC-32 of the kind and the text, both in
//! hexadecimal, the kind, and the text. The checksum tells a whole record from a damaged one. Line
//! ends find the next record if a length is damaged, and lengths find it if a line end is. So
//! damage in one place costs one record.

use crate::store::{RecordKind, StoreError};

/// The number of bytes before the text.
const HEAD: usize = 20;

/// The longest text of a line. It is longer than any message that the connection lets through by
/// default.
pub(super) const LONGEST: usize = 256 * 1024 * 1024;

/// The content of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The facts about the session. The last line of them counts.
    Info,
    Record(RecordKind),
}

impl Kind {
    const fn letter(self) -> u8 {
        match self {
            Kind::Info => b'i',
            Kind::Record(RecordKind::Prompt) => b'p',
            Kind::Record(RecordKind::Update) => b'u',
            Kind::Record(RecordKind::UpdateV2) => b'w',
            Kind::Record(RecordKind::Settings) => b's',
            Kind::Record(RecordKind::Saved) => b'v',
        }
    }

    const fn of(letter: u8) -> Option<Self> {
        match letter {
            b'i' => Some(Kind::Info),
            b'p' => Some(Kind::Record(RecordKind::Prompt)),
            b'u' => Some(Kind::Record(RecordKind::Update)),
            b'w' => Some(Kind::Record(RecordKind::UpdateV2)),
            b's' => Some(Kind::Record(RecordKind::Settings)),
            b'v' => Some(Kind::Record(RecordKind::Saved)),
            _ => None,
        }
    }
}

/// Adds a line to `out`.
pub(super) fn write(out: &mut Vec<u8>, kind: Kind, json: &str) -> Result<(), StoreError> {
    if json.len() > LONGEST {
        return Err(StoreError::TooLong { bytes: json.len() });
    }
    let letter = kind.letter();
    let checksum = checksum(&[letter], json.as_bytes());
    write_hexadecimal(out, u32::try_from(json.len()).unwrap_or(u32::MAX));
    out.push(b' ');
    write_hexadecimal(out, checksum);
    out.extend_from_slice(&[b' ', letter, b' ']);
    out.extend_from_slice(json.as_bytes());
    out.push(b'\n');
    Ok(())
}

/// Returns the length of the line of a text, with its end.
pub(super) const fn length(json: &str) -> usize {
    HEAD + json.len() + 1
}

/// The record at the beginning of `bytes`, if it is undamaged.
pub(super) struct Line<'a> {
    /// `None` for a kind of a later version.
    pub(super) kind: Option<Kind>,
    pub(super) json: &'a str,
    /// Its length without the line end.
    pub(super) length: usize,
}

impl<'a> Line<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (head, rest) = bytes.split_at_checked(HEAD)?;
        let [length @ .., b' ', _, _, _, _, _, _, _, _, b' ', letter, b' '] = head else { return None };
        let sum = hexadecimal(head.get(9..17)?)?;
        let length = usize::try_from(hexadecimal(length)?).ok()?;
        let json = rest.get(..length)?;
        if checksum(&[*letter], json) != sum {
            return None;
        }
        let json = std::str::from_utf8(json).ok()?;
        Some(Line { kind: Kind::of(*letter), json, length: HEAD + length })
    }
}

fn checksum(kind: &[u8], json: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(kind);
    hasher.update(json);
    hasher.finalize()
}

/// Writes eight digits. This runs for every update, and the formatter would take as long as the
/// rest of the line.
fn write_hexadecimal(out: &mut Vec<u8>, number: u32) {
    out.extend((0..8).rev().map(|digit| match (number >> (4 * digit)) as u8 & 0xf {
        digit @ 0..=9 => b'0' + digit,
        digit => b'a' + digit - 10,
    }));
}

/// Reads eight digits as they are written: no capitals, no sign.
fn hexadecimal(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |number, digit| {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(number << 4 | u32::from(digit))
    })
}
