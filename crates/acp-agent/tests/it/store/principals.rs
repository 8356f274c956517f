//! Connections of several principals.

use std::sync::Arc;

use acp_agent::store::{Journal, MemoryStore, SessionStore};
use acp_agent::{Router, Serve};
use serde_json::{Value, json};
use testkit::ScriptedPeer;

use crate::store::wrapped::{Hooks, Wrapped};
use crate::store::{agent, load, named};
use crate::support::{Wire, check_error};

async fn connect(agent: &Arc<Router<()>>, principal: Option<&str>) -> Wire {
    let serve = Serve::shared(Arc::clone(agent));
    let mut wire = Wire::serve_as(match principal {
        Some(principal) => serve.principal(principal),
        None => serve,
    });
    wire.initialize(json!({})).await;
    wire
}

async fn listed(wire: &mut Wire) -> Value {
    let answer = wire.call("session/list", json!({})).await;
    answer["result"]["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| session["sessionId"].clone())
        .collect()
}

async fn check(store: impl SessionStore) {
    let agent = Arc::new(agent(store));
    let mut ann = connect(&agent, Some("ann")).await;
    let session = ann.new_session().await;
    ann.turn(&session, "one").await;
    ann.close().await;
    for other in [Some("eve"), Some(""), None] {
        let mut eve = connect(&agent, other).await;
        assert_eq!(listed(&mut eve).await, json!([]), "{other:?}");
        for method in ["session/load", "session/resume"] {
            let answer = eve.call(method, named(method, &session)).await;
            check_error(&answer, -32002, &[&session]);
        }
        // What does not exist can be deleted.
        eve.call("session/delete", json!({"sessionId": session})).await;
        eve.close().await;
    }
    let mut ann = connect(&agent, Some("ann")).await;
    assert_eq!(listed(&mut ann).await, json!([session]));
    assert_eq!(load(&mut ann, &session).await.len(), 2);
    ann.close().await;
}

#[tokio::test]
async fn sessions_of_another_principal_do_not_exist() {
    let folder = tempfile::tempdir().unwrap();
    check(Journal::at(folder.path())).await;
    check(MemoryStore::new(1024 * 1024)).await;
}

struct Plain;

impl Hooks for Plain {}

#[tokio::test]
async fn an_agent_whose_store_knows_no_principals_is_not_served_to_one() {
    let folder = tempfile::tempdir().unwrap();
    let agent = Arc::new(agent(Wrapped::new(Journal::at(folder.path()), Plain)));
    let (transport, _peer) = ScriptedPeer::pair();
    let error = Serve::shared(Arc::clone(&agent)).principal("ann").over(transport).await.unwrap_err();
    assert!(error.to_string().contains("`SessionStore::for_principal`"), "{error}");
    // Without a principal it is.
    connect(&agent, None).await.close().await;
    // A name that cannot be kept.
    let agent = Arc::new(crate::store::agent(Journal::at(folder.path())));
    let (transport, _peer) = ScriptedPeer::pair();
    let error = Serve::shared(agent).principal("x".repeat(5000)).over(transport).await.unwrap_err();
    assert!(error.to_string().contains("shorter name"), "{error}");
}
