//! The file of a session: kills, cuts, damage and locks.

mod damage;
#[cfg(target_os = "linux")]
mod full;
#[cfg(unix)]
mod idle;
mod kill;
#[cfg(unix)]
mod limited;
mod list;
mod lock;
mod state;
mod turn;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use acp_agent::store::{Damage, Journal, Record, RecordKind, SessionStore, StoreError};
use acp_agent::types::{SessionId, SessionInfo};

/// The id of the session that most tests have.
const ID: &str = "sess_1";

fn id() -> SessionId {
    SessionId::from(ID)
}

fn info(id: &str) -> SessionInfo {
    SessionInfo::new(id, "/work")
}

fn file(folder: &Path) -> PathBuf {
    folder.join(format!("{ID}.journal"))
}

fn update(json: impl Into<String>) -> Record {
    Record::new(RecordKind::Update, json).unwrap()
}

/// Reads all readable records, in order.
async fn read(journal: &Journal, id: &SessionId) -> Result<Vec<Record>, StoreError> {
    let mut records = journal.read(id).await?;
    let mut all = Vec::new();
    loop {
        let batch = records.next().await?;
        if batch.is_empty() {
            return Ok(all);
        }
        all.extend(batch);
    }
}

/// A journal, and the damage that it has reported.
fn watched(folder: &Path) -> (Journal, Arc<Mutex<Vec<Damage>>>) {
    let damage = Arc::new(Mutex::new(Vec::new()));
    let reported = Arc::clone(&damage);
    let journal = Journal::at(folder).on_damage(move |damage| reported.lock().unwrap().push(damage.clone()));
    (journal, damage)
}

#[tokio::test]
async fn records_come_back_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    let records = [
        Record::new(RecordKind::Prompt, r#"[{"type":"text","text":"héllo\n\u0000"}]"#).unwrap(),
        update(r#"{ "b" : 1e2, "a":"\ud83d\ude00" }"#),
        update(format!("\"{}\"", "x".repeat(300_000))),
    ];
    let mut log = journal.create(info(ID)).await.unwrap();
    log.append(records[..1].to_vec()).await.unwrap();
    log.append(records[1..].to_vec()).await.unwrap();
    assert_eq!(read(&journal, &id()).await.unwrap(), records, "while it is open");
    log.commit().await.unwrap();
    drop(log);
    let mut log = journal.open(&id()).await.unwrap();
    log.append(vec![records[0].clone()]).await.unwrap();
    drop(log);
    let all = read(&journal, &id()).await.unwrap();
    assert_eq!(all, [&records[..], &records[..1]].concat());
}

#[tokio::test]
async fn a_line_is_a_length_a_checksum_a_kind_and_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let prompt = r#"[{"type":"text","text":"héllo"}]"#;
    let records =
        [Record::new(RecordKind::Prompt, prompt).unwrap(), update(r#"{"sessionUpdate":"x","n":1}"#)];
    let mut log = Journal::at(folder.path()).create(info(ID)).await.unwrap();
    log.append(records.to_vec()).await.unwrap();
    drop(log);
    let text = std::fs::read_to_string(file(folder.path())).unwrap();
    let expected = [
        r#"00000021 3c71a95f p [{"type":"text","text":"héllo"}]"#,
        r#"0000001b 25b78fd0 u {"sessionUpdate":"x","n":1}"#,
    ];
    assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn any_id_is_a_file_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path().join("deep").join("er"));
    let ids = ["a", "A", "%41", "../a", "/etc/passwd", ".", "..", "a b", "ä", "con\u{0}", "x.journal"];
    for name in ids {
        let mut log = journal.create(info(name)).await.unwrap();
        log.append(vec![update(format!("{name:?}").replace("\\0", "\\u0000"))]).await.unwrap();
    }
    for name in ids {
        assert_eq!(read(&journal, &SessionId::from(name)).await.unwrap().len(), 1, "{name}");
        assert!(matches!(journal.create(info(name)).await, Err(StoreError::Exists { .. })), "{name}");
    }
    let outside: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(outside.len(), 1);
    for name in ["", &"x".repeat(300)] {
        assert!(matches!(journal.create(info(name)).await, Err(StoreError::Id { .. })), "{name}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_stored_is_for_the_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let sessions = folder.path().join("sessions");
    drop(Journal::at(&sessions).create(info(ID)).await.unwrap());
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&sessions), mode(&file(&sessions))), (0o700, 0o600));
}
