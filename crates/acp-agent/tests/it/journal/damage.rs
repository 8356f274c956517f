//! A file that was cut or damaged.

use acp_agent::store::{DamageKind, Journal, Record, SessionStore as _};

use super::{ID, file, id, info, read, update, watched};

/// A session with these records, as the bytes of its file.
async fn written(records: &[Record]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let journal = Journal::at(folder.path());
    let mut log = journal.create(info(ID)).await.unwrap();
    log.set_title(Some("A title".to_owned())).await.unwrap();
    for record in records {
        log.append(vec![record.clone()]).await.unwrap();
    }
    log.commit().await.unwrap();
    std::fs::read(file(folder.path())).unwrap()
}

fn records() -> Vec<Record> {
    ["1", r#"{"text":"zwölf\n"}"#, r#""""#, "[1,2,3]", r#"{"sessionUpdate":"plan","entries":[]}"#]
        .map(update)
        .to_vec()
}

#[tokio::test]
async fn a_cut_anywhere_loses_only_the_record_it_goes_through() {
    let records = records();
    let bytes = written(&records).await;
    for length in 0..=bytes.len() {
        let folder = tempfile::tempdir().unwrap();
        let (journal, damage) = watched(folder.path());
        std::fs::write(file(folder.path()), &bytes[..length]).unwrap();

        let left = read(&journal, &id()).await.unwrap();
        // A record is complete without its line end.
        let whole = |line: &&[u8]| line.get(18) == Some(&b'u');
        let mut lines: Vec<_> = bytes[..length].split(|byte| *byte == b'\n').collect();
        let cut = lines.pop().unwrap();
        let cut_is_whole = bytes.get(length) == Some(&b'\n') && whole(&cut);
        let expected = lines.iter().filter(|line| whole(line)).count() + usize::from(cut_is_whole);
        assert_eq!(left, records[..expected], "cut at {length}");
        let reported = std::mem::take(&mut *damage.lock().unwrap());
        assert!(
            reported.iter().all(|damage| damage.kind == DamageKind::Unfinished),
            "cut at {length}: {reported:?}"
        );
        assert!(reported.len() <= 1, "cut at {length}: {reported:?}");

        // The session continues after the remaining records.
        let mut log = journal.open(&id()).await.unwrap();
        log.append(vec![update(r#""new""#)]).await.unwrap();
        drop(log);
        damage.lock().unwrap().clear();
        let all = read(&journal, &id()).await.unwrap();
        assert_eq!(all, [&records[..expected], &[update(r#""new""#)]].concat(), "cut at {length}");
        assert_eq!(*damage.lock().unwrap(), [], "cut at {length}");
    }
}

#[tokio::test]
async fn damage_anywhere_is_reported_and_costs_at_most_one_record() {
    let records = records();
    let bytes = written(&records).await;
    let folder = tempfile::tempdir().unwrap();
    let (journal, damage) = watched(folder.path());
    for position in 0..bytes.len() {
        for new in [bytes[position] ^ 1, bytes[position] ^ 0x20, b'\n', b' ', 0, 0xff] {
            if new == bytes[position] {
                continue;
            }
            let mut damaged = bytes.clone();
            damaged[position] = new;
            std::fs::write(file(folder.path()), &damaged).unwrap();
            damage.lock().unwrap().clear();
            let place = format!("byte {position} is {new:#x}");

            let left = read(&journal, &id()).await.unwrap();
            assert_one_is_missing_at_most(&records, &left, &place);
            assert!(!damage.lock().unwrap().is_empty(), "{place}: not reported");

            let mut log = journal.open(&id()).await.unwrap();
            log.append(vec![update(r#""new""#)]).await.unwrap();
            drop(log);
            let mut all = read(&journal, &id()).await.unwrap();
            assert_eq!(all.pop(), Some(update(r#""new""#)), "{place}");
            assert_one_is_missing_at_most(&records, &all, &place);
        }
    }
}

fn assert_one_is_missing_at_most(records: &[Record], left: &[Record], place: &str) {
    let mut rest = left.iter().peekable();
    let missing = records.iter().filter(|record| rest.next_if_eq(record).is_none()).count();
    assert!(missing <= 1 && rest.next().is_none(), "{place}: {missing} records are missing, or in disorder");
}

#[tokio::test]
async fn a_record_of_a_later_version_is_reported_and_skipped() {
    let records = records();
    let text = String::from_utf8(written(&records).await).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (journal, damage) = watched(folder.path());
    // CRC-32 of `x{}`.
    let line = format!("00000002 {:08x} x {{}}\n", crc32(b"x{}"));
    std::fs::write(file(folder.path()), format!("{text}{line}{text}")).unwrap();
    assert_eq!(read(&journal, &id()).await.unwrap(), [&records[..], &records[..]].concat());
    let damage = damage.lock().unwrap();
    assert_eq!(damage.iter().map(|damage| damage.kind).collect::<Vec<_>>(), [DamageKind::UnknownKind]);
    assert_eq!(damage[0].offset, text.len() as u64);
}

/// Bit by bit, as the standard has it.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}
