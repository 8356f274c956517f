//! Values that cannot be saved or read, and stores that fail.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use acp_agent::store::{
    Journal, Pending, Record, Records, SAVED_LIMIT, SessionLog, SessionStore, StoreError,
};
use acp_agent::types::{ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo};
use acp_agent::{NewSession, Opened, SessionUpdates};
use serde_json::json;
use tokio::sync::mpsc;

use super::*;

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

/// A journal that stops working when it is told to.
struct Broken(Journal, Arc<AtomicBool>);

struct BrokenLog(Box<dyn SessionLog>, Arc<AtomicBool>);

impl Broken {
    fn wrap(&self, log: Box<dyn SessionLog>) -> Box<dyn SessionLog> {
        Box::new(BrokenLog(log, Arc::clone(&self.1)))
    }
}

impl SessionStore for Broken {
    fn create(&self, session: SessionInfo) -> Pending<'_, Box<dyn SessionLog>> {
        Box::pin(async { Ok(self.wrap(self.0.create(session).await?)) })
    }

    fn open<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn SessionLog>> {
        Box::pin(async move { Ok(self.wrap(self.0.open(session).await?)) })
    }

    fn read<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn Records>> {
        self.0.read(session)
    }

    fn list<'a>(&'a self, request: &'a ListSessionsRequest) -> Pending<'a, ListSessionsResponse> {
        self.0.list(request)
    }

    fn delete<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        self.0.delete(session)
    }
}

impl SessionLog for BrokenLog {
    fn info(&self) -> &SessionInfo {
        self.0.info()
    }

    fn append(&mut self, records: Vec<Record>) -> Pending<'_, ()> {
        if self.1.load(Ordering::SeqCst) {
            return Box::pin(async { Err(StoreError::other("the disk is full")) });
        }
        self.0.append(records)
    }

    fn set_title(&mut self, title: Option<String>) -> Pending<'_, ()> {
        self.0.set_title(title)
    }

    fn commit(&mut self) -> Pending<'_, ()> {
        self.0.commit()
    }
}

#[tokio::test]
async fn a_mode_that_cannot_be_kept_is_not_set() {
    let folder = tempfile::tempdir().unwrap();
    let broken = Arc::<AtomicBool>::default();
    let store = Broken(Journal::at(folder.path()), Arc::clone(&broken));
    let (mut wire, session) = Wire::open(agent(store), all()).await;
    broken.store(true, Ordering::SeqCst);
    let code = json!({"sessionId": session, "modeId": "code"});
    wire.refused("session/set_mode", code.clone(), -32603, &["the disk is full"]).await;
    let model = json!({"sessionId": session, "configId": "model", "value": "large"});
    wire.refused("session/set_config_option", model.clone(), -32603, &["the disk is full"]).await;
    broken.store(false, Ordering::SeqCst);
    assert_eq!(says(&mut wire, &session).await, "ask small Some(false) 0");
    done(&mut wire, "session/set_mode", code).await;
    done(&mut wire, "session/set_config_option", model).await;
    assert_eq!(says(&mut wire, &session).await, "code large Some(false) 0");
    wire.close().await;
}
