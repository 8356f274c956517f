//! Several connections on one store.

use std::sync::Arc;

use acp_agent::store::Journal;
use serde_json::json;

use crate::store::{agent, connect, load, named, texts};
use crate::support::Wire;

#[tokio::test]
async fn a_session_is_open_on_one_connection_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = connect(folder.path()).await;
    let mut second = connect(folder.path()).await;
    let session = first.new_session().await;
    for method in ["session/load", "session/resume", "session/delete"] {
        second.refused(method, named(method, &session), -32600, &[&session, "open elsewhere"]).await;
    }
    let other = second.new_session().await;
    second.turn(&other, "beside").await;
    first.turn(&session, "one").await;

    // The session is free as soon as the close is answered.
    for _ in 0..20 {
        first.call("session/close", json!({"sessionId": session})).await;
        assert_eq!(texts(&load(&mut second, &session).await), [("user", "one"), ("agent", "one")]);
        second.call("session/close", json!({"sessionId": session})).await;
        load(&mut first, &session).await;
    }
    first.close().await;
    second.close().await;
}

#[tokio::test]
async fn a_connection_that_has_ended_holds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let agent = Arc::new(agent(Journal::at(folder.path())));
    let mut wire = Wire::serve_through(Arc::clone(&agent), 1024 * 1024);
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    for round in 0..20 {
        let prompt = wire.prompt(&session, &format!("{round}")).await;
        wire.recv().await;
        wire.answer_to(prompt).await;
        wire.close().await;
        wire = Wire::serve_through(Arc::clone(&agent), 1024 * 1024);
        wire.initialize(json!({})).await;
        assert_eq!(load(&mut wire, &session).await.len(), 2 * (round + 1));
    }
    wire.close().await;
}
