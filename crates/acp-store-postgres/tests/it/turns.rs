//! Turns of an agent whose sessions are in a database, as a client sees them.

use std::sync::Arc;
use std::time::Duration;

use acp_agent::store::SessionStore as _;
use acp_agent::{NewSession, Opened, Result, Router, Serve, StopReason, Turn, op};
use acp_store_postgres::PostgresStore;
use serde_json::{Value, json};
use testkit::ScriptedPeer;
use tokio::task::JoinHandle;

use crate::server::{Server, server_or_skip};
use crate::{connect, quick, read, store};

/// Says each line of the prompt as a message of its own.
async fn lines(_: &(), turn: Turn) -> Result<StopReason> {
    for line in turn.text().lines() {
        turn.say(line).await?;
    }
    Ok(StopReason::EndTurn)
}

/// A client of an agent with this store.
async fn client(store: &PostgresStore, principal: &str) -> (ScriptedPeer, JoinHandle<Result<()>>) {
    let agent = Router::new("lines", "1.0.0", ()).on::<op::Prompt, _>(lines).store(store.clone());
    let (transport, mut client) = ScriptedPeer::pair();
    let served = tokio::spawn(Serve::shared(Arc::new(agent)).principal(principal).over(transport));
    client.call("initialize", json!({"protocolVersion": 1})).await.unwrap();
    (client, served)
}

async fn prompt(client: &mut ScriptedPeer, session: &Value, text: &str) -> Value {
    let params = json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]});
    call(client, "session/prompt", params).await
}

async fn call(client: &mut ScriptedPeer, method: &str, params: Value) -> Value {
    (*client.call(method, params).await.unwrap()).clone()
}

async fn new_session(client: &mut ScriptedPeer) -> Value {
    let mut opened = call(client, "session/new", json!({"cwd": "/work", "mcpServers": []})).await;
    opened["result"]["sessionId"].take()
}

fn resume(session: &Value) -> Value {
    json!({"sessionId": session, "cwd": "/work", "mcpServers": []})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_replica_takes_a_session_up() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let (first, second) = (store(&database).await, store(&database).await);
    let (mut one, served) = client(&first, "ann").await;
    let session = new_session(&mut one).await;
    assert_eq!(prompt(&mut one, &session, "a\nb").await["result"]["stopReason"], "end_turn");
    let (mut two, other) = client(&second, "ann").await;
    let busy = call(&mut two, "session/resume", resume(&session)).await;
    assert_eq!(busy["error"]["code"], -32600, "{busy}");
    assert!(busy["error"]["message"].as_str().unwrap().contains("try again at"), "{busy}");
    // Somebody else does not learn that it exists.
    let (mut eve, third) = client(&second, "eve").await;
    let unknown = call(&mut eve, "session/resume", resume(&session)).await;
    assert_eq!(unknown["error"]["code"], -32002, "{unknown}");
    one.close().await;
    served.await.unwrap().unwrap();
    let loaded = call(&mut two, "session/load", resume(&session)).await;
    assert!(loaded.get("result").is_some(), "{loaded}");
    assert_eq!(two.take_notifications().len(), 3);
    assert_eq!(prompt(&mut two, &session, "c").await["result"]["stopReason"], "end_turn");
    for (mut client, served) in [(two, other), (eve, third)] {
        client.close().await;
        served.await.unwrap().unwrap();
    }
}

/// The turn in which the database goes away fails with the typed error, and so do those after it.
/// Then the session goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turns_fail_while_the_database_is_away_and_the_session_goes_on() {
    let mut server = server_or_skip!(Server::start());
    let options =
        quick(&server.database()).patience(Duration::from_millis(300)).lease(Duration::from_secs(60));
    let store = connect(&options).await;
    let (mut client, served) = client(&store, "").await;
    let session = new_session(&mut client).await;
    assert_eq!(prompt(&mut client, &session, "before").await["result"]["stopReason"], "end_turn");
    server.stop();
    for _ in 0..2 {
        let failed = prompt(&mut client, &session, "lost").await;
        assert_eq!(failed["error"]["code"], -32603, "{failed}");
        assert!(failed["error"]["message"].as_str().unwrap().contains("not available"), "{failed}");
    }
    server.run();
    let mut answer = prompt(&mut client, &session, "after").await;
    while answer.get("error").is_some() {
        assert!(answer["error"]["message"].as_str().unwrap().contains("not available"), "{answer}");
        answer = prompt(&mut client, &session, "after").await;
    }
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    client.close().await;
    served.await.unwrap().unwrap();
    let id = acp_types::v1::SessionId::from(session.as_str().unwrap());
    let texts: String = read(&store, &id).await.iter().map(|record| record.json().to_owned()).collect();
    assert_eq!(texts.matches("before").count(), 2, "{texts}");
    assert!(texts.matches("after").count() >= 2, "{texts}");
}

/// Names that PostgreSQL cannot keep as they are, or not at all, where the client and the agent may
/// choose them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ids_and_texts_of_any_form_are_kept_or_refused_by_name() {
    let server = server_or_skip!(Server::shared());
    let store = store(&server.database()).await;
    let kept = "nul\0'; drop table acp_session; -- \u{1}\u{1f980}";
    let long = "x".repeat(64 * 1024);
    for id in [kept, &long, ""] {
        let chosen = id.to_owned();
        let new_session = move |_: &(), _: NewSession| {
            let chosen = chosen.clone();
            async move { Ok::<_, acp_agent::Error>(Opened::new(()).session_id(chosen)) }
        };
        let agent = Router::new("lines", "1.0.0", ())
            .on::<op::NewSession, _>(new_session)
            .on::<op::Prompt, _>(lines)
            .store(store.clone());
        let (transport, mut client) = ScriptedPeer::pair();
        let served = tokio::spawn(Serve::shared(Arc::new(agent)).principal("ann\0").over(transport));
        call(&mut client, "initialize", json!({"protocolVersion": 1})).await;
        for method in ["session/load", "session/resume"] {
            let unknown = call(&mut client, method, resume(&json!(id))).await;
            assert_eq!(unknown["error"]["code"], -32002, "{method}: {unknown}");
        }
        let params = json!({"cwd": "/work\0'", "mcpServers": []});
        let opened = call(&mut client, "session/new", params).await;
        if id == kept {
            assert_eq!(opened["result"]["sessionId"], id, "{opened}");
            let answer = prompt(&mut client, &json!(id), "nul\0 in the title").await;
            assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
            let listed = call(&mut client, "session/list", json!({"cwd": "/work\0'"})).await;
            let listed = &listed["result"]["sessions"][0];
            assert_eq!((&listed["sessionId"], &listed["title"]), (&json!(id), &json!("nul\0 in the title")));
        } else {
            let message = opened["error"]["message"].as_str().unwrap_or_default();
            assert!(message.contains("choose an id that is shorter, and not empty"), "{opened}");
            assert!(message.len() < 2000, "the id is repeated: {} bytes", message.len());
        }
        client.close().await;
        served.await.unwrap().unwrap();
    }
}

/// Rule `rm-st-06`: updates leave without waiting for the database, and the answer does wait.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_waits_for_the_commit_and_updates_do_not() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store = store(&database).await;
    let (mut one, _served) = client(&store, "ann").await;
    let session = new_session(&mut one).await;
    prompt(&mut one, &session, "first").await;
    let (client, connection) = tokio_postgres::connect(&database.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("begin; update acp_session set folder = folder").await.unwrap();
    let params = json!({"sessionId": session, "prompt": [{"type": "text", "text": "a\nb"}]});
    let id = one.request("session/prompt", params).await.unwrap();
    for text in ["a", "b"] {
        let update = one.expect("session/update").await.unwrap();
        assert_eq!(update["params"]["update"]["content"]["text"], text, "{update:?}");
    }
    client.batch_execute("commit").await.unwrap();
    let answer = one.answer_to(&id).await.unwrap();
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer:?}");
    // Whoever asks now has the whole turn.
    let id = acp_types::v1::SessionId::from(session.as_str().unwrap());
    let ann = store.for_principal("ann").unwrap();
    assert_eq!(read(&*ann, &id).await.len(), 2 + 3);
}

/// A statement that the database refuses is not made, so the log knows where the session ends. If
/// somebody else goes on with it, the next prompt here is refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_was_continued_after_a_refused_statement_is_noticed() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let (first, second) = (store(&database).await, store(&database).await);
    let (mut one, _served) = client(&first, "ann").await;
    let session = new_session(&mut one).await;
    assert_eq!(prompt(&mut one, &session, "a").await["result"]["stopReason"], "end_turn");
    let refuse = "create function refuse() returns trigger language plpgsql as $$ begin
            raise exception 'refused'; end $$;
        create trigger refuse before insert on acp_batch for each statement execute function refuse()";
    server.psql(&database.name, refuse).unwrap();
    let failed = prompt(&mut one, &session, "lost").await;
    assert_eq!(failed["error"]["code"], -32603, "{failed}");
    server.psql(&database.name, "drop trigger refuse on acp_batch").unwrap();

    let (mut two, other) = client(&second, "ann").await;
    let resumed = call(&mut two, "session/resume", resume(&session)).await;
    assert!(resumed.get("result").is_some(), "{resumed}");
    assert_eq!(prompt(&mut two, &session, "b").await["result"]["stopReason"], "end_turn");
    two.close().await;
    other.await.unwrap().unwrap();
    let refused = prompt(&mut one, &session, "c").await;
    let message = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("was continued elsewhere"), "{refused}");
    let resumed = call(&mut one, "session/resume", resume(&session)).await;
    assert!(resumed.get("result").is_some(), "{resumed}");
    assert_eq!(prompt(&mut one, &session, "d").await["result"]["stopReason"], "end_turn");
}
