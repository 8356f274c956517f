//! Newline framing: the lines do not depend on how the bytes are cut.

use acp_rpc::Id;
use acp_rpc::codec::{Framer, Head, Line};

/// The lines of a stream that arrives in chunks of this size. Lines too long show as `length:head`.
fn lines(stream: &[u8], chunk: usize, max_line: usize) -> Vec<String> {
    let mut framer = Framer::new(max_line);
    let mut lines = Vec::new();
    let show = |line: Line<'_>| match line {
        Line::Whole(line) => String::from_utf8_lossy(line).into_owned(),
        Line::Oversized { head, length } if head == Head::default() => format!("{length}:"),
        Line::Oversized { head, length } => format!("{length}:{head:?}"),
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
fn heads_of_lines_that_are_too_long() {
    let long = "x".repeat(5000);
    let head = |id: Option<i64>, is_call, is_response| Head { id: id.map(Id::Int), is_call, is_response };
    let table = [
        ("a request", r#"{"jsonrpc":"2.0","id":7,"method":"m"}"#.to_owned(), head(Some(7), true, false)),
        (
            "after a byte order mark",
            "\u{feff} {\"id\":7,\"params\":[]}".to_owned(),
            head(Some(7), true, false),
        ),
        (
            "an id at the end",
            format!(r#"{{"result":{{"id":1,"x":"{long}"}},"id":3}}"#),
            head(Some(3), false, true),
        ),
        ("an id in text", r#"{"error":"\"id\":1,","x":0}"#.to_owned(), head(None, false, true)),
        ("an id that is cut off", r#"{"method":"m","id":1"#.to_owned(), head(None, true, false)),
        ("an id that is none", r#"{"method":"m","id":1.5}"#.to_owned(), head(None, true, false)),
        ("no object", r#"[{"id":1,"method":"m"}]"#.to_owned(), Head::default()),
        ("text before it", r#"log: {"id":1,"method":"m"}"#.to_owned(), Head::default()),
    ];
    for (what, line, head) in table {
        for chunk in (1..=line.len()).filter(|chunk| *chunk < 50 || chunk % 997 == 0) {
            let shown = if head == Head::default() { String::new() } else { format!("{head:?}") };
            let expected = [format!("{}:{shown}", line.len())];
            assert_eq!(lines(line.as_bytes(), chunk, 5), expected, "{what}, in chunks of {chunk}");
        }
    }
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
    let skipped = Line::Oversized { head: Head::default(), length: 64 * 1024 * 1024 };
    assert_eq!(framer.next_line(), Some(skipped));
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
fn a_long_line_leaves_its_buffer_to_the_next_until_it_is_given_back() {
    let mut framer = Framer::new(usize::MAX);
    let receive = |framer: &mut Framer| {
        for _ in 0..16 {
            framer.space().extend_from_slice(&vec![b'x'; 1 << 16]);
            assert_eq!(framer.next_line(), None);
        }
        framer.space().extend_from_slice(b"\n{");
        assert!(matches!(framer.next_line(), Some(Line::Whole(line)) if line.len() >= 1 << 20));
        assert_eq!(framer.next_line(), None);
        framer.space().extend_from_slice(b"}\n");
        assert_eq!(framer.next_line(), Some(Line::Whole(b"{}")));
        framer.space().capacity()
    };
    let kept = receive(&mut framer);
    assert!((1 << 20..4 << 20).contains(&kept), "{kept} bytes were kept");
    assert_eq!(receive(&mut framer), kept, "the buffer was not the one before");
    framer.give_back();
    assert!(framer.space().capacity() <= 256 << 10);
    receive(&mut framer);
}

#[test]
fn a_line_that_is_handed_back_comes_again() {
    let mut framer = Framer::new(100);
    framer.space().extend_from_slice(b"\n {}\r\n\n[1]\n[2");
    assert_eq!(framer.next_line(), Some(Line::Whole(b"{}")));
    framer.hand_back();
    assert_eq!(framer.next_line(), Some(Line::Whole(b"{}")));
    assert_eq!(framer.next_line(), Some(Line::Whole(b"[1]")));
    framer.hand_back();
    assert_eq!(framer.next_line(), Some(Line::Whole(b"[1]")));
    assert_eq!(framer.next_line(), None);
    framer.space().extend_from_slice(b",3]");
    assert_eq!(framer.next_line(), None);
    // The last line, which lacks its newline.
    assert_eq!(framer.finish(), Some(Line::Whole(b"[2,3]")));
    framer.hand_back();
    assert_eq!(framer.next_line(), Some(Line::Whole(b"[2,3]")));
    assert_eq!(framer.finish(), None);
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
