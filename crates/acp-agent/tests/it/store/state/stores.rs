//! State in stores of any kind, and in journals of other versions.

use std::path::Path;

use acp_agent::store::{Journal, Pending, Record, RecordKind, SessionStore};
use acp_agent::types::SessionId;
use serde_json::json;

use super::*;
use crate::store::wrapped::{Hooks, Wrapped};

/// Keeps the kinds by their names, as a table in a database would.
struct Named;

impl Hooks for Named {
    fn append(&self, records: Vec<Record>) -> Pending<'_, Vec<Record>> {
        let records = records.iter().map(|record| {
            let kind = RecordKind::of_name(record.kind().name()).unwrap();
            Record::new(kind, record.json())
        });
        let records = records.collect();
        Box::pin(async { records })
    }
}

#[test]
fn kinds_have_names() {
    for kind in [RecordKind::Prompt, RecordKind::Update, RecordKind::Settings, RecordKind::Saved] {
        assert_eq!(RecordKind::of_name(kind.name()), Some(kind));
    }
    assert_eq!(RecordKind::of_name("later"), None);
}

#[tokio::test]
async fn a_store_of_others_keeps_the_state() {
    let folder = tempfile::tempdir().unwrap();
    let store = || Wrapped::new(Journal::at(folder.path()), Named);
    let mut wire = Wire::connect(agent(store()), all()).await;
    let session = set_all(&mut wire).await;
    wire.close().await;
    for method in ["session/load", "session/resume"] {
        let mut wire = Wire::connect(agent(store()), all()).await;
        let result = reopen(&mut wire, method, &session).await;
        assert_eq!(told(&result), (json!("code"), json!("large"), json!(true)), "{method}: {result}");
        assert_eq!(says(&mut wire, &session).await, "code large Some(true) 7", "{method}");
        wire.close().await;
    }
}

/// Writes the only journal of the folder anew, line by line. Checksums are of the kind and the
/// text.
fn rewrite(folder: &Path, mut line: impl FnMut(&str, &str) -> Option<String>) {
    let path = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&path).unwrap();
    let mut rewritten = String::new();
    for old in text.lines() {
        let (kind, json) = (&old[18..19], &old[20..]);
        let Some(json) = line(kind, json) else { continue };
        let sum = crc32(format!("{kind}{json}").as_bytes());
        rewritten.push_str(&format!("{:08x} {sum:08x} {kind} {json}\n", json.len()));
    }
    std::fs::write(path, rewritten).unwrap();
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| {
        let sum = sum ^ u32::from(*byte);
        (0..8).fold(sum, |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 })
    })
}

/// The facts without the places of the state, as an earlier version writes them.
fn without_places(json: &str) -> String {
    let mut facts: serde_json::Map<String, Value> = serde_json::from_str(json).unwrap();
    assert!(facts.remove("stateAt").is_some(), "{json}");
    Value::from(facts).to_string()
}

#[tokio::test]
async fn a_journal_of_an_earlier_version_loads() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
    let session = set_all(&mut wire).await;
    wire.close().await;
    rewrite(folder.path(), |kind, json| match kind {
        "i" => Some(without_places(json)),
        "s" | "v" => None,
        _ => Some(json.to_owned()),
    });
    for method in ["session/load", "session/resume"] {
        let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
        let result = reopen(&mut wire, method, &session).await;
        assert_eq!(told(&result), (json!("ask"), json!("small"), json!(false)), "{method}: {result}");
        assert_eq!(says(&mut wire, &session).await, "ask small Some(false) 0", "{method}");
        wire.close().await;
    }
    // From here on it has state.
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
    reopen(&mut wire, "session/resume", &session).await;
    done(&mut wire, "session/set_mode", json!({"sessionId": session, "modeId": "code"})).await;
    wire.close().await;
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
    let result = reopen(&mut wire, "session/resume", &session).await;
    assert_eq!(told(&result), (json!("code"), json!("small"), json!(false)), "{result}");
    wire.close().await;
}

/// An earlier version went on with the session: it knows no places, and passes over the records.
#[tokio::test]
async fn state_survives_an_earlier_version_in_between() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
    let session = set_all(&mut wire).await;
    wire.close().await;
    rewrite(folder.path(), |kind, json| {
        Some(if kind == "i" { without_places(json) } else { json.to_owned() })
    });
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
    let result = reopen(&mut wire, "session/resume", &session).await;
    assert_eq!(told(&result), (json!("code"), json!("large"), json!(true)), "{result}");
    assert_eq!(says(&mut wire, &session).await, "code large Some(true) 7");
    wire.close().await;
}

/// Settings of a later version, which this one cannot read, are passed over and reported.
#[tokio::test]
async fn settings_that_cannot_be_read_are_passed_over_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
    let session = set_all(&mut wire).await;
    wire.close().await;
    let journal = Journal::at(folder.path());
    let mut log = journal.open(&SessionId::from(session.as_str())).await.unwrap();
    log.append(vec![Record::new(RecordKind::Settings, r#"["secret"]"#).unwrap()]).await.unwrap();
    drop(log);
    let faults = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let reported = std::sync::Arc::clone(&faults);
    let serve = acp_agent::Serve::new(agent(journal))
        .on_fault(move |fault| reported.lock().unwrap().push(fault.to_string()));
    let mut wire = Wire::serve_as(serve);
    wire.initialize(all()).await;
    let result = reopen(&mut wire, "session/resume", &session).await;
    assert_eq!(told(&result), (json!("ask"), json!("small"), json!(false)), "{result}");
    assert_eq!(says(&mut wire, &session).await, "ask small Some(false) 7");
    let faults = std::mem::take(&mut *faults.lock().unwrap());
    assert!(faults.len() == 1 && faults[0].contains(&session) && !faults[0].contains("secret"), "{faults:?}");
    wire.close().await;
}

/// A later version keeps one more kind of state. Its place stays known here.
#[tokio::test]
async fn kinds_of_state_of_a_later_version_keep_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
    let session = set_all(&mut wire).await;
    wire.close().await;
    rewrite(folder.path(), |kind, json| match kind {
        "i" => {
            let mut facts: Value = serde_json::from_str(json).unwrap();
            facts["stateAt"]["later"] = json!(7);
            Some(facts.to_string())
        }
        _ => Some(json.to_owned()),
    });
    // The lines have become longer, so that this version has to look for the places of its own
    // kinds.
    for round in 0..2 {
        let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
        let result = reopen(&mut wire, "session/resume", &session).await;
        assert_eq!(told(&result), (json!("code"), json!("large"), json!(true)), "{round}: {result}");
        // A new title is a new line of facts.
        wire.turn(&session, &format!("title {round}")).await;
        wire.close().await;
        let path = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let text = std::fs::read_to_string(path).unwrap();
        let facts = text.lines().rfind(|line| &line[18..19] == "i").unwrap();
        let facts: Value = serde_json::from_str(&facts[20..]).unwrap();
        assert_eq!(facts["title"], format!("title {round}"), "{facts}");
        assert_eq!(facts["stateAt"]["later"], 7, "{facts}");
        assert!(facts["stateAt"]["settings"].as_u64() > Some(0), "{facts}");
    }
}
