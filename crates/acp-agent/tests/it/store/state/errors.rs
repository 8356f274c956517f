//! Values that cannot be saved or read, and stores that fail.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use acp_agent::store::{Journal, SAVED_LIMIT, StoreError};
use acp_agent::{NewSession, Opened, SessionUpdates};
use serde_json::json;
use tokio::sync::mpsc;

use super::*;
use crate::store::wrapped::Slow;
use crate::support::check_error;

/// Tries to save values in a turn, and hands its sender of updates out.
async fn saving(senders: &mpsc::UnboundedSender<SessionUpdates>, turn: Turn) -> Result<StopReason> {
    let session = turn.session_updates();
    let long = "x".repeat(SAVED_LIMIT - 1);
    let refused = session.save(&long).await;
    assert!(
        matches!(&refused, Err(StoreError::NotSaved { session: named, .. }) if named == turn.session_id()),
        "{refused:?}"
    );
    let message = refused.unwrap_err().to_string();
    assert!(
        message.contains(turn.session_id().as_str()) && message.contains(&SAVED_LIMIT.to_string()),
        "{message}"
    );
    let keys: BTreeMap<(u8, u8), u8> = [((1, 2), 3)].into();
    assert!(matches!(session.save(&keys).await, Err(StoreError::NotSaved { .. })));
    session.save(&long[2..]).await?;
    senders.send(session.clone()).unwrap();
    Ok(StopReason::EndTurn)
}

async fn reads_a_number(_: &mpsc::UnboundedSender<SessionUpdates>, open: NewSession) -> Result<Opened<()>> {
    let number: Option<u32> = open.saved()?;
    assert!(number.is_none());
    Ok(Opened::new(()))
}

#[tokio::test]
async fn values_that_cannot_be_saved_or_read_are_errors_that_name_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let (senders, mut sent) = mpsc::unbounded_channel();
    let agent = || {
        Router::with_sessions("saving", "1", senders.clone(), reads_a_number)
            .on::<op::Prompt, _>(saving)
            .store(Journal::at(folder.path()))
    };
    let (mut wire, session) = Wire::open(agent(), json!({})).await;
    assert_eq!(wire.turn(&session, "go").await.1["result"]["stopReason"], "end_turn");
    let updates = sent.recv().await.unwrap();
    done(&mut wire, "session/close", json!({"sessionId": session})).await;
    let closed = updates.save(&1).await;
    assert!(
        matches!(&closed, Err(StoreError::Closed { session: named }) if named.as_str() == session),
        "{closed:?}"
    );
    // The string is not a number. The message does not repeat it.
    let answer = wire.call("session/resume", named("session/resume", &session)).await;
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains(&session) && !message.contains("xx"), "{answer}");
    wire.close().await;
}

#[tokio::test]
async fn an_agent_without_a_store_cannot_save() {
    async fn prompt(_: &(), turn: Turn, open: Session<()>) -> Result<StopReason> {
        let error = open.save(&1).await.unwrap_err();
        assert!(
            matches!(&error, StoreError::NoStore { session } if session == turn.session_id()),
            "{error:?}"
        );
        assert!(error.to_string().contains(turn.session_id().as_str()), "{error}");
        Ok(StopReason::EndTurn)
    }
    let agent = Router::new("none", "1", ()).on::<op::Prompt, _>(prompt);
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    assert_eq!(wire.turn(&session, "go").await.1["result"]["stopReason"], "end_turn");
    wire.close().await;
}

#[tokio::test]
async fn a_mode_that_cannot_be_kept_is_not_set() {
    let folder = tempfile::tempdir().unwrap();
    let store = Slow::around(Journal::at(folder.path()), false);
    let (mut wire, session) = Wire::open(agent(store.clone()), all()).await;
    store.broken.store(true, Ordering::SeqCst);
    let code = json!({"sessionId": session, "modeId": "code"});
    wire.refused("session/set_mode", code.clone(), -32603, &["the disk is full"]).await;
    let model = json!({"sessionId": session, "configId": "model", "value": "large"});
    wire.refused("session/set_config_option", model.clone(), -32603, &["the disk is full"]).await;
    store.broken.store(false, Ordering::SeqCst);
    assert_eq!(says(&mut wire, &session).await, "ask small Some(false) 0");
    done(&mut wire, "session/set_mode", code).await;
    done(&mut wire, "session/set_config_option", model).await;
    assert_eq!(says(&mut wire, &session).await, "code large Some(false) 0");
    wire.close().await;
}

/// Lets the client set these while the store writes nothing, and then fails.
async fn both_refused(wire: &mut Wire, store: &Slow, requests: &[(&str, Value)]) {
    let mut ids = Vec::new();
    for (method, params) in requests {
        ids.push(wire.request(method, params.clone()).await);
    }
    store.asked().await;
    store.go_on(true);
    for id in ids {
        check_error(&wire.answer_to(id).await, -32603, &["the disk is full"]);
    }
    store.go_on(false);
}

#[tokio::test]
async fn of_two_changes_that_cannot_be_kept_neither_stays() {
    let folder = tempfile::tempdir().unwrap();
    let store = Slow::around(Journal::at(folder.path()), false);
    let (mut wire, session) = Wire::open(agent(store.clone()), all()).await;
    let mode = |mode: &str| ("session/set_mode", json!({"sessionId": session, "modeId": mode}));
    let model = |model: &str| {
        let params = json!({"sessionId": session, "configId": "model", "value": model});
        ("session/set_config_option", params)
    };
    for requests in
        [[mode("code"), mode("ask")], [model("large"), model("small")], [mode("code"), model("large")]]
    {
        store.stop();
        both_refused(&mut wire, &store, &requests).await;
        assert_eq!(says(&mut wire, &session).await, "ask small Some(false) 0", "{requests:?}");
    }
    wire.close().await;
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
    let result = reopen(&mut wire, "session/resume", &session).await;
    assert_eq!(told(&result), (json!("ask"), json!("small"), json!(false)), "{result}");
    wire.close().await;
}

/// The agent tells the client of a change while the client's own change is being written. The
/// client knows of the agent's change, so it stays, and is stored when that is possible.
#[tokio::test]
async fn a_change_that_cannot_be_kept_does_not_undo_another_one() {
    let large = |session: &str| json!({"sessionId": session, "configId": "model", "value": "large"});
    let code = |session: &str| json!({"sessionId": session, "modeId": "code"});
    for (by_agent, method, by_client, expected) in [
        ("switch code", "session/set_config_option", &large as &dyn Fn(&str) -> Value, ("code", "small")),
        ("choose large", "session/set_mode", &code, ("ask", "large")),
        // Both the same: the client has been told that it is so.
        ("switch code", "session/set_mode", &code, ("code", "small")),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let store = Slow::around(Journal::at(folder.path()), false);
        let (mut wire, session) = Wire::open(agent(store.clone()), all()).await;
        let prompt = wire.prompt(&session, &format!("later {by_agent}")).await;
        let later = wire.asked("_later").await;
        // From here on the writer is at work with the client's change.
        store.stop();
        let set = wire.request(method, by_client(&session)).await;
        store.asked().await;
        wire.answer(&later, json!(null)).await;
        wire.update().await;
        wire.update().await;
        store.go_on(true);
        let answers = [wire.recv().await, wire.recv().await];
        for answer in &answers {
            assert!([prompt, set].map(Value::from).contains(&answer["id"]), "{answer}");
            check_error(answer, -32603, &["the disk is full"]);
        }
        store.go_on(false);
        let (mode, model) = expected;
        let said = says(&mut wire, &session).await;
        assert!(said.starts_with(&format!("{mode} {model} ")), "{by_agent}, {method}: {said}");
        wire.close().await;
        let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
        let result = reopen(&mut wire, "session/resume", &session).await;
        assert_eq!((told(&result).0, told(&result).1), (json!(mode), json!(model)), "{by_agent}, {method}");
        wire.close().await;
    }
}

#[tokio::test]
async fn settings_that_change_while_the_store_fails_are_stored_with_the_next_turn() {
    for ahead in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let store = Slow::around(Journal::at(folder.path()), ahead);
        let (mut wire, session) = Wire::open(agent(store.clone()), all()).await;
        let prompt = wire.prompt(&session, "later switch code").await;
        let later = wire.asked("_later").await;
        store.broken.store(true, Ordering::SeqCst);
        wire.answer(&later, json!(null)).await;
        assert_eq!(wire.update().await["sessionUpdate"], "current_mode_update");
        wire.update().await;
        check_error(&wire.answer_to(prompt).await, -32603, &["the disk is full"]);
        // As long as the store fails, prompts are refused.
        if ahead {
            check_error(&wire.turn(&session, "tell").await.1, -32603, &["the disk is full"]);
        }
        store.broken.store(false, Ordering::SeqCst);
        assert_eq!(says(&mut wire, &session).await, "code small Some(false) 0");
        wire.close().await;
        let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
        let result = reopen(&mut wire, "session/resume", &session).await;
        assert_eq!(told(&result), (json!("code"), json!("small"), json!(false)), "{result}");
        wire.close().await;
    }
}
