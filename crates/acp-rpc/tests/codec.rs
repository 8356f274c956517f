//! Newline framing: the same lines however the bytes are cut.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use acp_rpc::codec::{Framer, Line};

/// The lines of a stream that arrives in chunks of this size. Lines too long show as `length:outline`.
fn lines(stream: &[u8], chunk: usize, max_line: usize) -> Vec<String> {
    let mut framer = Framer::new(max_line);
    let mut lines = Vec::new();
    let show = |line: Line<'_>| match line {
        Line::Whole(line) => String::from_utf8_lossy(line).into_owned(),
        Line::Oversized { outline, length } => format!("{length}:{}", String::from_utf8_lossy(&outline)),
    };
    for chunk in stream.chunks(chunk) {
        framer.space().extend_from_slice(chunk);
        while let Some(line) = framer.next_line() {
            lines.push(show(line));
        }
    }
    lines.extend(framer.finish().map(show));
    lines
}

#[test]
fn framing() {
    let table: Vec<(&str, &str, Vec<&str>)> = vec![
        ("nothing", "", vec![]),
        ("lines", "a\nbc\n", vec!["a", "bc"]),
        ("a last line without its end", "a\nbc", vec!["a", "bc"]),
        ("CRLF", "a\r\nb\r\n", vec!["a", "b"]),
        ("blank lines", "\n\n \t\na\n\r\n\n", vec!["a"]),
        ("only blanks", " \r\n \n", vec![]),
        ("a byte order mark", "\u{feff}a\n\u{feff}b\n\u{feff}\n", vec!["a", "b"]),
        ("white space around", "  {} \t\n", vec!["{}"]),
        ("exactly the limit", "1234567890\na\n", vec!["1234567890", "a"]),
        ("beyond the limit", "12345678901\na\n", vec!["11:", "a"]),
        ("far beyond", "1234567890123456789012345678901234567890\na\n", vec!["40:", "a"]),
        ("beyond the limit at the end", "a\n12345678901", vec!["a", "11:"]),
        ("two too long in a row", "12345678901\n123456789012\n", vec!["11:", "12:"]),
    ];
    for (what, stream, expected) in table {
        for chunk in 1..=stream.len().max(1) {
            assert_eq!(lines(stream.as_bytes(), chunk, 10), expected, "{what}, in chunks of {chunk}");
        }
    }
}

#[test]
fn outlines_of_lines_that_are_too_long() {
    let long = "x".repeat(1100);
    let table: Vec<(&str, String, String)> = [
        ("an object", r#"{"id":7,"method":"m"}"#, r#"{"id":7,"method":"m"}"#),
        ("after a byte order mark", "\u{feff} {\"id\":7}", r#"{"id":7}"#),
        ("white space", "{ \"id\" :\t\r 7  1 , \"a\":1 }", r#"{ "id" : 7 1 , "a":1 }"#),
        ("nested ids", r#"{"params":{"id":1,"x":[{"id":2}]},"id":3}"#, r#"{"params":{},"id":3}"#),
        ("ids in text", r#"{"result":"\"id\":1","id":3}"#, r#"{"result":"\"id\":1","id":3}"#),
        ("brackets in nested text", r#"{"a":["]}\"]",{"}":"\\"}],"id":3}"#, r#"{"a":[],"id":3}"#),
        ("more after it", r#"{"id":1}{"id":2}"#, r#"{"id":1}"#),
        ("cut off", r#"{"a":[{"b":"#, r#"{"a":["#),
        ("no object", r#"[{"id":1}]"#, ""),
        ("text before it", r#"log: {"id":1}"#, ""),
    ]
    .map(|(what, line, outline)| (what, line.to_owned(), outline.to_owned()))
    .into_iter()
    .chain([
        ("a long value", format!(r#"{{"a":"{long}","id":3}}"#), r#"{"a":[],"id":3}"#.to_owned()),
        ("a long name", format!(r#"{{"{long}":1,"id":3}}"#), r#"{"":1,"id":3}"#.to_owned()),
        ("a long id", format!(r#"{{"id":"{long}","method":"m"}}"#), r#"{"id":[],"method":"m"}"#.to_owned()),
        ("a long nested value", format!(r#"{{"a":["{long}"],"id":3}}"#), r#"{"a":[],"id":3}"#.to_owned()),
    ])
    .collect();
    for (what, line, outline) in table {
        for chunk in (1..=line.len()).filter(|chunk| *chunk < 50 || chunk % 97 == 0) {
            let expected = [format!("{}:{outline}", line.len())];
            assert_eq!(lines(line.as_bytes(), chunk, 5), expected, "{what}, in chunks of {chunk}");
        }
    }
    // However many members there are.
    let many = format!("{{{}\"id\":3}}", r#""name":"value","#.repeat(100_000));
    let outline = lines(many.as_bytes(), 1000, 5).concat();
    assert!(outline.len() < 6000, "{} bytes", outline.len());
}

#[test]
fn a_line_beyond_the_limit_is_not_buffered() {
    let limit = 64 * 1024;
    let mut framer = Framer::new(limit);
    let chunk = vec![b'x'; 4096];
    for _ in 0..16 * 1024 {
        let space = framer.space();
        assert!(space.len() <= limit + chunk.len(), "{} bytes are held", space.len());
        assert!(space.capacity() <= limit + 64 * 1024, "{} bytes are reserved", space.capacity());
        space.extend_from_slice(&chunk);
        assert_eq!(framer.next_line(), None);
    }
    framer.space().extend_from_slice(b"\n{}\n");
    let Some(Line::Oversized { outline, length }) = framer.next_line() else {
        panic!("a line that is too long")
    };
    assert_eq!((outline.len(), length), (0, 64 * 1024 * 1024));
    assert_eq!(framer.next_line(), Some(Line::Whole(b"{}")));
}

#[test]
fn a_long_line_does_not_leave_a_large_buffer() {
    let mut framer = Framer::new(usize::MAX);
    framer.space().extend_from_slice(&vec![b'x'; 8 << 20]);
    framer.space().extend_from_slice(b"\n");
    assert!(framer.next_line().is_some());
    assert!(framer.space().capacity() < 1 << 20);
}

#[test]
fn the_beginning_of_a_line_does_not_keep_the_buffer_of_the_one_before() {
    let mut framer = Framer::new(usize::MAX);
    framer.space().extend_from_slice(&vec![b'x'; 8 << 20]);
    framer.space().extend_from_slice(b"\n{");
    assert!(framer.next_line().is_some());
    assert_eq!(framer.next_line(), None);
    assert!(framer.space().capacity() < 1 << 20);
    framer.space().extend_from_slice(b"}\n");
    assert_eq!(framer.next_line(), Some(Line::Whole(b"{}")));
}
