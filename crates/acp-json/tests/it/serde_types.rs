//! `Node` as a serde deserializer: types of callers that derive `Deserialize`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Debug;

use acp_json::parse;
use serde::Deserialize;

#[derive(Debug, Deserialize, PartialEq)]
enum Shape {
    Unit,
    Newtype(u8),
    Tuple(u8, String),
    Struct { side: Option<f64> },
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Tagged {
    Text { text: String },
    Nothing,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Text(String),
}

#[derive(Debug, Deserialize, PartialEq)]
struct Newtype(u32);

#[derive(Debug, Deserialize, PartialEq)]
struct Unit;

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Strict {
    #[serde(default)]
    count: u16,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Borrowed<'a> {
    #[serde(borrow)]
    text: &'a str,
    #[serde(borrow)]
    maybe: Cow<'a, str>,
}

fn read<'a, T: Deserialize<'a> + PartialEq + Debug>(text: &'a str, expected: &T) {
    let found = parse(text).and_then(|node| node.parse::<T>());
    assert_eq!(found.as_ref(), Ok(expected), "{text}");
}

#[test]
fn derived_types_read_as_from_json() {
    read(r#""Unit""#, &Shape::Unit);
    read(r#"{"Unit":null}"#, &Shape::Unit);
    read(r#"{"Newtype":7}"#, &Shape::Newtype(7));
    read(r#"{"Tuple":[7,"x"]}"#, &Shape::Tuple(7, "x".to_owned()));
    read(r#"{"Struct":{"side":null}}"#, &Shape::Struct { side: None });
    read(r#"{"Struct":{"side":2}}"#, &Shape::Struct { side: Some(2.0) });
    read(r#"{"text":"t","type":"text"}"#, &Tagged::Text { text: "t".to_owned() });
    read(r#"{"type":"nothing","more":[]}"#, &Tagged::Nothing);
    read("-4", &Untagged::Number(-4));
    read(r#""four""#, &Untagged::Text("four".to_owned()));
    read("5", &Newtype(5));
    read("null", &Unit);
    read("{}", &Strict { count: 0 });
    read("[1,[true,null]]", &(1_u8, (true, ())));
    read(r#"{"b":[1],"a":[]}"#, &BTreeMap::from([("a".to_owned(), vec![]), ("b".to_owned(), vec![1_i32])]));
    read("[null,1]", &vec![None, Some(1_u64)]);
    read(r#""c""#, &'c');
}

#[test]
fn text_is_borrowed_from_the_line() {
    let text = r#"{"text":"plain","maybe":"es\tcaped"}"#.to_owned();
    read(&text, &Borrowed { text: "plain", maybe: Cow::Borrowed("es\tcaped") });
}

#[test]
fn what_does_not_fit_is_refused() {
    fn refused<T: for<'de> Deserialize<'de> + Debug>(text: &str) {
        let result = parse(text).and_then(|node| node.parse::<T>());
        assert!(result.is_err(), "{text} was read as {result:?}");
    }
    refused::<Shape>(r#""Newtype""#);
    refused::<Shape>(r#""Later""#);
    refused::<Shape>("{}");
    refused::<Shape>(r#"{"Newtype":7,"Unit":null}"#);
    refused::<Shape>("7");
    refused::<Strict>(r#"{"later":1}"#);
    refused::<Strict>(r#"{"count":65536}"#);
    refused::<Newtype>("-1");
    refused::<(u8, u8)>("[1,2,3]");
    refused::<bool>("null");
    refused::<u64>("1.5");
}

#[test]
fn errors_do_not_repeat_the_payload() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only its reader is looked at")]
    struct Form {
        age: u8,
        plan: Plan,
    }
    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Plan {
        Free,
        Paid,
    }
    let cases = [
        (r#"{"age":"secret","plan":"free"}"#, "expected u8, found a string"),
        (r#"{"age":4711,"plan":"free"}"#, "expected u8, found a number that does not fit"),
        (r#"{"age":7,"plan":"secret"}"#, "unknown variant, expected one of `free`, `paid`"),
        (r#"{"age":7}"#, "missing field `plan`"),
        (r#"["secret"]"#, "expected u8, found a string"),
    ];
    for (text, expected) in cases {
        let error = acp_json::parse(text).unwrap().parse::<Form>().unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    }
}
