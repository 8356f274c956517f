//! The ends of sessions, components and chains, and clients that do not read.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use acp_proxy::{Conductor, Policy};
use serde_json::json;

use super::scene::{Scene, Shim, bridge, modern, notes, say};
use super::stdio::scripted;
use crate::common::{End, end, soon};
use crate::programs;

/// The proxy is killed: the request that it had is answered with an error that names it, and then
/// the shim ends with the chain.
#[tokio::test]
async fn a_proxy_that_is_gone_is_named() {
    let (scene, mut proxy, servers) = scripted().await;
    let mut shim = Shim::start(&servers[0]);
    shim.ask(1, "tools/call", modern(say("a"))).await;
    proxy.enveloped("mcp/message").await;
    drop(proxy);
    let error = shim.error(1).await;
    assert_eq!(error["code"], -32603);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("the MCP server `n` failed: the proxy `p` failed"), "{error}");
    assert_eq!(error["data"]["acp"]["data"]["component"], "p");
    assert_eq!(shim.last().await, None);
    assert!(soon("the end of the chain", scene.serving).await.unwrap().is_err());
}

/// The agent is gone: its servers' connections end, with an answer for what was open.
#[tokio::test]
async fn an_agent_that_is_gone_takes_its_servers_with_it() {
    let (scene, mut proxy, servers) = scripted().await;
    let mut shim = Shim::start(&servers[0]);
    shim.ask(1, "tools/call", modern(say("a"))).await;
    proxy.enveloped("mcp/message").await;
    let Scene { agent, client, serving } = scene;
    drop(agent);
    let error = shim.error(1).await;
    assert!(error["message"].as_str().unwrap().contains("`n`"), "{error}");
    assert_eq!(shim.last().await, None);
    assert!(soon("the exit", shim.child.wait()).await.unwrap().success());
    drop((client, proxy));
    assert!(soon("the end of the chain", serving).await.unwrap().is_err());
}

/// The client goes: nothing is left that would serve.
#[tokio::test]
async fn a_client_that_is_gone_ends_all() {
    let mut scene = Scene::start(Conductor::new().proxy(notes()).mcp_bridge(bridge()), json!({})).await;
    let servers = scene.open("s").await;
    let mut shim = Shim::start(&servers[0]);
    shim.initialize().await;
    drop(scene.client);
    assert_eq!(shim.last().await, None);
    assert!(soon("the exit", shim.child.wait()).await.unwrap().success());
    soon("the end of the chain", scene.serving).await.unwrap().unwrap();
    let mut late = Shim::start(&servers[0]);
    assert!(!soon("the exit", late.child.wait()).await.unwrap().success());
}

/// A proxy that is left out has no servers any more. The session goes on.
#[tokio::test]
async fn the_servers_of_a_proxy_that_is_left_out_fail() {
    let (agent_side, agent) = end();
    let conductor = Conductor::new()
        .process(programs::component("tools", Some("mcp/message")), Policy::Optional)
        .named("p")
        .mcp_bridge(bridge());
    let (client, serving) = crate::common::serve(conductor.agent(agent_side));
    let mut scene = Scene { client, agent, serving };
    scene.client.ask(0, "initialize", json!({"protocolVersion": 1})).await;
    let (id, _) = scene.agent.request("initialize").await;
    scene.agent.answer(&id, json!({"protocolVersion": 1})).await;
    scene.client.result(0).await;
    let servers = scene.open("s").await;
    let mut shim = Shim::start(&servers[0]);
    shim.ask(1, "tools/list", modern(json!({}))).await;
    let error = shim.error(1).await;
    assert!(error["message"].as_str().unwrap().contains("the proxy `p` failed"), "{error}");
    shim.ask(2, "tools/list", modern(json!({}))).await;
    // It is nobody's between the agent and the client.
    let (id, _) = scene.client.request("mcp/message").await;
    scene.client.fail(&id, json!({"code": -33001, "message": "unknown server"})).await;
    assert_eq!(shim.error(2).await["data"]["acp"]["code"], -33001);
    assert_eq!(scene.open("t").await, Vec::<serde_json::Value>::new());
}

const BUDGET: usize = 100_000;
const TEXT: usize = 10_000;

/// Sends what a server says until the chain takes no more, and returns the number of messages.
async fn flood(proxy: &mut End, request: &serde_json::Value) -> usize {
    let said = json!({
        "serverId": 5, "requestId": request, "method": "notifications/message",
        "params": {"data": "x".repeat(TEXT)},
    });
    let taken = AtomicUsize::new(0);
    let sending = async {
        loop {
            proxy.envelop(None, "mcp/message", said.clone()).await;
            taken.fetch_add(1, Ordering::Relaxed);
        }
    };
    tokio::pin!(sending);
    // On one thread every other task has had its turns when nothing was taken for so long.
    let (mut before, mut quiet) = (0, 0);
    std::future::poll_fn(|context| {
        assert!(sending.as_mut().poll(context).is_pending());
        let now = taken.load(Ordering::Relaxed);
        quiet = if now == before { quiet + 1 } else { 0 };
        before = now;
        if quiet > 50_000 {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
    before
}

/// A client that reads slowly holds the chain up, and loses nothing. Memory is bounded.
#[tokio::test]
async fn a_slow_reader_loses_nothing() {
    let (_scene, mut proxy, servers) = scripted_with(Duration::from_secs(600)).await;
    let mut shim = Shim::start(&servers[0]);
    shim.ask(1, "tools/call", modern(say("a"))).await;
    let (outer, call) = proxy.enveloped("mcp/message").await;
    let taken = flood(&mut proxy, &call["requestId"]).await;
    // The budget, a few pipes and buffers on the way: of the test, of sockets and of the shim.
    assert!((BUDGET / TEXT..(BUDGET + 2_000_000) / TEXT).contains(&taken), "{taken}");
    // A message that was begun is not whole: the rest of it is lost with the test's own writer.
    for _ in 0..taken {
        assert_eq!(shim.value().await["method"], "notifications/message");
    }
    proxy.send("").await;
    proxy.answer(&outer, json!({"result": {}})).await;
    loop {
        let value = shim.value().await;
        if value.get("id").is_some() {
            break assert_eq!(value["result"], json!({}));
        }
    }
}

/// A client that never reads is cut off after a time, and the chain goes on.
#[tokio::test]
async fn a_deaf_client_is_cut_off() {
    let (mut scene, mut proxy, servers) = scripted_with(Duration::from_millis(200)).await;
    let mut shim = Shim::start(&servers[0]);
    shim.ask(1, "tools/call", modern(say("a"))).await;
    let (_, call) = proxy.enveloped("mcp/message").await;
    let said = json!({
        "serverId": 5, "requestId": call["requestId"], "method": "notifications/message",
        "params": {"data": "x".repeat(TEXT)},
    });
    // More than all buffers hold: it only gets through because the client is cut off.
    let (mut reader, mut writer) = proxy.split();
    let flood = async {
        for _ in 0..1000 {
            let message = json!({"jsonrpc": "2.0", "method": "proxy/successor", "params": {"method": "mcp/message", "params": said}});
            writer.send(message).await;
        }
        writer
            .send(json!({"jsonrpc": "2.0", "method": "proxy/successor", "params": {"method": "_on"}}))
            .await;
    };
    tokio::join!(flood, async {
        assert_eq!(reader.value().await["method"], "$/cancel_request");
    });
    assert_eq!(scene.agent.value().await["method"], "_on");
}

async fn scripted_with(stall: Duration) -> (Scene, End, Vec<serde_json::Value>) {
    super::stdio::scripted_in(json!({}), |conductor| {
        conductor.budget(BUDGET).mcp_bridge(bridge().stall_timeout(stall))
    })
    .await
}
