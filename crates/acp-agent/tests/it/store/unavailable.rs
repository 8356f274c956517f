//! Stores that cannot be reached for a while.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use acp_agent::store::{Journal, Pending, Record, SessionStore, StoreError};
use acp_agent::types::SessionId;
use acp_agent::{Result, Router, StopReason, Turn, op};
use serde_json::json;

use crate::store::wrapped::{Hooks, Wrapped};
use crate::store::{load, named, texts};
use crate::support::{Wire, check_error};

/// A store that may be away.
#[derive(Default)]
struct Away(AtomicBool);

impl Hooks for Away {
    fn append(&self, records: Vec<Record>) -> Pending<'_, Vec<Record>> {
        Box::pin(async {
            if self.0.load(Ordering::SeqCst) {
                let reason = Arc::new(std::io::Error::other("no route to host"));
                return Err(StoreError::Unavailable { waited: Duration::from_secs(7), reason });
            }
            Ok(records)
        })
    }
}

/// Says its prompt, and counts its runs.
async fn echo(runs: &Arc<AtomicUsize>, turn: Turn) -> Result<StopReason> {
    runs.fetch_add(1, Ordering::SeqCst);
    turn.say(turn.text()).await?;
    Ok(StopReason::EndTurn)
}

#[tokio::test]
async fn a_session_goes_on_in_its_log_when_the_store_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = Wrapped::new(Journal::at(folder.path()), Away::default());
    let runs = Arc::new(AtomicUsize::new(0));
    let agent = Router::new("echo", "1", Arc::clone(&runs)).on::<op::Prompt, _>(echo).store(store.clone());
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    for round in 1..=3 {
        assert_eq!(wire.turn(&session, "kept").await.1["result"]["stopReason"], "end_turn");
        store.0.store(true, Ordering::SeqCst);
        // The first turn finds out. The next ones are refused before their handler runs.
        for expected in [2 * round, 2 * round, 2 * round] {
            let answer = wire.turn(&session, "lost").await.1;
            check_error(&answer, -32603, &["not available for 7 s", "try again later", "no route to host"]);
            assert_eq!(runs.load(Ordering::SeqCst), expected);
        }
        // Nobody else can open it meanwhile, and the stored part can be loaded here.
        let other = Journal::at(folder.path()).open(&SessionId::from(session.as_str())).await;
        assert!(matches!(other.err(), Some(StoreError::Busy { .. })));
        assert_eq!(load(&mut wire, &session).await.len(), 2 * round);
        let resumed = wire.call("session/resume", named("session/resume", &session)).await;
        assert!(resumed.get("result").is_some(), "{resumed}");
        store.0.store(false, Ordering::SeqCst);
    }
    let loaded = load(&mut wire, &session).await;
    assert_eq!(texts(&loaded), [("user", "kept"), ("agent", "kept")].repeat(3));
    wire.close().await;
}
