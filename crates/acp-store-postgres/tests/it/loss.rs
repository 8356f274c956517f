//! Sessions that are lost while a turn runs, and leases that are given up during an outage.

use std::sync::Arc;
use std::time::Duration;

use acp_agent::store::{SessionStore as _, StoreError};
use acp_agent::{Result, Router, Serve, StopReason, Turn, op};
use acp_store_postgres::PostgresStore;
use acp_types::v1::{ListSessionsRequest, SessionId, SessionInfo};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use testkit::ScriptedPeer;

use crate::replicas::{FOREVER, Replica};
use crate::server::{Database, Server, server_or_skip};
use crate::{connect, id, info, quick, read, store, updates};

async fn new_session(client: &mut ScriptedPeer) -> Value {
    let opened = client.call("session/new", json!({"cwd": "/work", "mcpServers": []})).await.unwrap();
    opened["result"]["sessionId"].clone()
}

async fn prompt(client: &mut ScriptedPeer, session: &Value, text: &str) -> Value {
    let params = json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]});
    (*client.call("session/prompt", params).await.unwrap()).clone()
}

/// Waits until the session has so many records.
async fn wait_for(store: &PostgresStore, session: &Value, records: usize) {
    let ann = store.for_principal("ann").unwrap();
    while read(&*ann, &SessionId::from(session.as_str().unwrap())).await.len() < records {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Rule `rm-st-04`: a process that was paused ends its turn when it wakes, although the turn has
/// nothing to say and nothing to keep.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_ends_when_its_session_is_taken_over() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store = store(&database).await;
    let folder = tempfile::tempdir().unwrap();
    let start = |name: &str| Replica::start(&folder.path().join(name), &database.url(), 1);
    let (paused, other) = (start("a"), start("b"));
    let mut one = paused.client().await;
    let session = new_session(&mut one).await;
    let turn = tokio::spawn({
        let session = session.clone();
        async move { (prompt(&mut one, &session, FOREVER).await, one) }
    });
    wait_for(&store, &session, 2).await;
    let pid = Pid::from_child(&paused.process);
    kill_process(pid, Signal::STOP).unwrap();
    let mut two = other.client().await;
    let params = json!({"sessionId": session, "cwd": "/work", "mcpServers": []});
    while two.call("session/resume", params.clone()).await.unwrap().get("error").is_some() {
        // The lease of the paused one lasts.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    kill_process(pid, Signal::CONT).unwrap();
    let (answer, mut one) = turn.await.unwrap();
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("continued elsewhere"), "{answer}");
    assert!(message.contains(session.as_str().unwrap()), "{answer}");
    let answer = prompt(&mut two, &session, "here").await;
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    let refused = prompt(&mut one, &session, "there").await;
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
}

/// A turn that does not end by itself.
async fn forever(_: &(), turn: Turn) -> Result<StopReason> {
    if turn.text() == FOREVER {
        turn.say("begun").await?;
        std::future::pending::<()>().await;
    }
    Ok(StopReason::EndTurn)
}

/// Rule `rm-st-04`: somebody else may soon have the session, so the turn does not go on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_ends_when_its_lease_cannot_be_prolonged() {
    let mut server = server_or_skip!(Server::start());
    let options = quick(&server.database()).lease(Duration::from_secs(2));
    let store = connect(&options).await;
    let agent = Router::new("forever", "1.0.0", ()).on::<op::Prompt, _>(forever).store(store.clone());
    let (transport, mut client) = ScriptedPeer::pair();
    let served = tokio::spawn(Serve::shared(Arc::new(agent)).principal("ann").over(transport));
    client.call("initialize", json!({"protocolVersion": 1})).await.unwrap();
    let session = new_session(&mut client).await;
    let turn = tokio::spawn({
        let session = session.clone();
        async move { (prompt(&mut client, &session, FOREVER).await, client) }
    });
    wait_for(&store, &session, 2).await;
    server.stop();
    let (answer, mut client) = turn.await.unwrap();
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("could not be prolonged"), "{answer}");
    server.run();
    let answer = prompt(&mut client, &session, "after").await;
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    client.close().await;
    served.await.unwrap().unwrap();
}

/// A session that is closed during an outage can be opened soon after it. Its lease has a day.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_is_given_up_after_an_outage() {
    let mut server = server_or_skip!(Server::start());
    let options = quick(&server.database()).attempt(Duration::from_millis(500));
    let store = connect(&options.clone().lease(Duration::from_secs(86_400))).await;
    let mut log = store.create(info()).await.unwrap();
    log.append(updates(0..3)).await.unwrap();
    server.stop();
    log.close().await.unwrap();
    server.run();
    let other = PostgresStore::connect(&options).await.unwrap();
    let opened = tokio::time::timeout(Duration::from_secs(300), async {
        loop {
            match other.open(&id()).await {
                Err(StoreError::Busy { .. }) => tokio::time::sleep(Duration::from_millis(20)).await,
                opened => return opened.unwrap(),
            }
        }
    });
    let mut log = opened.await.expect("it stays busy");
    log.append(updates(3..4)).await.unwrap();
    log.close().await.unwrap();
    assert_eq!(read(&store, &id()).await, updates(0..4));
}

/// Another transaction, which holds what it has locked until it is committed.
async fn other_transaction(database: &Database, sql: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(&database.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(&format!("begin; {sql}")).await.unwrap();
    client
}

/// One who gives up has nothing, although the database carries all attempts out later. The lease
/// has a day.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attempts_that_come_too_late_leave_nothing_behind() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let options = quick(&database).attempt(Duration::from_millis(200)).patience(Duration::from_millis(500));
    let store = connect(&options.lease(Duration::from_secs(86_400))).await;
    store.create(info()).await.unwrap().close().await.unwrap();
    let (old, new) = (id(), || SessionInfo::new("new", "/work"));

    let lock = other_transaction(&database, "lock table acp_session in exclusive mode").await;
    let (opened, created) = tokio::join!(store.open(&old), store.create(new()));
    assert!(matches!(opened, Err(StoreError::Unavailable { .. })));
    assert!(matches!(created, Err(StoreError::Unavailable { .. })));
    lock.batch_execute("commit").await.unwrap();

    let left = async {
        loop {
            match store.open(&id()).await {
                Err(StoreError::Busy { .. }) => tokio::time::sleep(Duration::from_millis(20)).await,
                opened => return opened.unwrap(),
            }
        }
    };
    let mut log = tokio::time::timeout(Duration::from_secs(60), left).await.expect("nobody has it");
    log.append(updates(0..1)).await.unwrap();
    let gone = async {
        while store.list(&ListSessionsRequest::new()).await.unwrap().sessions.len() > 1 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), gone).await.expect("nobody knows it");
    store.create(new()).await.unwrap();
}

/// One change that takes long does not take the leases of the others along.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_change_delays_no_lease_but_its_own() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store =
        connect(&quick(&database).lease(Duration::from_secs(3)).patience(Duration::from_secs(60))).await;
    let mut slow = store.create(info()).await.unwrap();
    let mut other = store.create(SessionInfo::new("other", "/work")).await.unwrap();
    let lost = other.lost();
    let lock =
        other_transaction(&database, "update acp_session set folder = folder where session = 'one'").await;
    let change = tokio::spawn(async move { slow.append(updates(0..1)).await });
    // Two thirds of the lease, and more.
    let lost = tokio::time::timeout(Duration::from_secs(4), lost).await;
    assert!(lost.is_err(), "{lost:?}");
    lock.batch_execute("commit").await.unwrap();
    change.await.unwrap().unwrap();
    other.append(updates(0..1)).await.unwrap();
}
