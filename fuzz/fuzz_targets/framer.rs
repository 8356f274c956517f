//! Bytes in any chunks become the same lines, and never more is held than a line may have.
#![no_main]

use acp_rpc::codec::{Framer, Head, Line};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

#[derive(Arbitrary, Debug)]
struct Input {
    max_line: u16,
    /// The sizes of the chunks, over and over.
    chunks: Vec<u16>,
    pieces: Vec<Piece>,
}

/// The pieces of streams. With them a short input can reach the limit.
#[derive(Arbitrary, Debug)]
enum Piece {
    Bytes(Vec<u8>),
    Run(u8, u16),
    /// As many bytes as a line may have, and a few more or fewer.
    AboutALine(u8, i8),
    Newline,
    CarriageReturn,
    ByteOrderMark,
}

#[derive(Debug, PartialEq)]
enum Seen {
    Whole(Vec<u8>),
    /// Its length and its head.
    Oversized(u64, Head),
}

const MAX_STREAM: usize = 1 << 16;
/// Longer lines are no different, but slower.
const MAX_LINE: u16 = 8 * 1024;
/// The memory that the framer may reserve beyond a line: room for a read.
const SLACK: usize = 16 * 1024;

fuzz_target!(|input: Input| {
    let max_line = usize::from(input.max_line % MAX_LINE);
    let stream = stream(&input.pieces, max_line);
    let seen = framed(&stream, max_line, &[u16::MAX]);
    let lines = lines_of(&stream, max_line);
    assert_eq!(seen.len(), lines.len(), "in long chunks");
    for (seen, line) in seen.iter().zip(lines) {
        check(seen, line, max_line);
    }
    assert_eq!(framed(&stream, max_line, &input.chunks), seen, "in chunks of {:?}", input.chunks);
});

fn stream(pieces: &[Piece], max_line: usize) -> Vec<u8> {
    let mut stream = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Bytes(bytes) => stream.extend_from_slice(bytes),
            Piece::Run(byte, count) => stream.resize(stream.len() + usize::from(*count), *byte),
            Piece::AboutALine(byte, more) => {
                let length = max_line.saturating_add_signed(isize::from(*more));
                stream.resize(stream.len() + length, *byte);
            }
            Piece::Newline => stream.push(b'\n'),
            Piece::CarriageReturn => stream.push(b'\r'),
            Piece::ByteOrderMark => stream.extend_from_slice("\u{feff}".as_bytes()),
        }
        if stream.len() > MAX_STREAM {
            stream.truncate(MAX_STREAM);
            break;
        }
    }
    stream
}

/// The lines of a stream, by the words of the documentation.
fn lines_of(stream: &[u8], max_line: usize) -> Vec<&[u8]> {
    let lines = stream.split(|byte| *byte == b'\n');
    lines.filter(|line| line.len() > max_line || !trim(line).is_empty()).collect()
}

fn trim(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii()
}

/// Checks a line against the expected one, or the id of a line that is too long.
fn check(seen: &Seen, line: &[u8], max_line: usize) {
    match seen {
        Seen::Whole(seen) => assert!(line.len() <= max_line && seen == trim(line), "a whole line"),
        Seen::Oversized(length, head) => {
            assert!(*length == line.len() as u64 && line.len() > max_line, "a line of {length} bytes");
            let Ok(Value::Object(object)) = serde_json::from_slice(trim(line)) else { return };
            if let Some(id) = object.get("id").and_then(Value::as_i64) {
                assert_eq!(head.id, Some(id.into()), "the id is that of the object");
            }
            assert_eq!(head.is_call, object.contains_key("method") || object.contains_key("params"));
        }
    }
}

fn framed(stream: &[u8], max_line: usize, chunks: &[u16]) -> Vec<Seen> {
    let mut framer = Framer::new(max_line);
    let mut seen = Vec::new();
    let mut rest = stream;
    let mut sizes = chunks.iter().map(|size| usize::from(*size).max(1)).cycle();
    while !rest.is_empty() {
        let space = framer.space();
        let room = space.capacity() - space.len();
        assert!(room > 0, "a read is offered room");
        assert!(space.capacity() <= max_line + SLACK, "{} bytes for lines of {max_line}", space.capacity());
        let (chunk, later) = rest.split_at(sizes.next().unwrap_or(1).min(rest.len()).min(room));
        rest = later;
        space.extend_from_slice(chunk);
        while let Some(line) = framer.next_line() {
            seen.push(see(line));
        }
    }
    seen.extend(framer.finish().map(|line| see(line)));
    assert_eq!(framer.finish(), None, "the end comes once");
    seen
}

fn see(line: Line<'_>) -> Seen {
    match line {
        Line::Whole(line) => Seen::Whole(line.to_vec()),
        Line::Oversized { head, length } => Seen::Oversized(length, head),
    }
}
