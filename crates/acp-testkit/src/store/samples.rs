//! Sessions and records for the cases, and the reading of them.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use acp_agent::store::{Record, RecordKind, SessionLog, SessionStore, StoreError};
use acp_types::v1::{SessionId, SessionInfo};

use super::case::{Stop, Tried, require};

/// Builds the facts of a new session.
pub(super) fn info(id: &str) -> SessionInfo {
    SessionInfo::new(id, "/work")
}

/// Builds a record.
pub(super) fn record(kind: RecordKind, json: impl Into<String>) -> Tried<Record> {
    Ok(Record::new(kind, json)?)
}

/// Builds updates with these numbers.
pub(super) fn updates(numbers: std::ops::Range<usize>) -> Tried<Vec<Record>> {
    numbers.map(|number| record(RecordKind::Update, number.to_string())).collect()
}

/// Creates a session and adds records to it.
pub(super) async fn create(
    store: &dyn SessionStore,
    id: &str,
    records: Vec<Record>,
) -> Tried<Box<dyn SessionLog>> {
    let mut log = store.create(info(id)).await?;
    log.append(records).await?;
    log.commit().await?;
    Ok(log)
}

/// Creates a session with records, and closes it.
pub(super) async fn keep(store: &dyn SessionStore, id: &str, records: Vec<Record>) -> Tried {
    Ok(create(store, id, records).await?.close().await?)
}

/// Returns all records of a session.
pub(super) async fn read(store: &dyn SessionStore, id: &str) -> Tried<Vec<Record>> {
    let mut records = store.read(&SessionId::from(id)).await?;
    let mut all = Vec::new();
    loop {
        match records.next().await? {
            batch if batch.is_empty() => return Ok(all),
            batch => all.extend(batch),
        }
    }
}

/// Fails unless the session has exactly these records.
pub(super) async fn require_records(store: &dyn SessionStore, id: &str, expected: &[Record]) -> Tried {
    let found = read(store, id).await?;
    if found == expected {
        return Ok(());
    }
    let differs = found.iter().zip(expected).position(|(found, expected)| found != expected);
    Err(Stop::Failed(match differs {
        Some(at) => format!("record {at} of session `{id}` is another one"),
        None => format!("session `{id}` has {} records instead of {}", found.len(), expected.len()),
    }))
}

/// Returns the error of a call that has to fail.
pub(super) fn error_of<T>(outcome: Result<T, StoreError>, call: &str) -> Tried<StoreError> {
    match outcome {
        Ok(_) => Err(Stop::Failed(format!("{call} succeeded"))),
        Err(error) => Ok(error),
    }
}

/// Fails unless the error names a session that does not exist.
pub(super) fn require_unknown(error: &StoreError, id: &str, call: &str) -> Tried {
    let is_unknown = matches!(error, StoreError::Unknown { session } if session.as_str() == id);
    require(is_unknown, || format!("{call} a session that does not exist: {error}"))
}

/// Opens a session whose log was dropped, which closes it at once or a little later.
pub(super) async fn open_soon(store: &dyn SessionStore, id: &str) -> Tried<Box<dyn SessionLog>> {
    loop {
        match store.open(&SessionId::from(id)).await {
            Err(StoreError::Busy { .. }) => tokio::time::sleep(Duration::from_millis(10)).await,
            outcome => return Ok(outcome?),
        }
    }
}

/// Drops a future after so many turns of the runtime, unless it ends before.
pub(super) async fn give_up<F: Future>(future: F, turns: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    for _ in 0..turns {
        let polled = poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await;
        if let Poll::Ready(output) = polled {
            return Some(output);
        }
        tokio::task::yield_now().await;
    }
    None
}
