//! A case passes when the right thing was spoken, in the right way, and all of it was understood.

use serde_json::{Value, json};

use super::judge::{Expected, Report, judge};
use super::recorder::Sent;
use super::rows::{Client, Spoken};

fn report(spoken: Option<&str>, called: &[&str], failures: &[&str]) -> Report {
    let all = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let spoken = spoken.map(str::to_owned);
    Report { spoken, called: all(called), got: all(&["p"]), read: all(&[]), failures: all(failures) }
}

fn sent(messages: &[Value]) -> Vec<Sent> {
    messages.iter().map(|message| Sent { message: message.clone(), version_header: None }).collect()
}

fn request(method: &str) -> Value {
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    json!({ "id": 1, "method": method, "params": { "_meta": meta } })
}

fn initialize(version: &str) -> Value {
    json!({ "id": 2, "method": "initialize", "params": { "protocolVersion": version } })
}

const NEW: Option<&str> = Some("modern 2026-07-28");
const OLD: Option<&str> = Some("legacy 2025-11-25");

#[test]
fn a_server_is_spoken_to_as_the_row_wants_or_not_at_all() {
    let probe = || request("server/discover");
    let modern = || sent(&[probe(), request("tools/list")]);
    let legacy = || sent(&[initialize("2025-11-25")]);
    let fallback = || sent(&[probe(), initialize("2025-11-25")]);
    for (client, spoken, report, sent, verdict) in [
        (
            Client::Both,
            Spoken::Modern,
            report(NEW, &["t"], &[]),
            modern(),
            Ok("modern 2026-07-28; tools 1, prompts 1"),
        ),
        (
            Client::Both,
            Spoken::Legacy,
            report(OLD, &["t"], &[]),
            fallback(),
            Ok("legacy 2025-11-25; tools 1, prompts 1"),
        ),
        (Client::Legacy, Spoken::Legacy, report(NEW, &["t"], &[]), legacy(), Err("instead of")),
        (
            Client::Legacy,
            Spoken::Legacy,
            report(OLD, &["t"], &["p: not understood"]),
            legacy(),
            Err("not understood"),
        ),
        (Client::Legacy, Spoken::Legacy, report(OLD, &[], &[]), legacy(), Err("no tools")),
        (
            Client::Modern,
            Spoken::Nothing,
            report(None, &[], &["it is old"]),
            modern(),
            Ok("not connected, and said why"),
        ),
        (
            Client::Modern,
            Spoken::Nothing,
            report(None, &[], &["gone"]),
            modern(),
            Err("does not say \"old\""),
        ),
        (Client::Modern, Spoken::Nothing, report(None, &[], &[]), modern(), Err("nothing of why")),
        (Client::Legacy, Spoken::Nothing, report(OLD, &["t"], &[]), legacy(), Err("instead of None")),
        (
            Client::Legacy,
            Spoken::Nothing,
            report(None, &[], &["old"]),
            legacy(),
            Err("the versions of the server"),
        ),
    ] {
        let what = format!("{client:?} {spoken:?} {report:?}");
        match (judge(Expected { client, spoken, is_sse: false, refusal: "old" }, &report, &sent), verdict) {
            (Ok(remark), Ok(wanted)) => assert_eq!(remark, wanted),
            (Err(error), Err(wanted)) => assert!(error.to_string().contains(wanted), "{error}"),
            (judged, wanted) => panic!("{what}: {judged:?} instead of {wanted:?}"),
        }
    }
}

#[test]
fn what_was_sent_has_to_be_of_the_row() {
    let probe = || request("server/discover");
    let old = json!({ "id": 3, "method": "tools/list", "params": {} });
    let mut with_header = sent(&[probe()]);
    with_header[0].version_header = Some("2025-11-25".to_owned());
    for (client, spoken, sent, wanted) in [
        (Client::Modern, Spoken::Modern, sent(&[probe(), initialize("2025-11-25")]), "it sends `initialize`"),
        (Client::Both, Spoken::Modern, sent(&[request("tools/list")]), "does not begin with server/discover"),
        (Client::Both, Spoken::Modern, sent(&[]), "does not begin with server/discover"),
        (Client::Both, Spoken::Modern, sent(&[probe(), old]), "does not say its version"),
        (Client::Both, Spoken::Modern, with_header, "the header of a request says \"2025-11-25\""),
        (Client::Both, Spoken::Legacy, sent(&[probe()]), "sends no `initialize`"),
        (
            Client::Both,
            Spoken::Legacy,
            sent(&[probe(), initialize("2026-07-28")]),
            "asks for Some(\"2026-07-28\")",
        ),
        (
            Client::Legacy,
            Spoken::Legacy,
            sent(&[probe(), initialize("2025-11-25")]),
            "does not begin with initialize",
        ),
        (
            Client::Legacy,
            Spoken::Legacy,
            sent(&[initialize("2025-11-25"), probe()]),
            "asks before `initialize`",
        ),
    ] {
        let report = report(if spoken == Spoken::Modern { NEW } else { OLD }, &["t"], &[]);
        let error =
            judge(Expected { client, spoken, is_sse: false, refusal: "" }, &report, &sent).unwrap_err();
        assert!(error.to_string().contains(wanted), "{wanted}: {error}");
    }
}

#[test]
fn a_transport_of_the_legacy_era_is_opened_as_such() {
    let expected = Expected { client: Client::Both, spoken: Spoken::Legacy, is_sse: true, refusal: "" };
    let report = report(OLD, &["t"], &[]);
    assert!(judge(expected, &report, &sent(&[initialize("2025-11-25")])).is_ok());
    let probed = sent(&[request("server/discover"), initialize("2025-11-25")]);
    let error = judge(expected, &report, &probed).unwrap_err();
    assert!(error.to_string().contains("does not begin with initialize"), "{error}");
}
