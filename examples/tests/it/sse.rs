//! The decoder of server-sent events.

use examples::coding_agent::openai::sse::Decoder;

/// Bodies and the data of their events.
const BODIES: &[(&str, &[&str])] = &[
    ("data: a\n\ndata: b\n\n", &["a", "b"]),
    ("data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]),
    ("data: a\r\rdata: b\r\r", &["a", "b"]),
    ("\u{feff}data: a\n\n", &["a"]),
    ("data:no space\n\ndata:  two spaces\n\n", &["no space", " two spaces"]),
    ("data: one\ndata: two\n\n", &["one\ntwo"]),
    ("data: one\ndata\ndata: three\n\n", &["one\n\nthree"]),
    ("data:\n\n", &[""]),
    (": a comment\n\nevent: x\nid: 1\nretry: 5\ndata: a\n\n", &["a"]),
    ("event: nothing to say\n\n\n\ndata: a\n\n", &["a"]),
    ("data: {\"a\": \"b: c\"}\n\n", &["{\"a\": \"b: c\"}"]),
    ("data: größer 🦀\u{2028}\n\n", &["größer 🦀\u{2028}"]),
    ("datax: no\ndata : no\n\ndata: a\n\n", &["a"]),
    ("data: whole\n\ndata: half\n", &["whole"]),
    ("", &[]),
];

#[test]
fn events_are_the_same_wherever_the_body_is_cut() {
    for (body, events) in BODIES {
        for cut in 0..=body.len() {
            let (head, tail) = body.as_bytes().split_at(cut);
            let mut decoder = Decoder::default();
            let mut decoded = decoder.feed(head);
            decoded.extend(decoder.feed(tail));
            assert_eq!(decoded, *events, "{body:?} cut at {cut}");
        }
    }
}

#[test]
fn events_are_the_same_byte_by_byte() {
    for (body, events) in BODIES {
        let mut decoder = Decoder::default();
        let decoded: Vec<_> = body.bytes().flat_map(|byte| decoder.feed(&[byte])).collect();
        assert_eq!(decoded, *events, "{body:?}");
    }
}
