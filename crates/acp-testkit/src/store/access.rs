//! Promises about the existence of a session: its id, its creation and its deletion.

use acp_agent::store::StoreError;
use acp_types::v1::{ListSessionsRequest, SessionId};

use super::case::{Stores, Tried, cases, require};
use super::samples::{create, error_of, info, keep, require_records, require_unknown, updates};

cases! {
    "unknown", "A session that does not exist cannot be opened, read or deleted.", unknown;
    "exists", "A session is not created twice, and the first one stays as it is.", exists;
    "created-once", "Of those who create a session at the same time, one succeeds.", created_once;
    "ids", "Ids that differ are different sessions, whatever characters they have.", ids;
    "odd-ids", "An id that cannot be kept fails with `Id`, and is then unknown.", odd_ids;
    "deleted", "A deleted session is gone everywhere, and a new one with its id is empty.", deleted;
    "delete-open", "A session that is open is not deleted.", delete_open;
    "read-deleted", "A read of a session that is deleted meanwhile ends, with or without an error.", read_deleted;
}

async fn unknown([first, _]: Stores) -> Tried {
    keep(&*first, "known", updates(0..1)?).await?;
    let id = SessionId::from("other");
    require_unknown(&error_of(first.open(&id).await, "opening")?, "other", "opening")?;
    require_unknown(&error_of(first.read(&id).await, "reading")?, "other", "reading")?;
    require_unknown(&error_of(first.delete(&id).await, "deleting")?, "other", "deleting")
}

async fn exists([first, second]: Stores) -> Tried {
    let log = create(&*first, "one", updates(0..3)?).await?;
    for is_open in [true, false] {
        for store in [&first, &second] {
            let error = error_of(store.create(info("one")).await, "creating it twice")?;
            let is_named = matches!(&error, StoreError::Exists { session } if session.as_str() == "one");
            require(is_named, || format!("creating it twice, open {is_open}: {error}"))?;
        }
        if !is_open {
            break;
        }
    }
    log.close().await?;
    require_records(&*second, "one", &updates(0..3)?).await
}

async fn created_once(stores: Stores) -> Tried {
    for round in 0..10 {
        let id = format!("race {round}");
        let mut tasks = Vec::new();
        for number in 0..8_usize {
            let (store, id) = (stores.get(number % 2).cloned(), id.clone());
            tasks.push(tokio::spawn(async move {
                let Some(store) = store else { return Ok(0) };
                match store.create(info(&id)).await {
                    Ok(log) => log.close().await.map(|()| 1),
                    Err(StoreError::Exists { .. }) => Ok(0),
                    Err(error) => Err(error),
                }
            }));
        }
        let mut created = 0;
        for task in tasks {
            created += task.await.unwrap_or_else(|error| Err(StoreError::other(error)))?;
        }
        require(created == 1, || format!("{created} of 8 have created it"))?;
    }
    Ok(())
}

/// Ids that a store could take for each other, or for something else.
const IDS: [&str; 15] = [
    "a",
    "A",
    "a ",
    " a",
    "a/b",
    "a%2fb",
    "..",
    ".",
    "a.journal",
    "\u{e9}",
    "e\u{301}",
    "a'b\"c",
    "a\\b",
    "a:b",
    "%",
];

async fn ids([first, second]: Stores) -> Tried {
    for (number, id) in IDS.into_iter().enumerate() {
        keep(&*first, id, updates(number..number + 1)?).await?;
    }
    for (number, id) in IDS.into_iter().enumerate() {
        require_records(&*second, id, &updates(number..number + 1)?).await?;
        let log = second.open(&SessionId::from(id)).await?;
        require(log.info().session_id.as_str() == id, || format!("`{id}` is called otherwise"))?;
        log.close().await?;
    }
    Ok(())
}

async fn odd_ids([first, second]: Stores) -> Tried {
    for id in [String::new(), "x".repeat(10_000), "\u{1f980}".repeat(1000), "nul\0nul".to_owned()] {
        let session = SessionId::from(id.as_str());
        match first.create(info(&id)).await {
            Ok(log) => {
                log.close().await?;
                second.open(&session).await?.close().await?;
            }
            Err(StoreError::Id { session: named }) => {
                require(named == session, || "another id is named".to_owned())?;
                require_unknown(&error_of(second.open(&session).await, "opening")?, &id, "opening")?;
                require_unknown(&error_of(second.read(&session).await, "reading")?, &id, "reading")?;
                require_unknown(&error_of(second.delete(&session).await, "deleting")?, &id, "deleting")?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

async fn deleted([first, second]: Stores) -> Tried {
    keep(&*first, "stays", updates(0..4)?).await?;
    keep(&*first, "goes", updates(0..300)?).await?;
    second.delete(&SessionId::from("goes")).await?;
    for store in [&first, &second] {
        let id = SessionId::from("goes");
        require_unknown(&error_of(store.open(&id).await, "opening")?, "goes", "opening")?;
        require_unknown(&error_of(store.read(&id).await, "reading")?, "goes", "reading")?;
        require_unknown(&error_of(store.delete(&id).await, "deleting")?, "goes", "deleting")?;
        let listed = store.list(&ListSessionsRequest::new()).await?.sessions;
        require(listed.len() == 1, || format!("{} sessions are listed instead of 1", listed.len()))?;
    }
    let log = create(&*first, "goes", Vec::new()).await?;
    require_records(&*second, "goes", &[]).await?;
    log.close().await?;
    require_records(&*second, "stays", &updates(0..4)?).await
}

async fn delete_open([first, second]: Stores) -> Tried {
    let mut log = create(&*first, "open", updates(0..2)?).await?;
    for store in [&first, &second] {
        let error = error_of(store.delete(&SessionId::from("open")).await, "deleting an open session")?;
        require(matches!(error, StoreError::Busy { .. }), || format!("deleting an open session: {error}"))?;
    }
    log.append(updates(2..4)?).await?;
    log.close().await?;
    require_records(&*second, "open", &updates(0..4)?).await?;
    Ok(second.delete(&SessionId::from("open")).await?)
}

async fn read_deleted([first, second]: Stores) -> Tried {
    keep(&*first, "goes", updates(0..5000)?).await?;
    let mut records = second.read(&SessionId::from("goes")).await?;
    let mut found = records.next().await?;
    first.delete(&SessionId::from("goes")).await?;
    loop {
        match records.next().await {
            Ok(batch) if !batch.is_empty() => found.extend(batch),
            _ => break,
        }
    }
    require(updates(0..5000)?.starts_with(&found), || "the records are others".to_owned())
}
