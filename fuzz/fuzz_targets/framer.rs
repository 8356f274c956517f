//! Bytes in any chunks become the same lines, and never more is held than a line may have.
#![no_main]

use acp_rpc::codec::{Framer, Line};
use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input {
    max_line: u16,
    /// The sizes of the chunks, over and over.
    chunks: Vec<u16>,
    pieces: Vec<Piece>,
}

/// What streams consist of, so that the limit is met without a long input.
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
    Oversized(u64),
}

const MAX_STREAM: usize = 1 << 16;
/// Longer lines are no different, but slower.
const MAX_LINE: u16 = 8 * 1024;
/// What the framer may reserve beyond a line: room for a read.
const SLACK: usize = 16 * 1024;

fuzz_target!(|input: Input| {
    let max_line = usize::from(input.max_line % MAX_LINE);
    let stream = stream(&input.pieces, max_line);
    let expected = lines_of(&stream, max_line);
    assert_eq!(framed(&stream, max_line, &[u16::MAX]), expected, "in long chunks");
    assert_eq!(framed(&stream, max_line, &input.chunks), expected, "in chunks of {:?}", input.chunks);
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

/// What the lines of a stream are, by the words of the documentation.
fn lines_of(stream: &[u8], max_line: usize) -> Vec<Seen> {
    let lines = stream.split(|byte| *byte == b'\n');
    let seen = lines.map(|line| match line.len() > max_line {
        true => Seen::Oversized(line.len() as u64),
        false => Seen::Whole(line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii().to_vec()),
    });
    seen.filter(|line| *line != Seen::Whole(Vec::new())).collect()
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
            seen.push(see(line, stream));
        }
    }
    seen.extend(framer.finish().map(|line| see(line, stream)));
    assert_eq!(framer.finish(), None, "the end comes once");
    seen
}

fn see(line: Line<'_>, stream: &[u8]) -> Seen {
    match line {
        Line::Whole(line) => Seen::Whole(line.to_vec()),
        Line::Oversized { head, length } => {
            assert!(head.len() as u64 <= length);
            assert!(head.is_empty() || memchr::memmem::find(stream, &head).is_some());
            Seen::Oversized(length)
        }
    }
}
