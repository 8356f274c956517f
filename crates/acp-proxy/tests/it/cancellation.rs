//! Cancellation: one plain `$/cancel_request` on each hop, with the id of that hop.

use acp_proxy::{Conductor, Proxy, Reply, Toward};
use serde_json::{Value, json};

use super::common::{chain, end, serve};

/// px-cancel-01: every hop gets exactly one, with its own id. px-cancel-03: the answer comes back.
#[tokio::test]
async fn each_hop_cancels_its_own_request() {
    for answer in [r#""error":{"code":-32800,"message":"stopped"}"#, r#""result":{"stopReason":"cancelled"}"#]
    {
        let mut chain = chain(2);
        chain.initialize().await;
        chain.client.ask(4, "session/prompt", json!({"sessionId": "s"})).await;
        let mut ids = Vec::new();
        for (number, proxy) in chain.proxies.iter_mut().enumerate() {
            let (id, params) = proxy.request("session/prompt").await;
            proxy.envelop(Some(40 + i64::try_from(number).unwrap()), "session/prompt", params).await;
            ids.push(id);
        }
        let (asked, _) = chain.agent.request("session/prompt").await;
        for _ in 0..2 {
            chain.client.notify("$/cancel_request", json!({"requestId": 4})).await;
        }
        for (number, proxy) in chain.proxies.iter_mut().enumerate() {
            assert_eq!(cancelled(&proxy.value().await), ids[number]);
            proxy.notify("$/cancel_request", json!({"requestId": 40 + number})).await;
        }
        assert_eq!(cancelled(&chain.agent.value().await), asked);
        chain.agent.send(format!(r#"{{"jsonrpc":"2.0","id":{asked},{answer}}}"#)).await;
        for (number, proxy) in chain.proxies.iter_mut().enumerate().rev() {
            // Nothing came in between: the second cancellation has no effect.
            let line = proxy.line().await;
            assert_eq!(line, format!(r#"{{"jsonrpc":"2.0","id":{},{answer}}}"#, 40 + number));
            proxy.send(format!(r#"{{"jsonrpc":"2.0","id":{},{answer}}}"#, ids[number])).await;
        }
        assert_eq!(chain.client.line().await, format!(r#"{{"jsonrpc":"2.0","id":4,{answer}}}"#));
        chain.end().await;
    }
}

fn cancelled(message: &Value) -> Value {
    assert_eq!(message["method"], "$/cancel_request", "{message}");
    assert!(message.get("id").is_none());
    message["params"]["requestId"].clone()
}

/// px-cancel-02: a cancellation that is wrapped counts, too.
#[tokio::test]
async fn a_wrapped_cancellation_is_mapped() {
    let mut chain = chain(1);
    chain.initialize().await;
    chain.proxies[0].envelop(Some(12), "_ask", json!({})).await;
    let (id, _) = chain.agent.request("_ask").await;
    chain.proxies[0].envelop(None, "$/cancel_request", json!({"requestId": 12})).await;
    assert_eq!(cancelled(&chain.agent.value().await), id);
    chain.end().await;
}

/// Cancellations of nothing, of something else and without an id change nothing.
#[tokio::test]
async fn other_cancellations_are_ignored() {
    let mut chain = chain(0);
    chain.initialize().await;
    chain.client.ask(1, "_ask", json!({})).await;
    let (id, _) = chain.agent.request("_ask").await;
    for params in [json!({"requestId": "1"}), json!({"requestId": 2}), json!({}), json!({"requestId": {}})] {
        chain.client.notify("$/cancel_request", params).await;
    }
    chain.client.notify("_n", json!({})).await;
    assert_eq!(chain.agent.value().await["method"], "_n");
    chain.agent.answer(&id, json!({})).await;
    chain.client.result(1).await;
    chain.client.notify("$/cancel_request", json!({"requestId": 1})).await;
    chain.client.notify("_n", json!({})).await;
    assert_eq!(chain.agent.value().await["method"], "_n");
    chain.end().await;
}

/// px-cancel-01 for a proxy of this process: what it sent on is cancelled, and its handler can
/// learn of it.
#[tokio::test]
async fn a_handler_learns_of_the_cancellation() {
    let proxy = Proxy::new("p")
        .raw_request(Toward::Agent, "_on", async |_, next| next.run().await)
        .raw_request(Toward::Agent, "_wait", async |_, next| {
            next.cancelled().await;
            Reply::of(&json!("seen"))
        });
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().proxy(proxy).agent(transport));
    client.ask(0, "initialize", json!({"protocolVersion": 1})).await;
    let (id, _) = agent.request("initialize").await;
    agent.answer(&id, json!({"protocolVersion": 1})).await;
    client.result(0).await;
    client.ask(1, "_on", json!({})).await;
    let (id, _) = agent.request("_on").await;
    client.notify("$/cancel_request", json!({"requestId": 1})).await;
    assert_eq!(cancelled(&agent.value().await), id);
    client.ask(2, "_wait", json!({})).await;
    client.notify("$/cancel_request", json!({"requestId": 2})).await;
    assert_eq!(client.result(2).await, "seen");
}

/// 1,000 requests at once, of which every tenth is cancelled at once: each has exactly one answer.
#[tokio::test]
async fn every_request_has_one_answer() {
    const REQUESTS: i64 = 1000;
    let (transport, mut agent) = end();
    let conductor = Conductor::new().proxy(Proxy::new("p")).agent(transport);
    let (mut client, _serving) = serve(conductor);
    client.ask(-1, "initialize", json!({"protocolVersion": 1})).await;
    let (id, _) = agent.request("initialize").await;
    agent.answer(&id, json!({"protocolVersion": 1})).await;
    client.result(-1).await;
    let answering = tokio::spawn(async move {
        let mut open = REQUESTS;
        while open > 0 {
            let message = agent.value().await;
            if message["method"] == "_ask" {
                agent.answer(&message["id"], message["params"].clone()).await;
                open -= 1;
            }
        }
        agent
    });
    let mut seen = vec![0; usize::try_from(REQUESTS).unwrap()];
    for id in 0..REQUESTS {
        client.ask(id, "_ask", json!({"n": id})).await;
        if id % 10 == 0 {
            client.notify("$/cancel_request", json!({"requestId": id})).await;
        }
        if id % 50 == 49 {
            for _ in 0..50 {
                let answer = client.value().await;
                assert_eq!(answer["result"]["n"], answer["id"]);
                seen[usize::try_from(answer["id"].as_i64().unwrap()).unwrap()] += 1;
            }
        }
    }
    answering.await.unwrap();
    assert!(seen.iter().all(|times| *times == 1));
}
