//! Messages that an honest peer never sends: repeated members, refused values, kept values.

use acp_types::v1::{ContentBlock, ElicitationSchema, PromptRequest, SessionNotification};
use acp_types::{FromNode, from_slice, from_str, from_str_reporting, to_string};
use serde_core::Serialize;

/// Returns the value of a text, written again, or the reason why it is refused.
fn written<T: FromNode + Serialize>(text: &str) -> String {
    match from_str::<T>(text) {
        Ok(value) => to_string(&value),
        Err(error) => error.to_string().split(": ").take(2).collect::<Vec<_>>().join(": "),
    }
}

#[test]
fn of_two_members_the_last_counts() {
    let table = [
        ("a member", r#"{"type":"text","text":"a","text":"b"}"#, r#"{"type":"text","text":"b"}"#),
        ("the tag", r#"{"type":"image","text":"a","type":"text"}"#, r#"{"type":"text","text":"a"}"#),
        (
            "the tag, escaped",
            r#"{"type":"text","text":"a","\u0074ype":"later"}"#,
            r#"{"type":"later","text":"a"}"#,
        ),
        (
            "the tag, no string at last",
            r#"{"type":"text","text":"a","type":7}"#,
            "`type`: expected a string, found a number",
        ),
        (
            "a member, null at last",
            r#"{"type":"text","text":"a","text":null}"#,
            "`text`: expected a string, found null",
        ),
        (
            "a member of a kind that is not known",
            r#"{"type":"later","x":1,"y":2,"x":3}"#,
            r#"{"type":"later","y":2,"x":3}"#,
        ),
        (
            "a name in `_meta`",
            r#"{"type":"text","text":"a","_meta":{"x":1,"y":2,"x":3}}"#,
            r#"{"type":"text","text":"a","_meta":{"y":2,"x":3}}"#,
        ),
        (
            "`_meta` itself",
            r#"{"_meta":{"x":1},"type":"text","text":"a","_meta":{"y":2}}"#,
            r#"{"type":"text","text":"a","_meta":{"y":2}}"#,
        ),
        // Parts that the protocol does not look into are passed on as they came.
        (
            "a name deep in `_meta`",
            r#"{"type":"text","text":"a","_meta":{"x":{"y":1,"y":2}}}"#,
            r#"{"type":"text","text":"a","_meta":{"x":{"y":1,"y":2}}}"#,
        ),
    ];
    for (what, text, expected) in table {
        assert_eq!(written::<ContentBlock>(text), expected, "{what}");
    }
}

#[test]
fn one_bad_number_or_character_anywhere_refuses_the_whole_text() {
    for bad in [r#""\ud800""#, r#"{"\udc00":0}"#, "\"\0\"", "01", "NaN", &"[".repeat(200)] {
        for place in [r#""later":"#, r#""_meta":{"x":"#, r#""text":"#] {
            let close = if place.ends_with("{\"x\":") { "}" } else { "" };
            let text = format!(r#"{{"type":"text","text":"a",{place}{bad}{close}}}"#);
            let error = from_str::<ContentBlock>(&text).unwrap_err().to_string();
            assert!(error.starts_with("not valid JSON: "), "{text}: {error}");
        }
    }
    let mut bytes = br#"{"type":"text","text":"a","later":"?"}"#.to_vec();
    assert!(from_slice::<ContentBlock>(&bytes).is_ok());
    *bytes.iter_mut().rfind(|byte| **byte == b'?').unwrap() = 0xff;
    assert!(from_slice::<ContentBlock>(&bytes).is_err(), "not UTF-8 where nobody looks");
}

#[test]
fn a_number_beyond_the_largest_double_is_kept_where_anything_may_stand() {
    for number in ["1e400", &"9".repeat(400)] {
        let text = format!(r#"{{"type":"text","text":"a","_meta":{{"x":{number}}}}}"#);
        assert_eq!(written::<ContentBlock>(&text), text);
        let text = format!(r#"{{"type":"text","text":{number}}}"#);
        let error = from_str::<ContentBlock>(&text).unwrap_err().to_string();
        assert_eq!(error, "`text`: expected a string, found a number");
    }
}

#[test]
fn many_members_and_items_are_read() {
    const MANY: usize = 50_000;
    let list = |each: &dyn Fn(usize) -> String| (0..MANY).map(each).collect::<Vec<_>>().join(",");

    let members = list(&|index| format!(r#""m{index}":0"#));
    let text = format!(r#"{{"sessionId":"s","prompt":[],{members}}}"#);
    let (request, report) = from_str_reporting::<PromptRequest>(&text).unwrap();
    assert!(request.prompt.is_empty());
    assert_eq!(report.notes().len() + report.omitted(), MANY);
    assert!(report.notes().len() <= 1000);

    let text = format!(r#"{{"type":"later",{members}}}"#);
    assert_eq!(written::<ContentBlock>(&text), text);

    let meta = format!(r#"{{"type":"text","text":"a","_meta":{{{members}}}}}"#);
    assert_eq!(written::<ContentBlock>(&meta), meta);

    let properties = list(&|index| format!(r#""p{index}":{{"type":"boolean"}}"#));
    let text = format!(r#"{{"type":"object","properties":{{{properties}}}}}"#);
    assert_eq!(from_str::<ElicitationSchema>(&text).unwrap().properties.len(), MANY);

    let items = list(&|_| "{}".to_owned());
    let text = format!(
        r#"{{"sessionId":"s","update":{{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","content":[{items}]}}}}"#
    );
    let (_, report) = from_str_reporting::<SessionNotification>(&text).unwrap();
    assert_eq!(report.notes().len() + report.omitted(), MANY);
}
