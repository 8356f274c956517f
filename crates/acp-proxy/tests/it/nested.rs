//! Conductors within conductors.

use acp_proxy::{Conductor, Policy, Proxy};
use serde_json::json;

use super::common::{end, serve};
use super::forwarding::initialized;

/// px-nest-01: a conductor without an agent is a proxy, and the successor of its last proxy is its
/// own. Three deep, each with a proxy of its own.
#[tokio::test]
async fn a_conductor_is_a_proxy_of_another() {
    let count = || {
        Proxy::new("count").raw_request(acp_proxy::Toward::Agent, "_count", async |params, next| {
            let mut number: Vec<u64> = params.read().unwrap();
            number[0] += 1;
            next.run_with(&number).await
        })
    };
    let mut inner = Conductor::new().proxy(count());
    for _ in 0..3 {
        let (here, there) = acp_rpc::Transport::duplex();
        tokio::spawn(inner.serve(there));
        inner = Conductor::new().proxy(count()).process(here, Policy::Required);
    }
    let (transport, mut agent) = end();
    let (mut client, serving) = serve(inner.agent(transport));
    initialized(&mut client, &mut agent).await;
    client.ask(1, "_count", json!([0])).await;
    let (id, params) = agent.request("_count").await;
    assert_eq!(params, json!([4]));
    agent.answer(&id, json!("done")).await;
    assert_eq!(client.result(1).await, "done");
    agent.ask(2, "_up", json!({})).await;
    let (id, _) = client.request("_up").await;
    client.notify("_n", json!({})).await;
    assert_eq!(agent.value().await["method"], "_n");
    client.answer(&id, json!(7)).await;
    assert_eq!(agent.result(2).await, 7);
    client.close().await;
    serving.await.unwrap().unwrap();
}

/// px-nest-01: in proxy mode a chain has no agent of its own.
#[tokio::test]
async fn a_chain_with_an_agent_is_not_a_proxy() {
    let (mut client, _serving) = serve(Conductor::new().agent(end().0));
    client.ask(1, "proxy/initialize", json!({"protocolVersion": 1})).await;
    assert_eq!(client.error(1).await["code"], -32600);
}

/// px-nest-01: an empty conductor passes everything on to its successor.
#[tokio::test]
async fn an_empty_conductor_passes_everything_on() {
    let (mut parent, _serving) = serve(Conductor::new());
    parent.ask(1, "proxy/initialize", json!({"protocolVersion": 1, "_x": 1})).await;
    let (id, params) = parent.enveloped("initialize").await;
    assert_eq!(params, json!({"protocolVersion": 1, "_x": 1}));
    parent.answer(&id, json!({"protocolVersion": 1})).await;
    parent.result(1).await;
    parent.ask(2, "_down", json!({})).await;
    let (id, _) = parent.enveloped("_down").await;
    parent.answer(&id, json!(1)).await;
    assert_eq!(parent.result(2).await, 1);
    parent.envelop(Some(3), "_up", json!({})).await;
    let (id, _) = parent.request("_up").await;
    parent.answer(&id, json!(2)).await;
    assert_eq!(parent.result(3).await, 2);
}
