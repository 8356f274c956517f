//! Writers that are killed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use acp_agent::store::{DamageKind, Journal, Record, RecordKind, SessionStore as _, StoreError};

use super::{ID, file, id, info, read, update, watched};

const FOLDER: &str = "ACP_JOURNAL_TEST_FOLDER";
const KILLS: u64 = 60;

/// Builds the record with this number. Some are so large that writing them takes a while.
fn record(number: usize) -> Record {
    let filler = if number % 7 == 3 { 1_500_000 } else { number * 37 % 900 };
    let json = format!(r#"{{"n":{number},"filler":"{}"}}"#, "x".repeat(filler));
    match number % 13 {
        4 => Record::new(RecordKind::Settings, json).unwrap(),
        6 => Record::new(RecordKind::Saved, json).unwrap(),
        _ => update(json),
    }
}

/// The last record of each kind of state.
fn state(records: &[Record]) -> Vec<Record> {
    let last = |kind| records.iter().rfind(|record| record.kind() == kind).cloned();
    [last(RecordKind::Settings), last(RecordKind::Saved)].into_iter().flatten().collect()
}

/// Runs in the child processes: writes records, and prints how many are written, until it is
/// killed.
#[tokio::test]
async fn writer() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let journal = Journal::at(folder);
    let mut number = read(&journal, &id()).await.unwrap().len();
    let mut log = journal.open(&id()).await.unwrap();
    loop {
        let batch: Vec<_> = (number..).take(1 + number % 3).map(record).collect();
        number += batch.len();
        log.append(batch).await.unwrap();
        if number % 11 == 0 {
            log.set_title(Some(format!("{number}"))).await.unwrap();
        }
        writeln!(std::io::stderr(), "{number}").unwrap();
    }
}

fn start(folder: &std::path::Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "journal::kill::writer", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[tokio::test]
async fn a_kill_loses_no_record_that_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, damage) = watched(folder.path());
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for kill in 0..KILLS {
        // Some kills in a row hit the same session.
        if kill % 5 == 0 {
            let _ = std::fs::remove_file(file(folder.path()));
            drop(journal.create(info(ID)).await.unwrap());
        }
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;

        let mut child = start(folder.path());
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut acknowledged = 0;
        for line in said.by_ref().take(1 + usize::try_from(random % 6).unwrap()) {
            acknowledged = line.unwrap().parse().unwrap();
        }
        assert!(matches!(journal.open(&id()).await.err(), Some(StoreError::Busy { .. })), "kill {kill}");
        // Some of these numbers let the kill come in the middle of the next record.
        for _ in 0..random % 50_000 {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();

        let left = read(&journal, &id()).await.unwrap();
        assert!(left.len() >= acknowledged, "kill {kill}: {} of {acknowledged} records", left.len());
        let in_order = left.iter().enumerate().all(|(number, left)| *left == record(number));
        assert!(in_order, "kill {kill}");
        let found = journal.open(&id()).await.unwrap().state().await.unwrap().unwrap();
        assert_eq!(state(&found), state(&left), "kill {kill}");
        assert_eq!(found.len(), state(&left).len(), "kill {kill}");
        let reported = std::mem::take(&mut *damage.lock().unwrap());
        assert!(
            reported.iter().all(|damage| damage.kind == DamageKind::Unfinished),
            "kill {kill}: {reported:?}"
        );
    }
}
