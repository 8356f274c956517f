//! Clients that go while a turn is under way.

use std::time::Duration;

use acp_proxy::{Conductor, Proxy};
use serde_json::{Value, json};

use super::common::{End, end, serve, soon};
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
    }
    assert!(updates > 20, "{updates}");
    soon("the end of the chain", serving).await.unwrap().unwrap();
    soon("the end of the agent", streaming).await.unwrap();
}
