//! Lines that no correct peer writes.

use serde_json::{Map, Value, json};

/// A fault in a line.
///
/// ```
/// use acp_testkit::Garble;
///
/// let line = r#"{"jsonrpc":"2.0","method":"_x"}"#;
/// assert_eq!(Garble::CarriageReturn.bytes(line), [line.as_bytes(), b"\r\n"].concat());
/// assert_eq!(Garble::Batch.bytes(line), format!("[{line},{line}]\n").as_bytes());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "mock", derive(serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Garble {
    /// Another text, such as the banner of a program, stands before the line.
    Banner,
    /// An empty line stands before it.
    Blank,
    /// A byte order mark begins it.
    ByteOrderMark,
    /// `\r\n` ends it.
    CarriageReturn,
    /// Its second half is missing.
    Cut,
    /// It is a number.
    Scalar,
    /// It is an array of the line, twice.
    Batch,
    /// It is an empty array.
    EmptyBatch,
    /// A byte in it is not UTF-8.
    NotUtf8,
    /// It has no `jsonrpc`.
    NoVersion,
    /// It is nested so many levels deeper.
    Deep(usize),
    /// It has so many bytes more.
    Long(usize),
    /// It comes twice.
    Twice,
    /// Its end is missing, so the next line is glued to it.
    Unended,
    /// So many bytes that are not JSON stand in its place.
    Noise(usize),
    /// Its id is one that nobody has used.
    UnknownId,
    /// Its id is `null`.
    NullId,
    /// Its id is 1.5.
    FractionId,
    /// Its id is 2^63.
    HugeId,
    /// Its params are a number.
    BadParams,
}

impl Garble {
    /// Returns the bytes of a line, which is one JSON object, with this fault.
    #[must_use]
    pub fn bytes(self, line: &str) -> Vec<u8> {
        let inside = line.strip_suffix('}').unwrap_or(line);
        let text = match self {
            Garble::Banner => format!("starting up\n{line}\n"),
            Garble::Blank => format!("\n{line}\n"),
            Garble::ByteOrderMark => format!("\u{feff}{line}\n"),
            Garble::CarriageReturn => format!("{line}\r\n"),
            Garble::Cut => {
                let half: String = line.chars().take(line.chars().count() / 2).collect();
                format!("{half}\n")
            }
            Garble::Scalar => "42\n".to_owned(),
            Garble::Batch => format!("[{line},{line}]\n"),
            Garble::EmptyBatch => "[]\n".to_owned(),
            Garble::NoVersion => format!("{}\n", line.replacen(r#""jsonrpc":"2.0","#, "", 1)),
            Garble::Deep(levels) => {
                format!("{inside},\"_deep\":{}0{}}}\n", "[".repeat(levels), "]".repeat(levels))
            }
            Garble::Long(bytes) => format!("{inside},\"_long\":\"{}\"}}\n", "x".repeat(bytes)),
            Garble::Twice => format!("{line}\n{line}\n"),
            Garble::Unended => line.to_owned(),
            Garble::Noise(bytes) => format!("{}\n", "x".repeat(bytes)),
            Garble::UnknownId => with(line, "id", json!("acp-testkit-nobody")),
            Garble::NullId => with(line, "id", Value::Null),
            Garble::FractionId => with(line, "id", json!(1.5)),
            Garble::HugeId => with(line, "id", json!(1_u64 << 63)),
            Garble::BadParams => with(line, "params", json!(42)),
            Garble::NotUtf8 => {
                let mut bytes = format!("{inside},\"_text\":\"").into_bytes();
                bytes.extend_from_slice(b"\xff\"}\n");
                return bytes;
            }
        };
        text.into_bytes()
    }
}

/// Returns a line with another value of a member.
fn with(line: &str, member: &str, value: Value) -> String {
    let mut message: Map<String, Value> = serde_json::from_str(line).unwrap_or_default();
    message.insert(member.to_owned(), value);
    format!("{}\n", Value::Object(message))
}
