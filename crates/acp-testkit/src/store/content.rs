//! Promises about the content of a session: its records, its facts and its state.

use acp_agent::store::{Record, RecordKind, SessionLog};
use acp_types::v1::{SessionId, SessionInfo};

use super::case::{Stores, Tried, cases, in_turn, require};
use super::samples::{create, give_up, info, keep, read, record, require_records, updates};

cases! {
    "records-come-back", "A record comes back with its kind and its text, byte for byte.", records_come_back;
    "order", "Records come back in the order in which they were added, over all openings.", order;
    "long-records", "A record of 4 MiB, and 3,000 records at once, come back.", long_records;
    "read-while-open", "What was added before a read is read, also while the session is open.", read_while_open;
    "read-given-up", "A read goes on after a call that was given up, or fails: nothing is left out silently.", read_given_up;
    "nothing-added", "Adding no records and committing twice changes nothing.", nothing_added;
    "facts", "Working directory, directories and title come back as they were set.", facts;
    "title-removed", "A title can be removed again.", title_removed;
    "state", "The state is the last record of each kind of state, whoever has added it.", state;
    "sessions-apart", "Records of one session are not among those of another.", sessions_apart;
}

/// Texts that a store might change: order and repetition of members, numbers, escapes, spaces.
const TEXTS: [&str; 9] = [
    r#"{"b":1,"a":2,"b":3}"#,
    r#"[1.0, 1e400, -0.0, 12345678901234567890123, 1.10]"#,
    r#""\u0000 \ud83d\ude00 \/ \u00e9""#,
    "\"caf\u{e9} \u{1f980} \u{202e} \u{7f}\"",
    "{ \"spaces\" :\t[ ] }",
    "null",
    r#""'; drop table sessions; -- \\ %s $1""#,
    "\"\"",
    r#"{"sessionUpdate":"plan","entries":[],"_meta":{"x":null}}"#,
];

const KINDS: [RecordKind; 5] =
    [RecordKind::Prompt, RecordKind::Update, RecordKind::UpdateV2, RecordKind::Settings, RecordKind::Saved];

/// Returns the records without the parts of the state that later ones have replaced. A store need
/// not keep those.
fn counting(records: Vec<Record>) -> Vec<Record> {
    let counts = |(at, record): (usize, &Record)| {
        let is_same = |later: &Record| later.kind() == record.kind();
        !record.kind().is_state() || !records.iter().skip(at + 1).any(is_same)
    };
    let kept: Vec<bool> = records.iter().enumerate().map(counts).collect();
    records.into_iter().zip(kept).filter_map(|(record, is_kept)| is_kept.then_some(record)).collect()
}

async fn records_come_back([first, second]: Stores) -> Tried {
    let mut records = Vec::new();
    for text in TEXTS {
        for kind in KINDS {
            records.push(record(kind, text)?);
        }
    }
    keep(&*first, "all", records.clone()).await?;
    let (found, expected) = (counting(read(&*second, "all").await?), counting(records));
    let differs = found.iter().zip(&expected).find(|(found, expected)| found != expected);
    require(found == expected, || match differs {
        Some((found, expected)) => {
            format!("{:?} {} became {:?} {}", expected.kind(), expected.json(), found.kind(), found.json())
        }
        None => format!("{} records instead of {}", found.len(), expected.len()),
    })
}

async fn order(stores: Stores) -> Tried {
    keep(&*stores[0], "long", Vec::new()).await?;
    let mut end = 0;
    for round in 0..12 {
        let mut log = in_turn(&stores, round).open(&SessionId::from("long")).await?;
        for count in [1, 7, round] {
            log.append(updates(end..end + count)?).await?;
            end += count;
        }
        log.close().await?;
    }
    require_records(&*stores[1], "long", &updates(0..end)?).await
}

async fn long_records([first, second]: Stores) -> Tried {
    let mut records = updates(0..3000)?;
    records.push(record(RecordKind::Update, format!("\"{}\"", "x".repeat(4 * 1024 * 1024)))?);
    records.extend(updates(0..10)?);
    keep(&*first, "large", records.clone()).await?;
    require_records(&*second, "large", &records).await
}

async fn read_while_open([first, second]: Stores) -> Tried {
    let mut log = create(&*first, "open", updates(0..5)?).await?;
    require_records(&*second, "open", &updates(0..5)?).await?;
    let mut records = second.read(&SessionId::from("open")).await?;
    log.append(updates(5..10)?).await?;
    let mut found = Vec::new();
    loop {
        match records.next().await? {
            batch if batch.is_empty() => break,
            batch => found.extend(batch),
        }
    }
    let is_beginning = found.len() >= 5 && updates(0..10)?.starts_with(&found);
    require(is_beginning, || format!("a read during an addition has {} records", found.len()))?;
    require_records(&*first, "open", &updates(0..10)?).await?;
    Ok(log.close().await?)
}

async fn read_given_up([first, second]: Stores) -> Tried {
    let text = |number: usize| format!("\"{number:>50000}\"");
    let all: Vec<Record> =
        (0..60).map(|number| record(RecordKind::Update, text(number))).collect::<Tried<_>>()?;
    keep(&*first, "long", all.clone()).await?;
    for turns in [0, 1, 2, 5, 20] {
        let mut records = second.read(&SessionId::from("long")).await?;
        let mut found = Vec::new();
        let is_whole = loop {
            let batch = match give_up(records.next(), turns).await {
                Some(batch) => batch,
                None => records.next().await,
            };
            match batch {
                Ok(batch) if batch.is_empty() => break true,
                Ok(batch) => found.extend(batch),
                Err(_) => break false,
            }
        };
        require(!is_whole || found == all, || {
            format!(
                "a read with calls that were given up ends after {} of {} records",
                found.len(),
                all.len()
            )
        })?;
    }
    Ok(())
}

async fn nothing_added([first, second]: Stores) -> Tried {
    let mut log = create(&*first, "same", updates(0..3)?).await?;
    let before = log.position();
    log.append(Vec::new()).await?;
    log.commit().await?;
    log.commit().await?;
    require(log.position() == before, || "the position has changed".to_owned())?;
    log.close().await?;
    let mut log = second.open(&SessionId::from("same")).await?;
    require(log.position() == before, || "the position changed while nobody wrote".to_owned())?;
    log.commit().await?;
    log.close().await?;
    require_records(&*second, "same", &updates(0..3)?).await
}

fn require_facts(log: &dyn SessionLog, expected: &SessionInfo, when: &str) -> Tried {
    let found = log.info();
    let is_same = found.session_id == expected.session_id
        && found.cwd == expected.cwd
        && found.additional_directories == expected.additional_directories
        && found.title == expected.title;
    require(is_same, || format!("{when}: {found:?} instead of {expected:?}"))
}

async fn facts([first, second]: Stores) -> Tried {
    let mut expected = SessionInfo::new("facts", "/w\u{f6}rk/a b/'\"%\0")
        .additional_directories(["/more", "/\u{1f980}"].map(str::to_owned).to_vec());
    let mut log = first.create(expected.clone()).await?;
    require_facts(&*log, &expected, "after it was created")?;
    for title in ["first", "line\n\u{0}\u{1f980} '; --", ""] {
        expected.title = Some(title.to_owned());
        log.set_title(expected.title.clone()).await?;
        log.commit().await?;
        log.close().await?;
        log = second.open(&SessionId::from("facts")).await?;
        require_facts(&*log, &expected, "after it was opened again")?;
    }
    log.append(updates(0..2)?).await?;
    log.commit().await?;
    log.close().await?;
    let mut log = first.open(&SessionId::from("facts")).await?;
    require_facts(&*log, &expected, "after records were added")?;
    let directories = vec!["/later\0 '".to_owned()];
    log.set_additional_directories(directories.clone()).await?;
    log.commit().await?;
    log.close().await?;
    let log = second.open(&SessionId::from("facts")).await?;
    // A store may keep the first ones for good.
    if log.info().additional_directories != expected.additional_directories {
        expected.additional_directories = directories;
    }
    require_facts(&*log, &expected, "after other directories were set")?;
    Ok(log.close().await?)
}

async fn title_removed([first, second]: Stores) -> Tried {
    let mut log = first.create(info("title")).await?;
    log.set_title(Some("a title".to_owned())).await?;
    log.set_title(None).await?;
    log.commit().await?;
    log.close().await?;
    let log = second.open(&SessionId::from("title")).await?;
    require(log.info().title.is_none(), || "the title is still there".to_owned())?;
    Ok(log.close().await?)
}

/// Returns the last record of each kind of state.
fn last_state(records: &[Record]) -> Vec<Record> {
    let last = |kind| records.iter().rfind(|record| record.kind() == kind).cloned();
    [RecordKind::Settings, RecordKind::Saved].into_iter().filter_map(last).collect()
}

async fn state(stores: Stores) -> Tried {
    keep(&*stores[0], "state", Vec::new()).await?;
    let mut all = Vec::new();
    let additions = [
        vec![],
        updates(0..3)?,
        vec![record(RecordKind::Saved, "{\"n\":1}")?],
        updates(3..200)?,
        vec![record(RecordKind::Settings, "1")?, record(RecordKind::Settings, "2")?],
        vec![record(RecordKind::Saved, "null")?, record(RecordKind::Update, "0")?],
        updates(0..5)?,
    ];
    for (round, addition) in additions.into_iter().enumerate() {
        let mut log = in_turn(&stores, round).open(&SessionId::from("state")).await?;
        all.extend(addition.iter().cloned());
        log.append(addition).await?;
        log.commit().await?;
        require_state(&mut *log, &all, "while it is open").await?;
        log.close().await?;
        let mut log = in_turn(&stores, round + 1).open(&SessionId::from("state")).await?;
        require_state(&mut *log, &all, "after it was opened again").await?;
        log.close().await?;
        let found = last_state(&read(&*stores[0], "state").await?);
        require(found == last_state(&all), || "the records have another state".to_owned())?;
    }
    Ok(())
}

async fn require_state(log: &mut dyn SessionLog, all: &[Record], when: &str) -> Tried {
    // A log may leave the state to those who read the records.
    let Some(found) = log.state().await? else { return Ok(()) };
    let expected = last_state(all);
    let is_same = last_state(&found) == expected && found.len() == expected.len();
    require(is_same, || format!("{when}: {found:?} instead of {expected:?}"))
}

async fn sessions_apart([first, second]: Stores) -> Tried {
    let mut logs = [create(&*first, "a", Vec::new()).await?, create(&*second, "b", Vec::new()).await?];
    for number in 0..20 {
        for (log, start) in logs.iter_mut().zip([0, 1000]) {
            log.append(updates(start + number..start + number + 1)?).await?;
        }
    }
    for log in logs {
        log.close().await?;
    }
    require_records(&*second, "a", &updates(0..20)?).await?;
    require_records(&*first, "b", &updates(1000..1020)?).await
}
