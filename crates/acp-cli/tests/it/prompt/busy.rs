//! Sessions that are in use elsewhere, by an agent made of a few lines of shell.

use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::AGENT;

/// Resumes a session whose agent answers with this error. Returns stdout and stderr.
fn refused(options: &[&str], error: &str) -> (String, String) {
    let script = format!(
        r#"{AGENT} take; give '{{"protocolVersion":1,"agentCapabilities":{{"sessionCapabilities":{{"resume":{{}}}}}}}}'
        take; printf '{{"jsonrpc":"2.0","id":%s,"error":{error}}}\n' "$id"; take"#
    );
    let mut acp = Command::new(env!("CARGO_BIN_EXE_acp"));
    acp.args(["prompt", "hello", "--timeout", "60", "--session", "s1"]).args(options);
    let Output { status, stdout, stderr } =
        acp.args(["--", "sh", "-c", &script]).stdin(Stdio::null()).output().expect("acp runs");
    let (out, err) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert_eq!(status.code(), Some(1), "{out}{err}");
    (out.into_owned(), err.into_owned())
}

fn error(data: &str) -> String {
    format!(r#"{{"code":-32600,"message":"no, sorry","data":{data}}}"#)
}

#[test]
fn a_session_that_is_open_elsewhere_says_what_to_do_and_until_when() {
    for (until, wanted) in [
        (
            r#","until":"2999-01-01T00:00:00.000Z""#,
            &["close it there, or try again in ", " s. If", "free at 2999-01-01T00:00:00.000Z"][..],
        ),
        (r#","until":"2001-01-01T00:00:00.000Z""#, &["close it there, and then try again"]),
        (r#","until":"soon""#, &["close it there, and then try again"]),
        ("", &["close it there, and then try again"]),
    ] {
        let data = format!(r#"{{"acp-rs/store":{{"kind":"busy","sessionId":"s1"{until}}}}}"#);
        let (_, err) = refused(&[], &error(&data));
        assert!(err.contains("session `s1` is open elsewhere"), "{err}");
        assert!(wanted.iter().all(|part| err.contains(part)), "{wanted:?}: {err}");
        assert!(!err.contains("acp-rs/store"), "{err}");
    }
}

#[test]
fn a_session_that_was_continued_elsewhere_says_how_to_go_on() {
    let (_, err) = refused(&[], &error(r#"{"acp-rs/store":{"kind":"changed","sessionId":"s1"}}"#));
    assert!(err.contains("was continued elsewhere") && err.contains("`acp prompt --session s1`"), "{err}");
}

#[test]
fn lines_of_json_keep_the_error_of_the_agent() {
    let data = r#"{"acp-rs/store":{"kind":"busy","sessionId":"s1"}}"#;
    let (out, _) = refused(&["--json"], &error(data));
    let last: Value = serde_json::from_str(out.lines().last().expect("a line")).expect("JSON");
    assert!(last["message"].as_str().expect("text").contains("open elsewhere"), "{last}");
    assert_eq!((&last["code"], last["data"].to_string()), (&(-32600).into(), data.to_owned()));

    let (out, _) = refused(&["--json"], r#"{"code":-32000,"message":"who are you?"}"#);
    let last: Value = serde_json::from_str(out.lines().last().expect("a line")).expect("JSON");
    assert!(last["message"].as_str().expect("text").contains("log in"), "{last}");
    assert_eq!(last["code"], -32000);
}

#[test]
fn an_error_that_says_nothing_of_the_kind_is_shown_as_it_is() {
    for data in [r#"{"acp-rs/store":{"kind":"frozen"}}"#, r#"{"acp-rs/store":7}"#, r#""busy""#, "7"] {
        let (_, err) = refused(&[], &error(data));
        assert!(err.contains("`session/resume`") && err.contains("no, sorry"), "{err}");
        assert!(!err.contains("open elsewhere"), "{err}");
    }
    // The session is told safely.
    let (_, err) =
        refused(&[], &error(r#"{"acp-rs/store":{"kind":"busy","sessionId":"a\\u001b[31mb\\u000ac"}}"#));
    assert!(err.contains("is open elsewhere") && !err.contains('\u{1b}'), "{err}");
}
