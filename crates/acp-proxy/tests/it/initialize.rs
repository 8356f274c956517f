//! `initialize` through chains: who gets it, what it says, and what is refused.

use acp_proxy::{Conductor, Policy, Proxy, Toward};
use serde_json::{Value, json};

use super::common::{Chain, End, chain, end, serve};

/// px-init-01: proxies get `proxy/initialize`, the agent `initialize`, with the same params and
/// results. px-init-03: in this order on the wire. px-init-09: unknown members survive.
#[tokio::test]
async fn every_component_is_initialized_in_chains_of_any_length() {
    for length in [0, 1, 2, 3, 5] {
        let mut chain = chain(length);
        let params = json!({"protocolVersion": 1, "_x": [1.0, null], "clientCapabilities": {}});
        chain.client.ask("init", "initialize", params.clone()).await;
        let mut asked = Vec::new();
        for proxy in &mut chain.proxies {
            let (id, got) = proxy.request("proxy/initialize").await;
            assert_eq!(got, params);
            proxy.envelop(Some(7), "initialize", got).await;
            asked.push(id);
        }
        let (id, got) = chain.agent.request("initialize").await;
        assert_eq!(got, params);
        let result = json!({"protocolVersion": 1, "_y": {"z": "ü"}, "agentCapabilities": {}});
        chain.agent.answer(&id, result.clone()).await;
        for (proxy, id) in chain.proxies.iter_mut().zip(&asked).rev() {
            let got = proxy.result(7).await;
            assert_eq!(got, result);
            proxy.answer(id, got).await;
        }
        assert_eq!(chain.client.result("init").await, result);
        chain.end().await;
    }
}

/// px-init-02: the conductor asks for its highest version where the client asks for more.
#[tokio::test]
async fn a_version_that_the_conductor_does_not_know_is_lowered() {
    for (asked, passed) in [(json!(0), 0), (json!(1), 1), (json!(2), 2), (json!(3), 2), (json!(65535), 2)] {
        let mut chain = chain(1);
        chain.client.ask(1, "initialize", json!({"_before": 1, "protocolVersion": asked, "_x": true})).await;
        let (_, params) = chain.proxies[0].request("proxy/initialize").await;
        assert_eq!(params, json!({"_before": 1, "protocolVersion": passed, "_x": true}));
        chain.end().await;
    }
}

/// px-init-02: how much a conductor knows can be set.
#[tokio::test]
async fn the_highest_version_can_be_set() {
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().highest_version(1).agent(transport));
    client.ask(1, "initialize", json!({"protocolVersion": 2})).await;
    assert_eq!(agent.request("initialize").await.1, json!({"protocolVersion": 1}));
}

/// px-init-03: a proxy that answers before it has initialized its successor is refused.
#[tokio::test]
async fn a_proxy_that_skips_its_successor_is_refused() {
    let mut chain = chain(1);
    chain.client.ask(1, "initialize", json!({"protocolVersion": 1})).await;
    let (id, _) = chain.proxies[0].request("proxy/initialize").await;
    chain.proxies[0].answer(&id, json!({"protocolVersion": 1})).await;
    let error = chain.client.error(1).await;
    assert_eq!(error["code"], -32603);
    assert_eq!(error["data"]["component"], "p0");
    chain.end().await;
}

/// px-init-03: an answer of the successor to an earlier `initialize` does not count.
#[tokio::test]
async fn a_proxy_must_initialize_its_successor_each_time() {
    let mut chain = chain(1);
    chain.initialize().await;
    chain.client.ask(1, "initialize", json!({"protocolVersion": 1})).await;
    let (id, _) = chain.proxies[0].request("proxy/initialize").await;
    chain.proxies[0].answer(&id, json!({"protocolVersion": 1})).await;
    assert_eq!(chain.client.error(1).await["code"], -32603);
}

/// px-init-04: a proxy may ask for less, and must not change the answer's version.
#[tokio::test]
async fn a_proxy_may_ask_for_less_but_not_change_the_answer() {
    for (answered, is_refused) in [(json!(1), false), (json!(2), true), (Value::Null, true)] {
        let mut chain = chain(1);
        chain.client.ask(1, "initialize", json!({"protocolVersion": 2})).await;
        let proxy = &mut chain.proxies[0];
        let (id, params) = proxy.request("proxy/initialize").await;
        assert_eq!(params["protocolVersion"], 2);
        proxy.envelop(Some(1), "initialize", json!({"protocolVersion": 1})).await;
        let (asked, params) = chain.agent.request("initialize").await;
        assert_eq!(params["protocolVersion"], 1);
        chain.agent.answer(&asked, json!({"protocolVersion": 1})).await;
        proxy.result(1).await;
        proxy.answer(&id, json!({"protocolVersion": answered})).await;
        if is_refused {
            assert_eq!(chain.client.error(1).await["code"], -32603);
        } else {
            assert_eq!(chain.client.result(1).await, json!({"protocolVersion": 1}));
        }
        chain.end().await;
    }
}

/// px-init-04: a proxy of version 1 makes the chain speak version 1.
#[tokio::test]
async fn a_proxy_of_version_1_asks_for_version_1() {
    let (transport, mut agent) = end();
    let proxy = Proxy::new("p").only_v1().new_session(async |_, next| next.run().await);
    let (mut client, _serving) = serve(Conductor::new().proxy(proxy).agent(transport));
    client.ask(1, "initialize", json!({"_x": 1, "protocolVersion": 2})).await;
    let (id, params) = agent.request("initialize").await;
    assert_eq!(params, json!({"_x": 1, "protocolVersion": 1}));
    agent.answer(&id, json!({"protocolVersion": 1})).await;
    assert_eq!(client.result(1).await["protocolVersion"], 1);
}

/// px-init-05: a proxy's answer describes the chain from itself on.
#[tokio::test]
async fn served_and_refused_methods_change_the_capabilities() {
    let proxy = Proxy::new("p")
        .serve(Toward::Agent, "session/load", async |_: acp_json::Value, _| acp_proxy::Reply::of(&json!({})))
        .refuse(Toward::Agent, "session/list")
        .refuse(Toward::Client, "fs/read_text_file")
        .refuse(Toward::Client, "terminal/create");
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().proxy(proxy).agent(transport));
    let fs = json!({"readTextFile": true, "writeTextFile": true, "_x": 1});
    let params = json!({"protocolVersion": 1, "clientCapabilities": {"fs": fs, "terminal": true}});
    client.ask(1, "initialize", params).await;
    let (id, params) = agent.request("initialize").await;
    let fs = json!({"readTextFile": false, "writeTextFile": true, "_x": 1});
    assert_eq!(params["clientCapabilities"], json!({"fs": fs, "terminal": false}));
    let offered = json!({"loadSession": false, "sessionCapabilities": {"list": {"_y": 1}, "close": {}}});
    agent.answer(&id, json!({"protocolVersion": 1, "agentCapabilities": offered})).await;
    let offered = json!({"loadSession": true, "sessionCapabilities": {"list": null, "close": {}}});
    assert_eq!(client.result(1).await["agentCapabilities"], offered);
    client.ask(2, "session/list", json!({})).await;
    assert_eq!(client.error(2).await["code"], -32601);
    client.ask(3, "session/load", json!({"sessionId": "s"})).await;
    assert_eq!(client.result(3).await, json!({}));
    agent.ask(4, "fs/read_text_file", json!({"sessionId": "s"})).await;
    assert_eq!(agent.error(4).await["code"], -32601);
}

/// px-init-06: `proxy/initialize` is refused from the client, from a proxy and from the agent.
#[tokio::test]
async fn only_a_conductor_initializes_proxies() {
    let mut chain = chain(1);
    refused(&mut chain.client, "proxy/initialize").await;
    chain.initialize().await;
    refused(&mut chain.client, "proxy/initialize").await;
    refused(&mut chain.agent, "proxy/initialize").await;
    refused(&mut chain.proxies[0], "proxy/initialize").await;
    chain.proxies[0].envelop(Some(3), "proxy/initialize", json!({})).await;
    assert_eq!(chain.proxies[0].error(3).await["code"], -32600);
    chain.end().await;
}

/// px-init-06: plain `initialize` to a proxy is refused, before and after it was initialized.
#[tokio::test]
async fn a_proxy_refuses_the_initialize_of_agents() {
    let (mut conductor, _serving) = serve(Conductor::new().proxy(Proxy::new("p")));
    refused(&mut conductor, "initialize").await;
    conductor.ask(1, "proxy/initialize", json!({"protocolVersion": 1})).await;
    let (id, _) = conductor.enveloped("initialize").await;
    conductor.answer(&id, json!({"protocolVersion": 1})).await;
    conductor.result(1).await;
    refused(&mut conductor, "initialize").await;
}

async fn refused(end: &mut End, method: &str) {
    end.ask(77, method, json!({"protocolVersion": 1})).await;
    assert_eq!(end.error(77).await["code"], -32600);
}

/// px-init-07: other requests before `initialize` are refused and may be tried again, and
/// notifications are dropped.
#[tokio::test]
async fn nothing_goes_before_initialize() {
    let mut chain = chain(1);
    chain.client.notify("session/cancel", json!({"sessionId": "s"})).await;
    refused(&mut chain.client, "session/new").await;
    chain.initialize().await;
    chain.client.ask(2, "session/new", json!({})).await;
    chain.proxies[0].request("session/new").await;
    chain.end().await;
}

/// px-init-07: a chain that cannot be built answers with that error, now and later.
#[tokio::test]
async fn a_chain_that_cannot_be_built_says_why() {
    let missing = || acp_rpc::Command::new("/nonexistent/program");
    for conductor in [
        Conductor::new().agent(missing()).named("mine"),
        Conductor::new().process(missing(), Policy::Required).named("mine").agent(end().0),
    ] {
        let (mut client, serving) = serve(conductor);
        for id in 1..3 {
            client.ask(id, "initialize", json!({"protocolVersion": 1})).await;
            let error = client.error(id).await;
            assert_eq!(error["code"], -32603);
            assert_eq!(error["data"]["component"], "mine");
            assert!(error["message"].as_str().unwrap().contains("/nonexistent/program"), "{error}");
        }
        client.ask(3, "session/new", json!({})).await;
        assert_eq!(client.error(3).await["data"]["component"], "mine");
        client.close().await;
        serving.await.unwrap().unwrap();
    }
}

/// px-init-08: a repeated `initialize` goes down the same chain again.
#[tokio::test]
async fn a_repeated_initialize_goes_down_again() {
    let mut chain = chain(2);
    for _ in 0..3 {
        chain.initialize().await;
    }
    chain.end().await;
}

/// An `initialize` that the agent refuses may be tried again.
#[tokio::test]
async fn a_refused_initialize_may_be_tried_again() {
    let Chain { mut client, mut agent, serving, .. } = chain(0);
    client.ask(1, "initialize", json!({"protocolVersion": 1})).await;
    let (id, _) = agent.request("initialize").await;
    agent.fail(&id, json!({"code": -32000, "message": "log in first"})).await;
    assert_eq!(client.error(1).await["code"], -32000);
    client.ask(2, "initialize", json!({"protocolVersion": 1})).await;
    let (id, _) = agent.request("initialize").await;
    agent.answer(&id, json!({"protocolVersion": 1})).await;
    client.result(2).await;
    drop(client);
    serving.await.unwrap().unwrap();
}
