//! A proxy that is started again, as lines that a test writes.

use std::time::Duration;

use acp_proxy::{ConductError, Conductor, Policy};
use acp_rpc::Source;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::common::{End, end, serve, soon};
use super::forwarding::initialized_through;

/// A chain of one proxy that is dialed, each life an end of its own.
struct Scene {
    client: End,
    agent: End,
    proxy: End,
    lives: mpsc::UnboundedReceiver<End>,
    serving: JoinHandle<Result<(), ConductError>>,
}

impl Scene {
    /// Starts the chain and initializes it.
    async fn start(set: impl FnOnce(Conductor) -> Conductor) -> Self {
        Self::restarting(1, set).await
    }

    /// Starts a chain whose proxy is started again so many times.
    async fn restarting(times: u32, set: impl FnOnce(Conductor) -> Conductor) -> Self {
        let (sender, mut lives) = mpsc::unbounded_channel();
        let source = Source::dial(move || {
            let (transport, far) = end();
            let _ = sender.send(far);
            Box::pin(async { Ok(transport) })
        });
        let (transport, mut agent) = end();
        let conductor = Conductor::new().process(source, Policy::Restart(times)).named("p").agent(transport);
        let (mut client, serving) = serve(set(conductor));
        client.ask(0, "initialize", json!({"protocolVersion": 1, "_x": 1})).await;
        let mut proxy = soon("the proxy", lives.recv()).await.unwrap();
        let (asked, params) = proxy.request("proxy/initialize").await;
        proxy.envelop(Some(1), "initialize", params).await;
        let (id, _) = agent.request("initialize").await;
        agent.answer(&id, json!({"protocolVersion": 1, "_y": 2})).await;
        let result = proxy.result(1).await;
        proxy.answer(&asked, result).await;
        client.result(0).await;
        Self { client, agent, proxy, lives, serving }
    }

    /// Ends the proxy, and returns its next life.
    async fn end_of_life(&mut self) -> End {
        let (_, other) = end();
        drop(std::mem::replace(&mut self.proxy, other));
        self.next_life().await
    }

    async fn next_life(&mut self) -> End {
        soon("the next life", self.lives.recv()).await.unwrap()
    }
}

/// It is initialized with the params of the first time, and with the answer of its successor, which
/// is not asked again. Messages wait for it in their order.
#[tokio::test]
async fn messages_wait_for_a_proxy_that_is_back() {
    let mut scene = Scene::start(|conductor| conductor).await;
    scene.client.ask(1, "_lost", json!({})).await;
    scene.proxy.request("_lost").await;
    let mut again = scene.end_of_life().await;
    let error = scene.client.error(1).await;
    assert_eq!(error["data"]["component"], "p");
    for number in 0..3 {
        scene.client.notify("_down", json!({"n": number})).await;
        scene.agent.notify("_up", json!({"n": number})).await;
    }
    let (asked, params) = again.request("proxy/initialize").await;
    assert_eq!(params, json!({"protocolVersion": 1, "_x": 1}));
    again.envelop(Some(1), "initialize", params).await;
    let result = again.result(1).await;
    assert_eq!(result, json!({"protocolVersion": 1, "_y": 2}));
    again.answer(&asked, result).await;
    let (mut down, mut up) = (0, 0);
    for _ in 0..6 {
        let message = again.value().await;
        if message["method"] == "_down" {
            assert_eq!(message["params"]["n"], down);
            down += 1;
        } else {
            assert_eq!(message["params"]["params"]["n"], up);
            up += 1;
        }
    }
    scene.client.close().await;
    soon("the end", scene.serving).await.unwrap().unwrap();
}

/// A proxy that is started again must not change the version, skip its successor, or refuse.
#[tokio::test]
async fn a_proxy_that_is_not_back_as_it_was_ends_the_chain() {
    for answer in [json!({"result": {"protocolVersion": 2}}), json!({"error": {"code": 1, "message": "no"}})]
    {
        for skips in [true, false] {
            let mut scene = Scene::start(|conductor| conductor).await;
            let mut again = scene.end_of_life().await;
            scene.client.ask(1, "_waits", json!({})).await;
            let (asked, params) = again.request("proxy/initialize").await;
            if !skips {
                again.envelop(Some(1), "initialize", params).await;
                again.result(1).await;
            }
            let mut answer = answer.clone();
            answer["jsonrpc"] = "2.0".into();
            answer["id"] = asked;
            again.send(answer).await;
            assert_eq!(scene.client.error(1).await["data"]["component"], "p");
            assert!(scene.client.last().await.is_none());
            assert!(again.last().await.is_none());
            assert!(soon("the end", scene.serving).await.unwrap().is_err());
        }
    }
}

/// A proxy that ends while it is initialized again is started once more, as often as was said. So
/// is one that ends in the moment when it is back.
#[tokio::test]
async fn a_proxy_that_ends_again_is_started_again() {
    for is_back in [false, true] {
        let mut scene = Scene::restarting(20, |conductor| conductor).await;
        let mut again = scene.end_of_life().await;
        scene.client.notify("_waits", json!({})).await;
        for _ in 1..20 {
            let (asked, params) = again.request("proxy/initialize").await;
            if is_back {
                again.envelop(Some(1), "initialize", params).await;
                let result = again.result(1).await;
                again.answer(&asked, result).await;
            }
            drop(again);
            again = scene.next_life().await;
        }
        let (asked, params) = again.request("proxy/initialize").await;
        again.envelop(Some(1), "initialize", params).await;
        let result = again.result(1).await;
        again.answer(&asked, result).await;
        scene.client.ask(1, "_there", json!({})).await;
        while again.value().await["method"] != "_there" {}
        // That was the last one.
        drop(again);
        assert_eq!(scene.client.error(1).await["data"]["component"], "p");
        assert!(soon("the end", scene.serving).await.unwrap().is_err());
    }
}

/// A connection that never comes ends the chain when its time is up. It holds up no client that
/// goes.
#[tokio::test]
async fn a_proxy_that_cannot_be_reached_again_holds_nobody_up() {
    for (limit, is_failure) in [(Duration::ZERO, true), (Duration::from_secs(3600), false)] {
        let (transport, mut proxy) = end();
        let (sender, mut dialed) = mpsc::unbounded_channel();
        let first = std::sync::Mutex::new(Some(transport));
        let source = Source::dial(move || {
            let _ = sender.send(());
            let transport = first.lock().unwrap().take();
            Box::pin(async {
                match transport {
                    Some(transport) => Ok(transport),
                    None => std::future::pending().await,
                }
            })
        });
        let (transport, mut agent) = end();
        let conductor = Conductor::new().process(source, Policy::Restart(1)).restart_timeout(limit);
        let (mut client, serving) = serve(conductor.agent(transport));
        initialized_through(&mut client, &mut proxy, &mut agent).await;
        drop(proxy);
        for _ in 0..2 {
            soon("the dial", dialed.recv()).await.unwrap();
        }
        if !is_failure {
            drop(client);
        }
        assert_eq!(soon("the end", serving).await.unwrap().is_err(), is_failure);
    }
}

/// A proxy that says nothing when it is started again ends the chain when its time is up, and a
/// client that goes meanwhile does not wait for it.
#[tokio::test]
async fn nobody_waits_for_ever_for_a_proxy_that_is_silent() {
    let mut scene = Scene::start(|conductor| conductor.restart_timeout(Duration::ZERO)).await;
    let _again = scene.end_of_life().await;
    assert!(scene.client.last().await.is_none());
    assert!(soon("the end", scene.serving).await.unwrap().is_err());
    let mut scene = Scene::start(|conductor| conductor).await;
    let mut again = scene.end_of_life().await;
    again.request("proxy/initialize").await;
    drop(scene.client);
    soon("the end", scene.serving).await.unwrap().unwrap();
    assert!(again.last().await.is_none());
}
