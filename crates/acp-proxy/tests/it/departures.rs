//! Clients that go while a turn is under way.

use std::time::Duration;

use acp_proxy::{Conductor, Proxy};
use acp_rpc::Source;
use serde_json::{Value, json};

use super::common::{End, PIPE, end, serve, soon};
use super::forwarding::initialized;

fn update() -> Value {
    json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s"}})
}

/// Starts a turn, and takes the prompt.
async fn turn(client: &mut End, agent: &mut End) {
    client.ask(1, "session/prompt", json!({"sessionId": "s", "prompt": []})).await;
    agent.request("session/prompt").await;
}

/// A client that dies in the middle of a turn ends the chain, although the agent goes on and on.
#[tokio::test]
async fn a_client_that_dies_ends_the_chain_while_the_agent_streams() {
    for proxies in [0, 1] {
        let (transport, mut agent) = end();
        let conductor = (0..proxies).fold(Conductor::new(), |chain, _| chain.proxy(Proxy::new("p")));
        let (mut client, serving) = serve(conductor.agent(transport));
        initialized(&mut client, &mut agent).await;
        turn(&mut client, &mut agent).await;
        let streaming = tokio::spawn(async move { while agent.writer.try_send(update()).await {} });
        client.value().await;
        drop(client);
        soon("the end of the chain", serving).await.unwrap().unwrap();
        soon("the end of the agent", streaming).await.unwrap();
    }
}

/// A client that has only closed its side gets what comes, but not for ever.
#[tokio::test(start_paused = true)]
async fn a_client_that_sends_no_more_is_not_served_for_ever() {
    let (transport, mut agent) = end();
    let drain = Duration::from_millis(100);
    let (mut client, serving) = serve(Conductor::new().drain(drain).agent(transport));
    initialized(&mut client, &mut agent).await;
    turn(&mut client, &mut agent).await;
    let streaming = tokio::spawn(async move {
        while agent.writer.try_send(update()).await {
            tokio::time::sleep(drain / 2).await;
        }
    });
    client.writer.close().await;
    let mut updates = 0;
    while soon("the end of the stream", client.reader.last()).await.is_some() {
        updates += 1;
        assert!(updates < 1000, "it goes on and on");
    }
    assert!(updates > 20, "{updates}");
    soon("the end of the chain", serving).await.unwrap().unwrap();
    soon("the end of the agent", streaming).await.unwrap();
}

/// A client that is gone is noticed although nothing more is read of it, because the agent takes
/// no more.
#[tokio::test]
async fn a_client_that_dies_before_a_deaf_agent_ends_the_chain() {
    let (transport, mut agent) = end();
    let conductor = Conductor::new().budget(1000).drain(Duration::from_millis(10));
    let (mut client, serving) = serve(conductor.agent(transport));
    initialized(&mut client, &mut agent).await;
    let prompt = json!([{"type": "text", "text": "x".repeat(4 * PIPE)}]);
    client.ask(1, "session/prompt", json!({"sessionId": "s", "prompt": prompt})).await;
    client.notify("_behind", json!({"sessionId": "s"})).await;
    drop(client);
    soon("the end of the chain", serving).await.unwrap().unwrap();
}

/// Messages that a client has sent before it closed its side are passed on, although the agent was
/// slow.
#[tokio::test]
async fn the_last_messages_of_a_client_wait_for_a_slow_agent() {
    let (transport, mut agent) = end();
    let (mut client, serving) = serve(Conductor::new().budget(1000).agent(transport));
    initialized(&mut client, &mut agent).await;
    client.notify("_long", json!({"text": "x".repeat(4 * PIPE)})).await;
    for _ in 0..3 {
        client.notify("_behind", json!({})).await;
    }
    client.writer.close().await;
    for method in ["_long", "_behind", "_behind", "_behind"] {
        assert_eq!(agent.value().await["method"], method);
    }
    assert!(agent.last().await.is_none());
    soon("the end of the chain", serving).await.unwrap().unwrap();
}

/// Makes an agent that never is there.
fn never() -> Source {
    Source::dial(|| Box::pin(std::future::pending()))
}

/// A client that goes while a component is being started ends the chain.
#[tokio::test(start_paused = true)]
async fn a_client_that_goes_during_the_start_ends_the_chain() {
    let drain = Duration::from_millis(10);
    let conductor = Conductor::new().drain(drain).restart_timeout(Duration::MAX);
    let (mut client, serving) = serve(conductor.agent(never()));
    client.ask(0, "initialize", json!({"protocolVersion": 1})).await;
    drop(client);
    soon("the end of the chain", serving).await.unwrap().unwrap();
}

/// A component that is never there is given up.
#[tokio::test(start_paused = true)]
async fn a_component_that_does_not_start_is_given_up() {
    let (mut client, serving) =
        serve(Conductor::new().restart_timeout(Duration::from_secs(7)).agent(never()));
    client.ask(0, "initialize", json!({"protocolVersion": 1})).await;
    let error = client.error(0).await;
    assert!(error["message"].as_str().unwrap().contains("not started in time"), "{error}");
    client.close().await;
    soon("the end of the chain", serving).await.unwrap().unwrap();
}
