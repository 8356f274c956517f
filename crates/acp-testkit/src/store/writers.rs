//! Promises about those who write a session: one at a time, and what each of them finds.

use std::sync::Arc;
use std::time::SystemTime;

use acp_agent::store::{RecordKind, StoreError};
use acp_types::v1::SessionId;

use super::case::{Stop, Stores, Tried, cases, in_turn, require};
use super::samples::{create, error_of, give_up, keep, open_soon, read, record, require_records, updates};

cases! {
    "busy", "A session that is open cannot be opened, and the error says so.", busy;
    "closed", "A session can be opened elsewhere as soon as it is closed.", closed;
    "dropped", "A session whose log is dropped, or whose closing is given up, is closed a little later at most.", dropped;
    "held", "A session that is held is not lost.", held;
    "given-up", "An addition that is given up is stored once, in part or not at all, and never behind later ones.", given_up;
    "one-writer", "Of many who open a session at once, one has it at a time, and no record is lost.", one_writer;
    "position", "The position differs after each change, whoever made it, and stays otherwise.", position;
    "end-of-writing", "A log that goes on after somebody else has written is told the right position.", taken_over;
}

async fn busy([first, second]: Stores) -> Tried {
    let log = create(&*first, "one", Vec::new()).await?;
    for round in 0..3 {
        for store in [&first, &second] {
            let asked = SystemTime::now();
            let error = error_of(store.open(&SessionId::from("one")).await, "opening an open session")?;
            let StoreError::Busy { session, until } = &error else {
                return Err(Stop::Failed(format!("opening an open session, time {round}: {error}")));
            };
            require(session.as_str() == "one", || "the error names another session".to_owned())?;
            require(until.is_none_or(|until| until >= asked), || {
                "a session that is open can be opened at a time in the past".to_owned()
            })?;
        }
    }
    Ok(log.close().await?)
}

async fn closed(stores: Stores) -> Tried {
    let mut log = create(&*stores[0], "one", Vec::new()).await?;
    for round in 0..20 {
        log.append(updates(round..round + 1)?).await?;
        log.close().await?;
        log = in_turn(&stores, round).open(&SessionId::from("one")).await?;
    }
    log.close().await?;
    require_records(&*stores[0], "one", &updates(0..20)?).await
}

async fn dropped([first, second]: Stores) -> Tried {
    drop(create(&*first, "one", updates(0..1)?).await?);
    let log = open_soon(&*second, "one").await?;
    drop(log);
    for (round, turns) in [0, 1, 2, 5, 20, 100].into_iter().enumerate() {
        let log = open_soon(&*first, "one").await?;
        if let Some(closed) = give_up(log.close(), turns).await {
            closed?;
        }
        drop(open_soon(in_turn(&[Arc::clone(&first), Arc::clone(&second)], round), "one").await?);
    }
    let log = open_soon(&*first, "one").await?;
    log.close().await?;
    require_records(&*first, "one", &updates(0..1)?).await
}

async fn held([first, second]: Stores) -> Tried {
    let mut log = create(&*first, "one", updates(0..1)?).await?;
    let mut lost = log.lost();
    for number in 1..20 {
        log.append(updates(number..number + 1)?).await?;
        // Somebody else asks for it in vain.
        error_of(second.open(&SessionId::from("one")).await, "opening an open session")?;
        if let Some(error) = give_up(lost.as_mut(), 3).await {
            return Err(Stop::Failed(format!("a session that is held is lost: {error}")));
        }
    }
    Ok(log.close().await?)
}

async fn given_up([first, second]: Stores) -> Tried {
    let mut log = create(&*first, "one", Vec::new()).await?;
    let mut before = 0;
    for (round, turns) in [0, 1, 2, 3, 5, 8, 20, 100, 400].into_iter().enumerate() {
        let start = 100 * round;
        let (many, one) =
            (updates(start..start + 5)?, vec![record(RecordKind::Prompt, format!("[{round}]"))?]);
        let outcome = give_up(log.append(many.clone()), turns).await;
        let is_made = outcome.transpose()?.is_some();
        // A log may say that it cannot go on. Then the session is opened again.
        if log.append(one.clone()).await.is_err() {
            drop(log);
            log = open_soon(&*first, "one").await?;
            log.append(one.clone()).await?;
        }
        let found = read(&*second, "one").await?;
        let added = found.get(before..).unwrap_or_default();
        let part = added.strip_suffix(one.as_slice()).filter(|part| many.starts_with(part));
        let Some(part) = part.filter(|part| !is_made || part.len() == many.len()) else {
            return Err(Stop::Failed(format!(
                "after an addition that was given up there are {} records more, or others",
                added.len()
            )));
        };
        before += part.len() + 1;
    }
    Ok(log.close().await?)
}

async fn one_writer(stores: Stores) -> Tried {
    const WRITERS: usize = 12;
    const RECORDS: usize = 10;
    keep(&*stores[0], "one", Vec::new()).await?;
    let mut tasks = Vec::new();
    for writer in 0..WRITERS {
        let Some(store) = stores.get(writer % 2).cloned() else { continue };
        tasks.push(tokio::spawn(async move {
            let mut log = open_soon(&*store, "one").await?;
            for number in 0..RECORDS {
                log.append(vec![record(RecordKind::Update, format!("[{writer},{number}]"))?]).await?;
            }
            log.commit().await?;
            Ok(log.close().await?)
        }));
    }
    for task in tasks {
        task.await.unwrap_or_else(|error| Err(Stop::Failed(error.to_string())))?;
    }
    let found = read(&*stores[1], "one").await?;
    require(found.len() == WRITERS * RECORDS, || {
        format!("{} records instead of {}", found.len(), WRITERS * RECORDS)
    })?;
    for records in found.chunks(RECORDS) {
        let writer = records.first().and_then(|record| record.json().split(',').next()).unwrap_or_default();
        for (number, record) in records.iter().enumerate() {
            let expected = format!("{writer},{number}]");
            require(record.json() == expected, || format!("{} instead of {expected}", record.json()))?;
        }
    }
    Ok(())
}

async fn position([first, second]: Stores) -> Tried {
    let mut log = create(&*first, "one", Vec::new()).await?;
    let Some(start) = log.position() else { return Ok(log.close().await?) };
    let mut seen = vec![start];
    for round in 0..6 {
        match round % 3 {
            0 => log.append(updates(0..1)?).await?,
            1 => log.set_title(Some(format!("title {round}"))).await?,
            _ => log.append(vec![record(RecordKind::Saved, round.to_string())?]).await?,
        }
        log.commit().await?;
        let now = log.position().ok_or_else(|| Stop::Failed("there is no position any more".to_owned()))?;
        require(!seen.contains(&now), || format!("change {round} has an earlier position, {now}"))?;
        seen.push(now);
        log.close().await?;
        // Somebody who only looks.
        second.open(&SessionId::from("one")).await?.close().await?;
        log = first.open(&SessionId::from("one")).await?;
        require(log.position() == Some(now), || "the position changed while nobody wrote".to_owned())?;
    }
    Ok(log.close().await?)
}

async fn taken_over([first, second]: Stores) -> Tried {
    let log = create(&*first, "one", updates(0..1)?).await?;
    let left_at = log.position();
    log.close().await?;
    let mut log = second.open(&SessionId::from("one")).await?;
    require(log.position() == left_at, || "two processes see different positions".to_owned())?;
    log.append(updates(1..2)?).await?;
    log.close().await?;
    let mut log = first.open(&SessionId::from("one")).await?;
    if let (Some(left_at), Some(found)) = (left_at, log.position()) {
        require(left_at != found, || "the position is the same after somebody else wrote".to_owned())?;
    }
    log.append(updates(2..3)?).await?;
    log.close().await?;
    require_records(&*second, "one", &updates(0..3)?).await
}
