//! Stores whose sessions take a while to close.

use acp_agent::store::{Journal, Pending};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::store::agent;
use crate::store::wrapped::{Hooks, Wrapped};
use crate::support::Wire;

/// A store that closes sessions when the test lets it.
struct Gate {
    /// A permit for each session that begins to close.
    begun: Semaphore,
    open: Semaphore,
}

impl Hooks for Gate {
    fn close(&self) -> Pending<'_, ()> {
        Box::pin(async {
            self.begun.add_permits(1);
            self.open.acquire().await.unwrap().forget();
            Ok(())
        })
    }
}

fn gated(folder: &std::path::Path) -> Wrapped<Gate> {
    Wrapped::new(Journal::at(folder), Gate { begun: Semaphore::new(0), open: Semaphore::new(0) })
}

#[tokio::test]
async fn a_session_is_closed_in_the_store_before_the_client_hears_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = gated(folder.path());
    let (mut wire, session) = Wire::open(agent(store.clone()), json!({})).await;
    let closing = wire.request("session/close", json!({"sessionId": session})).await;
    store.begun.acquire().await.unwrap().forget();
    // An answer that is already on its way would come first.
    assert!(wire.call("session/list", json!({})).await.get("result").is_some());
    store.open.add_permits(1);
    assert!(wire.answer_to(closing).await.get("result").is_some());
    wire.close().await;
}

#[tokio::test]
async fn the_sessions_of_a_connection_are_closed_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = gated(folder.path());
    let (mut wire, _) = Wire::open(agent(store.clone()), json!({})).await;
    wire.new_session().await;
    wire.new_session().await;
    let closing = tokio::spawn(wire.close());
    // Each waits for the gate, and none for another one.
    store.begun.acquire_many(3).await.unwrap().forget();
    store.open.add_permits(3);
    closing.await.unwrap();
}
