//! The problem of a store in the `data` of the error that the client gets.

use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use acp_agent::store::{Journal, Pending, Record, StoreError};
use acp_agent::types::SessionId;
use serde_json::{Value, json};

use super::wrapped::{Hooks, Wrapped};
use super::{agent, named};
use crate::support::{Wire, check_error};

/// A store that fails with this error, if there is one.
#[derive(Default)]
struct Failing {
    opening: Mutex<Option<StoreError>>,
    adding: Mutex<Option<StoreError>>,
}

fn outcome(error: &Mutex<Option<StoreError>>) -> Result<(), StoreError> {
    error.lock().unwrap().clone().map_or(Ok(()), Err)
}

impl Hooks for Failing {
    fn open(&self) -> Result<(), StoreError> {
        outcome(&self.opening)
    }

    fn append(&self, records: Vec<Record>) -> Pending<'_, Vec<Record>> {
        Box::pin(async { outcome(&self.adding).map(|()| records) })
    }
}

fn session(id: &str) -> SessionId {
    SessionId::from(id)
}

/// The kinds of errors, each with its code and its `data`.
fn table() -> Vec<(StoreError, i64, Value)> {
    let until = UNIX_EPOCH + Duration::from_micros(1_769_860_800_250_999);
    let away = Arc::new(std::io::Error::other("no route to host"));
    let long = "x".repeat(1025);
    vec![
        (
            StoreError::Busy { session: session("s"), until: Some(until) },
            -32600,
            json!({"acp-rs/store": {"kind": "busy", "sessionId": "s", "until": "2026-01-31T12:00:00.250Z"}}),
        ),
        (
            StoreError::Busy { session: session("s"), until: None },
            -32600,
            json!({"acp-rs/store": {"kind": "busy", "sessionId": "s"}}),
        ),
        (
            StoreError::Changed { session: session("s") },
            -32600,
            json!({"acp-rs/store": {"kind": "changed", "sessionId": "s"}}),
        ),
        (
            StoreError::Unavailable { waited: Duration::from_secs(1), reason: away },
            -32603,
            json!({"acp-rs/store": {"kind": "unavailable"}}),
        ),
        (StoreError::Unknown { session: session("s") }, -32002, json!({"sessionId": "s"})),
        // An id that is longer than any is not repeated.
        (StoreError::Busy { session: session(&long), until: None }, -32600, Value::Null),
        (StoreError::Changed { session: session(&long) }, -32600, Value::Null),
        (StoreError::other("the disk is full"), -32603, Value::Null),
    ]
}

#[tokio::test]
async fn a_request_to_open_a_session_is_refused_with_the_problem() {
    let folder = tempfile::tempdir().unwrap();
    let store = Wrapped::new(Journal::at(folder.path()), Failing::default());
    let (mut wire, session) = Wire::open(agent(store.clone()), json!({})).await;
    wire.call("session/close", json!({"sessionId": session})).await;
    for (error, code, data) in table() {
        *store.opening.lock().unwrap() = Some(error);
        for method in ["session/load", "session/resume"] {
            let error = wire.refused(method, named(method, &session), code, &[]).await;
            assert_eq!(error["data"], data, "{error}");
        }
    }
    wire.close().await;
}

#[tokio::test]
async fn a_turn_ends_with_the_problem() {
    for (error, code, data) in table() {
        let folder = tempfile::tempdir().unwrap();
        let store = Wrapped::new(Journal::at(folder.path()), Failing::default());
        let (mut wire, session) = Wire::open(agent(store.clone()), json!({})).await;
        *store.adding.lock().unwrap() = Some(error);
        let answer = wire.turn(&session, "lost").await.1;
        assert_eq!(check_error(&answer, code, &[])["data"], data);
        wire.close().await;
    }
}

#[cfg(feature = "v2")]
#[tokio::test]
async fn version_2_has_the_problem_too() {
    let folder = tempfile::tempdir().unwrap();
    let store = Wrapped::new(Journal::at(folder.path()), Failing::default());
    let mut wire = Wire::serve(agent(store.clone()));
    let hello = json!({"protocolVersion": 2, "info": {"name": "ed", "version": "1"}, "capabilities": {}});
    wire.call("initialize", hello).await;
    let opened = wire.call("session/new", json!({"cwd": "/work"})).await;
    let session = opened["result"]["sessionId"].as_str().unwrap();
    wire.call("session/close", json!({"sessionId": session})).await;
    for (error, code, data) in table() {
        *store.opening.lock().unwrap() = Some(error);
        let resume = json!({"sessionId": session, "cwd": "/work"});
        let error = wire.refused("session/resume", resume, code, &[]).await;
        assert_eq!(error["data"], data, "{error}");
    }

    // Here the prompt is answered already, and a state tells the end of its turn.
    *store.opening.lock().unwrap() = None;
    let opened = wire.call("session/new", json!({"cwd": "/work"})).await;
    let session = opened["result"]["sessionId"].as_str().unwrap().to_owned();
    *store.adding.lock().unwrap() = Some(StoreError::Changed { session: SessionId::from("s") });
    wire.prompt(&session, "lost").await;
    let error = loop {
        let mut message = wire.recv().await;
        assert!(message.get("error").is_none(), "{message}");
        let update = &mut message["params"]["update"];
        if update["state"] == "idle" {
            break update["error"].take();
        }
    };
    let data = json!({"acp-rs/store": {"kind": "changed", "sessionId": "s"}});
    assert_eq!((&error["code"], &error["data"]), (&json!(-32600), &data));
    wire.close().await;
}
