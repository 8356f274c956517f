//! The tree: the parts of a JSON text that it keeps.

use std::borrow::Cow;

use acp_json::{Node, Outline, parse, to_string};

#[test]
fn text_is_written_as_it_came() {
    for text in [
        "null",
        "true",
        "0",
        "18446744073709551615",
        "-9223372036854775808",
        "0.1",
        "1.0",
        r#""""#,
        r#""a\"b\\c\n\u0000""#,
        "\"\u{2028} \u{202e}\u{1f600}\"",
        "[]",
        "{}",
        r#"{"z":1,"a":[{"y":null},[]],"m":{"b":false}}"#,
    ] {
        assert_eq!(to_string(&parse(text).unwrap()), text);
        assert_eq!(to_string(&parse(text).unwrap().into_owned()), text);
    }
}

#[test]
fn numbers_keep_their_kind() {
    for (text, number) in [
        ("0", Node::U64(0)),
        ("9223372036854775808", Node::U64(1 << 63)),
        ("-1", Node::I64(-1)),
        ("1.0", Node::F64(1.0)),
        ("1e2", Node::F64(100.0)),
        ("18446744073709551616", Node::Exact("18446744073709551616".into())),
    ] {
        assert_eq!(parse(text).unwrap(), number, "{text}");
    }
    assert_eq!(parse("-5").unwrap().as_i64(), Some(-5));
    assert_eq!(parse("5").unwrap().as_i64(), Some(5));
    assert_eq!(parse("18446744073709551615").unwrap().as_i64(), None);
    assert_eq!(parse("5.0").unwrap().as_u64(), None);
}

#[test]
fn strings_are_borrowed_unless_they_hold_escapes() {
    let is_borrowed = |text| matches!(parse(text).unwrap(), Node::Str(Cow::Borrowed(_)));
    assert!(is_borrowed(r#""plain""#));
    assert!(!is_borrowed(r#""es\ncaped""#));
    let Node::Map(members) = parse(r#"{"name":1,"na\u006de":2}"#).unwrap() else { panic!("an object") };
    assert!(matches!(members[0].0, Cow::Borrowed("name")));
    assert!(matches!(&members[1].0, Cow::Owned(name) if name == "name"));
}

#[test]
fn of_a_name_that_occurs_twice_the_last_counts() {
    let mut node = parse(r#"{"a":1,"b":2,"a":3,"c":4,"a":5}"#).unwrap();
    assert_eq!(node.get("a"), Some(&Node::U64(5)));
    assert_eq!(node.take("a"), Some(Node::U64(5)));
    assert_eq!(to_string(&node), r#"{"b":2,"c":4}"#);
    assert_eq!(node.take("a"), None);
}

#[test]
fn only_objects_have_members() {
    for text in ["null", "7", r#""a""#, "[1]"] {
        let mut node = parse(text).unwrap();
        assert_eq!((node.get("a"), node.clone().take("a")), (None, None));
        assert_eq!(node.take("a"), None);
    }
}

#[test]
fn kinds_read_like_words_of_an_error() {
    let kinds =
        ["null", "true", "1", "-1", "1.5", r#""a""#, "[]", "{}"].map(|text| parse(text).unwrap().kind());
    let expected =
        ["null", "a boolean", "a number", "a number", "a number", "a string", "an array", "an object"];
    assert_eq!(kinds, expected);
}

#[test]
fn what_is_no_json_is_an_error_without_the_text() {
    for text in ["", "{", "{secret}", "[1,]", "01", "1.e400", r#""\ud83d""#, "\"raw\nline\"", "1 2", "NaN"] {
        let error = parse(text).unwrap_err();
        assert!(error.to_string().starts_with("not valid JSON: "), "{text}: {error}");
        assert!(!error.to_string().contains("secret"), "{error}");
        assert_eq!(error.path(), "");
    }
}

#[test]
fn nesting_without_end_is_refused_and_not_a_crash() {
    let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse(&deep(100)).is_ok());
    assert!(parse(&deep(100_000)).is_err());
}

/// Looks for the members `id` and `method`, in pieces of every size.
fn outline(text: &str) -> (Option<String>, bool) {
    let found = |size: usize| {
        let mut outline = Outline::of(["id", "method"]);
        text.as_bytes().chunks(size).for_each(|piece| outline.push(piece));
        (outline.value("id").map(|id| to_string(&id)), outline.has("method"))
    };
    let whole = found(text.len().max(1));
    for size in 1..text.len().min(16) {
        assert_eq!(found(size), whole, "{text} in pieces of {size}");
    }
    whole
}

#[test]
fn an_outline_has_the_members_of_the_object_itself() {
    let long = format!(r#"{{"text":"{}\\","id":7}}"#, "x{[\\\"".repeat(10_000));
    let deep = format!(r#"{{"a":{}"id":1{},"id":7}}"#, r#"[{"b":"#.repeat(10_000), "}]".repeat(10_000));
    for (text, id) in [
        (r#"{"id":7,"result":{}}"#, Some("7")),
        (r#" {"id" : 7 , "result":{}}"#, Some("7")),
        ("\u{feff}{\"id\":7}", Some("7")),
        (r#"{"id":-7}"#, Some("-7")),
        (r#"{"id":"a\"}\\","result":1}"#, Some(r#""a\"}\\""#)),
        (r#"{"\u0069d":"\u0061"}"#, Some(r#""a""#)),
        (r#"{"result":{"id":1,"x":[{"id":2}]},"id":7}"#, Some("7")),
        (r#"{"result":"\"id\":1,","id":7}"#, Some("7")),
        (r#"{"result":["id",{"id":1}],"x":"id","id":7}"#, Some("7")),
        (r#"{"id":1,"id":7}"#, Some("7")),
        (r#"{"id":1,"id":{}}"#, None),
        (r#"{"id":null}"#, Some("null")),
        (r#"{"result":{"id":1}}"#, None),
        (r#"[{"id":1}]"#, None),
        (r#"{"id":[1]}"#, None),
        (r#"{"id":1 2}"#, None),
        (r#"{"x":1}{"id":1}"#, None),
        (r#"Started {"id":1}"#, None),
        // The end has not come: it may be 77 or more, or a longer string.
        (r#"{"id":7"#, None),
        (r#"{"id":"a"#, None),
        (r#"{"id":7,"#, Some("7")),
        // No other reader gets beyond these.
        (r#"{"x":"\ud83d","y":1e400,"z":nul,"id":7}"#, Some("7")),
        ("{\"x\":\"a\u{1}b\",\"id\":7}", Some("7")),
        ("", None),
        (&long, Some("7")),
        (&deep, Some("7")),
    ] {
        let shown: String = text.chars().take(60).collect();
        assert_eq!(outline(text).0.as_deref(), id, "{shown}");
    }
    assert!(outline(r#"{"id":1,"method":"x","params":{}}"#).1);
    assert!(outline(r#"{"id":1,"method":{"a":1"#).1, "a name is enough");
    assert!(!outline(r#"{"id":1,"result":{"method":"x"},"x":"method"}"#).1);
}

#[test]
fn an_outline_keeps_little() {
    let id = |length: usize| format!(r#"{{"id":"{}"}}"#, "x".repeat(length));
    assert_eq!(outline(&id(1022)).0.map(|id| id.len()), Some(1024));
    assert_eq!(outline(&id(1023)).0, None);
    assert_eq!(outline(&id(1_000_000)).0, None);
    assert_eq!(outline(&format!(r#"{{"{}":1,"id":7}}"#, "id".repeat(100_000))).0.as_deref(), Some("7"));
}
