//! JSON that an honest peer never sends: for each kind, the reader's answer and the text that is
//! written again.

use acp_json::{
    Fields, FromNode, Map, Node, NoteKind, Problem, ReadError, Record, Report, Value, from_slice, from_str,
    parse, read, read_reporting, repair_surrogates, skip_invalid, to_string,
};
use serde_core::ser::{Serialize, SerializeMap};

/// A type with a tag, a number, a list whose bad items are left out, and free names.
#[derive(Debug, Default, PartialEq)]
struct Sample {
    kind: String,
    count: u64,
    list: Vec<u32>,
    free: Map,
}

impl Record for Sample {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        Ok(Sample {
            kind: fields.tag("kind")?.into_owned(),
            count: fields.defaulted_lenient("count", u64::from_node, u64::default),
            list: fields.defaulted("list", skip_invalid::<u32>, Vec::new)?,
            free: fields.defaulted("free", Map::from_node, Map::new)?,
        })
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("kind", &self.kind)?;
        map.serialize_entry("count", &self.count)?;
        map.serialize_entry("list", &self.list)?;
        map.serialize_entry("free", &self.free)
    }
}

acp_json::record!(Sample);

const NOT_JSON: &str = "not JSON";

/// Returns the value of a text, written again, or the reason why it is refused.
fn written<T: FromNode + Serialize>(text: &[u8]) -> String {
    match from_slice::<T>(text) {
        Ok(value) => to_string(&value),
        // The parser has the words for it.
        Err(error) if matches!(error.problem(), Problem::Syntax(_)) => NOT_JSON.to_owned(),
        Err(error) => error.to_string(),
    }
}

/// Returns the cases of a table whose result differs from the table's.
fn wrong<T: FromNode + Serialize>(
    table: &[(&'static str, &[u8], &'static str)],
) -> Vec<(&'static str, String)> {
    let come_out = table.iter().map(|(what, text, expected)| (*what, written::<T>(text), *expected));
    come_out.filter(|(_, got, expected)| got != expected).map(|(what, got, _)| (what, got)).collect()
}

#[test]
fn numbers_as_any_json() {
    let digits = "9".repeat(400);
    let fraction = format!("0.{}1", "0".repeat(400));
    let exact = |text: &str| Some(Node::Exact(text.to_owned().into()));
    let table = [
        ("2^53 + 1", "9007199254740993", Some(Node::U64((1 << 53) + 1))),
        ("2^63", "9223372036854775808", Some(Node::U64(1 << 63))),
        ("-2^63", "-9223372036854775808", Some(Node::I64(i64::MIN))),
        ("-2^63 - 1", "-9223372036854775809", exact("-9223372036854775809")),
        ("2^64 - 1", "18446744073709551615", Some(Node::U64(u64::MAX))),
        ("2^64", "18446744073709551616", exact("18446744073709551616")),
        ("a fraction of zero", "1.0", Some(Node::F64(1.0))),
        ("an exponent", "1E+2", Some(Node::F64(100.0))),
        ("the largest double", "1.7976931348623157e308", Some(Node::F64(f64::MAX))),
        ("more than a double", "1e400", exact("1e400")),
        ("less than minus a double", "-1e400", exact("-1e400")),
        ("nearly nothing", "1e-400", exact("1e-400")),
        ("400 digits", &digits, exact(&digits)),
        ("400 digits of a fraction", &fraction, exact(&fraction)),
    ];
    for (what, text, expected) in table {
        let node = parse(text).ok();
        assert_eq!(node, expected, "{what}");
        let Some(node) = node else { continue };
        assert_eq!(parse(&to_string(&node)).as_ref(), Ok(&node), "{what}, written and read again");
    }
    // Equal to zero, hence apart.
    assert_eq!(written::<Value>(b"-0"), "-0.0");
}

#[test]
fn numbers_beyond_the_largest_double_keep_their_text_wherever_they_stand() {
    let digits = "9".repeat(400);
    for number in ["1e400", "-1E+400", "2e308", &digits, &format!("{digits}.5e3")] {
        let text = format!(r#"{{"1e400\"":[1.5,{number},{{"a":"1e400 {number}","b":{number}}}],"c":-0.25}}"#);
        assert_eq!(written::<Value>(text.as_bytes()), text);
        assert_eq!(written::<Map>(text.as_bytes()), text);
        let value: Value = text.parse().unwrap();
        assert_eq!(value.parse::<Value>().unwrap(), value, "through serde");
    }
    // A type that asks for a number reports the error; a type that does not ask is not disturbed.
    let fits = "the number does not fit a double";
    assert_eq!(from_str::<Vec<f64>>("[1,1e400]").unwrap_err().to_string(), format!("`[1]`: {fits}"));
    assert_eq!(from_str::<Vec<u32>>("[1e400]").unwrap_err().path(), "[0]");
    let list: Value = "[0.5,1e400]".parse().unwrap();
    assert_eq!(list.parse::<Vec<f64>>().unwrap_err().to_string(), fits);
    assert!(list.parse::<(f64, serde_core::de::IgnoredAny)>().is_ok());
    // None of these is a number.
    for text in ["01e400", "1.e400", "1e400-1", "-e400", "1e400e1", "[1e400", "1e400 1e400", "--1e400"] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn numbers_as_integers() {
    let table: [(&str, [Option<i128>; 3]); 14] = [
        // As u32, as u64, as i64.
        ("-0", [Some(0); 3]),
        ("1.0", [Some(1); 3]),
        ("1e3", [Some(1000); 3]),
        ("1.5", [None; 3]),
        ("-1.0", [None, None, Some(-1)]),
        ("4294967296", [None, Some(1 << 32), Some(1 << 32)]),
        ("9007199254740993", [None, Some((1 << 53) + 1), Some((1 << 53) + 1)]),
        ("9007199254740991.0", [None, Some((1 << 53) - 1), Some((1 << 53) - 1)]),
        // A double cannot tell this from 2^53.
        ("9007199254740993.0", [None; 3]),
        ("9007199254740992.0", [None; 3]),
        ("9223372036854775808", [None, Some(1 << 63), None]),
        ("-9223372036854775808", [None, None, Some(-(1 << 63))]),
        ("18446744073709551616", [None; 3]),
        ("1e300", [None; 3]),
    ];
    for (text, expected) in table {
        let got = [
            from_str::<u32>(text).ok().map(i128::from),
            from_str::<u64>(text).ok().map(i128::from),
            from_str::<i64>(text).ok().map(i128::from),
        ];
        assert_eq!(got, expected, "{text}");
    }
}

#[test]
fn text_as_any_json() {
    assert_eq!(
        wrong::<Value>(&[
            ("a pair of surrogates", br#""\ud83d\ude00""#, "\"\u{1f600}\""),
            ("half a pair", br#""\ud800""#, NOT_JSON),
            ("half a pair, then text", br#""\ud800abcdef""#, NOT_JSON),
            ("the other half", br#""\udc00""#, NOT_JSON),
            ("two first halves", br#""\ud800\ud800""#, NOT_JSON),
            ("half a pair in a name", br#"{"\udc00":1}"#, NOT_JSON),
            ("a surrogate in bytes", b"\"\xed\xa0\x80\"", NOT_JSON),
            ("not UTF-8", b"\"\xff\"", NOT_JSON),
            ("not UTF-8 in a name", b"{\"\xc3\x28\":1}", NOT_JSON),
            ("too many bytes for a character", b"\"\xc0\x80\"", NOT_JSON),
            ("NUL, escaped", br#"{"\u0000":"\u0000"}"#, r#"{"\u0000":"\u0000"}"#),
            ("NUL as it is", b"\"\0\"", NOT_JSON),
            ("NUL after the value", b"{}\0", NOT_JSON),
            ("a byte order mark", b"\xef\xbb\xbf{}", NOT_JSON),
            ("more after the value", b"{} {}", NOT_JSON),
            ("white space after the value", b"{} \t\r\n", "{}"),
            ("nothing", b"", NOT_JSON),
            ("an empty name", br#"{"":0}"#, r#"{"":0}"#),
        ]),
        []
    );
}

#[test]
fn halves_of_surrogate_pairs_are_repaired_where_they_stand() {
    let table = [
        ("half a pair at the end", r#""a\ud83d""#, r#""a\ufffd""#),
        ("half a pair, then text", r#""\ud83dabcdef""#, r#""\ufffdabcdef""#),
        ("the other half", r#""\udc00""#, r#""\ufffd""#),
        ("the halves the wrong way round", r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
        ("two first halves and a second", r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
        ("in capitals", r#""\uD83D""#, r#""\ufffd""#),
        ("in a name", r#"{"\udc00":[1,"\ud800"]}"#, r#"{"\ufffd":[1,"\ufffd"]}"#),
        ("after a backslash", r#""\\\ud83d""#, r#""\\\ufffd""#),
        ("before another escape", r#""\ud83d\n\ud83d\u0041""#, r#""\ufffd\n\ufffd\u0041""#),
        ("between characters", "\"\u{1f600}\\ud83d\u{1f600}\"", "\"\u{1f600}\\ufffd\u{1f600}\""),
        ("cut off", r#"{"a":"\ud83d","b"#, r#"{"a":"\ufffd","b"#),
    ];
    for (what, text, expected) in table {
        let repaired = repair_surrogates(text).unwrap();
        assert_eq!(repaired, expected, "{what}");
        assert!(what == "cut off" || parse(&repaired).is_ok(), "{what}");
    }
    // A pair, an escape that looks like one, too few digits, a sign among them, and text that is
    // not JSON.
    for text in [
        r#""\ud83d\ude00""#,
        r#""\\ud83d""#,
        r#""\\\\ud83d""#,
        r#""\ud83""#,
        r#""\u+d83""#,
        "\\",
        "\\ä\\",
        "\\\u{1f600}",
        "",
    ] {
        assert_eq!(repair_surrogates(text), None, "{text}");
    }
}

#[test]
fn names_given_twice() {
    assert_eq!(
        wrong::<Sample>(&[
            (
                "a member",
                br#"{"kind":"a","count":1,"count":2}"#,
                r#"{"kind":"a","count":2,"list":[],"free":{}}"#
            ),
            ("a tag", br#"{"kind":"a","kind":"b"}"#, r#"{"kind":"b","count":0,"list":[],"free":{}}"#),
            (
                "a member, malformed the last time",
                br#"{"kind":"a","count":1,"count":"x"}"#,
                r#"{"kind":"a","count":0,"list":[],"free":{}}"#
            ),
            (
                "a tag, malformed the last time",
                br#"{"kind":"a","kind":1}"#,
                "`kind`: expected a string, found a number"
            ),
            (
                "a free name",
                br#"{"kind":"a","free":{"x":1,"y":2,"x":3}}"#,
                r#"{"kind":"a","count":0,"list":[],"free":{"y":2,"x":3}}"#
            ),
            (
                "a free name, at once",
                br#"{"kind":"a","free":{"x":1,"x":2,"y":3}}"#,
                r#"{"kind":"a","count":0,"list":[],"free":{"x":2,"y":3}}"#
            ),
            (
                "a name below a free name",
                br#"{"kind":"a","free":{"x":{"y":1,"y":2}}}"#,
                r#"{"kind":"a","count":0,"list":[],"free":{"x":{"y":1,"y":2}}}"#
            ),
        ]),
        []
    );
    let value: Value = r#"{"y":1,"y":2}"#.parse().unwrap();
    assert_eq!(value.get("y"), Some(&Node::U64(2)));
}

#[test]
fn nesting_has_a_limit() {
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        let deep = |depth: usize| {
            let inner = if open == "[" { "" } else { "0" };
            open.repeat(depth) + inner + &close.repeat(depth)
        };
        let deepest = deep(127);
        assert_eq!(written::<Value>(deepest.as_bytes()), deepest);
        for depth in [128, 1000, 100_000] {
            assert_eq!(written::<Value>(deep(depth).as_bytes()), NOT_JSON);
            // The depth is enough to refuse it, before its end.
            assert_eq!(written::<Value>(open.repeat(depth).as_bytes()), NOT_JSON);
        }
    }
}

const MANY: usize = 100_000;

/// Makes an object with a tag and many members, each made by `each`.
fn many(each: impl Fn(usize) -> String) -> String {
    let members: Vec<String> = (0..MANY).map(each).collect();
    format!(r#"{{"kind":"a",{},"count":7}}"#, members.join(","))
}

#[test]
fn wide_objects_are_read_and_reports_stay_small() {
    let list = vec!["-1"; MANY].join(",");
    // The items, the notes that are kept, and the notes that are counted.
    let table = [
        ("names that nobody knows", many(|index| format!(r#""m{index}":0"#)), 1000, MANY - 1000),
        ("one name that nobody knows", many(|_| r#""m":0"#.to_owned()), 1000, MANY - 1000),
        ("one name, many times", many(|index| format!(r#""count":{index}"#)), 0, 0),
        ("the tag, many times", many(|_| r#""kind":"a""#.to_owned()), 0, 0),
        ("bad items", format!(r#"{{"kind":"a","list":[{list}],"count":7}}"#), 1000, MANY - 1000),
    ];
    for (what, text, notes, omitted) in table {
        let mut report = Report::default();
        let sample: Sample = read_reporting(parse(&text).unwrap(), &mut report).unwrap();
        assert_eq!((sample.kind.as_str(), sample.count, sample.list.len()), ("a", 7, 0), "{what}");
        assert_eq!((report.notes().len(), report.omitted()), (notes, omitted), "{what}");
        assert_eq!(report.is_empty(), notes == 0, "{what}");
    }
    let names = (0..MANY).map(|index| format!(r#""m{index}":{index}"#)).collect::<Vec<_>>().join(",");
    let map: Map<u64> = from_str(&format!("{{{names},{names}}}")).unwrap();
    assert_eq!(map.len(), MANY);
    assert_eq!(to_string(&map), format!("{{{names}}}"));
}

#[test]
fn an_attempt_that_failed_takes_back_what_was_omitted_too() {
    /// Reads a list of lists, and leaves out items that are not lists of numbers.
    struct Lists;

    impl FromNode for Lists {
        fn from_node(node: Node<'_>, at: &acp_json::At<'_>) -> Result<Self, ReadError> {
            skip_invalid::<Inner>(node, at).map(|_| Lists)
        }
    }

    /// Reads a list, and then fails.
    struct Inner;

    impl FromNode for Inner {
        fn from_node(node: Node<'_>, at: &acp_json::At<'_>) -> Result<Self, ReadError> {
            skip_invalid::<u32>(node, at)?;
            Err(ReadError::missing(at))
        }
    }

    let bad = vec!["-1"; 2000].join(",");
    let mut report = Report::default();
    read_reporting::<Lists>(parse(&format!("[[{bad}],[{bad}]]")).unwrap(), &mut report).unwrap_or(Lists);
    let paths: Vec<&str> = report.notes().iter().map(|note| note.path.as_str()).collect();
    assert_eq!((paths, report.omitted()), (vec!["[0]", "[1]"], 0));
}

#[test]
fn paths_stay_short_and_on_one_line() {
    let long = "x".repeat(MANY);
    let table = [
        (r"a b", "a b"),
        ("", "\"\""),
        (r"line\nend\u0000", r"line\nend\u{0}"),
        (long.as_str(), &format!("{}…", "x".repeat(64))),
        // The cut is between characters.
        (&"ä".repeat(40), &format!("{}…", "ä".repeat(32))),
    ];
    for (name, shown) in table {
        let text = format!(r#"{{"{name}":[0,"x"]}}"#);
        let error = read::<Map<Vec<u32>>>(parse(&text).unwrap()).unwrap_err();
        assert_eq!(error.path(), format!("{shown}[1]"));

        let text = format!(r#"{{"kind":"a","{name}":0}}"#);
        let mut report = Report::default();
        read_reporting::<Sample>(parse(&text).unwrap(), &mut report).unwrap();
        let notes: Vec<_> = report.notes().iter().map(|note| (note.path.as_str(), &note.kind)).collect();
        assert_eq!(notes, [(shown, &NoteKind::Ignored)]);
    }
}

#[test]
fn long_names_and_texts_are_kept() {
    let long = "x".repeat(1 << 20);
    let text = format!(r#"{{"{long}":"{long}"}}"#);
    assert_eq!(written::<Value>(text.as_bytes()), text);
    assert_eq!(written::<Map>(text.as_bytes()), text);
}
