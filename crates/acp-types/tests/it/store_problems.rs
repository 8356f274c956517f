//! Problems of stores in the `data` of errors.

use std::time::{Duration, UNIX_EPOCH};

use acp_types::Value;
use acp_types::v1::SessionId;
use acp_types::v1::ext::StoreProblem;

fn data(text: &str) -> Value {
    text.parse().expect("JSON")
}

fn busy(until: Option<u64>) -> StoreProblem {
    let until = until.map(|millis| UNIX_EPOCH + Duration::from_millis(millis));
    StoreProblem::Busy { session: SessionId::from("s1"), until }
}

fn changed() -> StoreProblem {
    StoreProblem::Changed { session: SessionId::from("s1") }
}

#[test]
fn problems_are_written_and_read() {
    let table = [
        (
            busy(Some(1_769_860_800_250)),
            r#"{"acp-rs/store":{"kind":"busy","sessionId":"s1","until":"2026-01-31T12:00:00.250Z"}}"#,
        ),
        (busy(None), r#"{"acp-rs/store":{"kind":"busy","sessionId":"s1"}}"#),
        (changed(), r#"{"acp-rs/store":{"kind":"changed","sessionId":"s1"}}"#),
        (StoreProblem::Unavailable, r#"{"acp-rs/store":{"kind":"unavailable"}}"#),
    ];
    for (problem, text) in table {
        let written = Value::from(problem.to_data().expect("a short id"));
        assert_eq!(written.to_string(), text);
        assert_eq!(StoreProblem::from_data(&data(text)), Some(problem));
    }
}

#[test]
fn members_of_others_change_nothing() {
    let more = r#"{"field":"x","acp-rs/store":{"until":"2026-01-31T12:00:00.250Z","holder":7,
        "sessionId":"s1","kind":"busy"},"acme.dev/store":{"kind":"changed"}}"#;
    assert_eq!(StoreProblem::from_data(&data(more)), Some(busy(Some(1_769_860_800_250))));
    let unneeded = r#"{"acp-rs/store":{"kind":"unavailable","sessionId":5,"until":[]}}"#;
    assert_eq!(StoreProblem::from_data(&data(unneeded)), Some(StoreProblem::Unavailable));
}

#[test]
fn a_time_that_cannot_be_read_is_not_known() {
    for until in ["null", "5", r#""soon""#, r#""""#, "{}", r#""2026-01-31T12:00:00+01:00""#] {
        let text = format!(r#"{{"acp-rs/store":{{"kind":"busy","sessionId":"s1","until":{until}}}}}"#);
        assert_eq!(StoreProblem::from_data(&data(&text)), Some(busy(None)), "{until}");
    }
}

#[test]
fn data_of_another_form_says_nothing() {
    for text in [
        "null",
        "5",
        "true",
        r#""busy""#,
        r#"["acp-rs/store"]"#,
        "{}",
        r#"{"kind":"busy","sessionId":"s1"}"#,
        r#"{"acp-rs/store":null}"#,
        r#"{"acp-rs/store":"busy"}"#,
        r#"{"acp-rs/store":[{"kind":"busy","sessionId":"s1"}]}"#,
        r#"{"acp-rs/store":{}}"#,
        r#"{"acp-rs/store":{"kind":5,"sessionId":"s1"}}"#,
        r#"{"acp-rs/store":{"kind":"frozen","sessionId":"s1"}}"#,
        r#"{"acp-rs/store":{"kind":"busy"}}"#,
        r#"{"acp-rs/store":{"kind":"busy","sessionId":5}}"#,
        r#"{"acp-rs/store":{"kind":"changed","sessionId":null}}"#,
    ] {
        assert_eq!(StoreProblem::from_data(&data(text)), None, "{text}");
    }
}

#[test]
fn an_id_that_is_longer_than_any_is_not_repeated() {
    let of = |bytes| StoreProblem::Changed { session: SessionId::from("x".repeat(bytes)) };
    assert!(of(1024).to_data().is_some());
    assert_eq!(of(1025).to_data(), None);
}

#[test]
fn a_time_before_1970_is_left_out() {
    let until = Some(UNIX_EPOCH - Duration::from_secs(1));
    let problem = StoreProblem::Busy { session: SessionId::from("s1"), until };
    let written = Value::from(problem.to_data().expect("a short id"));
    assert_eq!(StoreProblem::from_data(&written), Some(busy(None)));
}
