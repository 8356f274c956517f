//! The state of a session in its file: where it stands, and what is left of it after damage.

use acp_agent::store::{Journal, Record, RecordKind, SessionLog, SessionStore as _};

use super::{ID, file, id, info, update};

fn state(kind: RecordKind, number: usize) -> Record {
    Record::new(kind, format!("{{\"n\":{number}}}")).unwrap()
}

/// The state that the journal finds: settings, value.
async fn found(journal: &Journal) -> (Option<String>, Option<String>) {
    let mut log = journal.open(&id()).await.unwrap();
    of(&mut *log).await
}

async fn of(log: &mut dyn SessionLog) -> (Option<String>, Option<String>) {
    let records = log.state().await.unwrap().unwrap();
    let text = |kind| {
        let found: Vec<_> = records.iter().filter(|record| record.kind() == kind).collect();
        assert!(found.len() <= 1);
        found.first().map(|record| record.json().to_owned())
    };
    (text(RecordKind::Settings), text(RecordKind::Saved))
}

fn n(number: usize) -> Option<String> {
    Some(format!("{{\"n\":{number}}}"))
}

/// Many records in batches of many sizes, with facts in between: the last of each kind is found, at
/// each moment, and in a file that a kill has left there.
#[tokio::test]
async fn the_last_of_each_kind_is_found_at_each_moment() {
    for batch in [1, 7, 100] {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::at(folder.path());
        let mut log = journal.create(info(ID)).await.unwrap();
        assert_eq!(of(&mut *log).await, (None, None));
        let (mut settings, mut saved) = (None, None);
        for number in 0..40 {
            let mut records: Vec<_> =
                (0..batch).map(|_| update(format!("\"{}\"", "x".repeat(700)))).collect();
            if number % 3 == 1 {
                records.insert(batch / 2, state(RecordKind::Settings, number));
                settings = n(number);
            }
            if number % 11 == 5 {
                records.insert(batch / 3, state(RecordKind::Saved, 0));
                records.push(state(RecordKind::Saved, number));
                saved = n(number);
            }
            log.append(records).await.unwrap();
            let expected = (settings.clone(), saved.clone());
            assert_eq!(of(&mut *log).await, expected, "{batch}: {number}");
            // An unfinished line, as after a kill.
            let copy = tempfile::tempdir().unwrap();
            let mut bytes = std::fs::read(file(folder.path())).unwrap();
            bytes.extend_from_slice(b"00000007 00000000 s {\"n\"");
            std::fs::write(file(copy.path()), bytes).unwrap();
            assert_eq!(found(&Journal::at(copy.path())).await, expected, "{batch}: {number}, a copy");
        }
        log.commit().await.unwrap();
        drop(log);
        assert_eq!(found(&journal).await, (settings, saved));
    }
}

/// The line of a record in a file, between two line ends.
async fn line_of(record: Record) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    journal.create(info(ID)).await.unwrap().append(vec![record]).await.unwrap();
    let bytes = std::fs::read(file(folder.path())).unwrap();
    let start = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    bytes[start..].to_vec()
}

/// Of a long session, only the ends of the file and the places of its state are read.
#[tokio::test]
async fn a_long_session_is_not_read_for_its_state() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    let mut log = journal.create(info(ID)).await.unwrap();
    log.append(vec![state(RecordKind::Saved, 1)]).await.unwrap();
    for _ in 0..50 {
        log.append(vec![update(format!("\"{}\"", "x".repeat(20_000)))]).await.unwrap();
    }
    log.commit().await.unwrap();
    drop(log);
    let mut bytes = std::fs::read(file(folder.path())).unwrap();
    // Whoever read the middle would find another value there.
    let middle = bytes.len() / 2;
    let planted = line_of(state(RecordKind::Saved, 2)).await;
    bytes[middle..middle + planted.len()].copy_from_slice(&planted);
    std::fs::write(file(folder.path()), &bytes).unwrap();
    assert_eq!(found(&journal).await, (None, n(1)));
}

/// Damage of the last record brings the one before it back. Damage of the facts changes nothing.
#[tokio::test]
async fn damage_costs_the_damaged_record_only() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    let mut log = journal.create(info(ID)).await.unwrap();
    for number in [1, 2] {
        let records = [RecordKind::Settings, RecordKind::Saved].map(|kind| state(kind, number));
        log.append(records.to_vec()).await.unwrap();
        log.append(vec![update("\"between\"")]).await.unwrap();
    }
    log.commit().await.unwrap();
    drop(log);
    let bytes = std::fs::read(file(folder.path())).unwrap();
    let (mut losses, mut intact) = (0, 0);
    for position in 0..bytes.len() {
        for new in [bytes[position] ^ 1, b'\n', 0xff] {
            if new == bytes[position] {
                continue;
            }
            let mut damaged = bytes.clone();
            damaged[position] = new;
            std::fs::write(file(folder.path()), &damaged).unwrap();
            let (settings, saved) = found(&journal).await;
            let lost = [&settings, &saved].into_iter().filter(|found| **found == n(1)).count();
            let kept = [&settings, &saved].into_iter().filter(|found| **found == n(2)).count();
            assert!(lost <= 1 && lost + kept == 2, "byte {position} is {new:#x}: {settings:?}, {saved:?}");
            losses += lost;
            intact += usize::from(kept == 2);
        }
    }
    assert!(losses > 100 && intact > 100, "{losses}, {intact}");
}
