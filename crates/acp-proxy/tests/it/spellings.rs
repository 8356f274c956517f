//! Older spellings of the messages between a conductor and its proxies.

use acp_proxy::{Conductor, Policy, Proxy, Spelling};
use serde_json::{Value, json};

use super::common::{End, end, serve};

/// A spelling with the methods that a proxy sends and gets.
struct Older {
    spelling: Spelling,
    initialize: &'static str,
    sends: [&'static str; 2],
    gets: [&'static str; 2],
    mark: Option<Value>,
}

fn older() -> [Older; 2] {
    [
        Older {
            spelling: Spelling::Underscored,
            initialize: "_proxy/initialize",
            sends: ["_proxy/successor"; 2],
            gets: ["_proxy/successor"; 2],
            mark: None,
        },
        Older {
            spelling: Spelling::SendReceive,
            initialize: "initialize",
            sends: ["_proxy/successor/send/request", "_proxy/successor/send/notification"],
            gets: ["_proxy/successor/receive/request", "_proxy/successor/receive/notification"],
            mark: Some(json!({"symposium": {"proxy": true}})),
        },
    ]
}

async fn passes(client: &mut End, agent: &mut End) {
    client.ask(1, "_down", json!({"n": 1})).await;
    let (id, params) = agent.request("_down").await;
    assert_eq!(params, json!({"n": 1}));
    agent.answer(&id, json!("down")).await;
    assert_eq!(client.result(1).await, "down");
    agent.ask(2, "_up", json!({"n": 2})).await;
    let (id, _) = client.request("_up").await;
    client.answer(&id, json!("up")).await;
    assert_eq!(agent.result(2).await, "up");
    agent.notify("session/update", json!({"sessionId": "s"})).await;
    assert_eq!(
        client.value().await,
        json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s"}})
    );
}

/// A proxy of an older generation is spoken to in its spelling, in both directions.
#[tokio::test]
async fn a_conductor_speaks_to_an_older_proxy() {
    for Older { spelling, initialize, sends, gets, mark } in older() {
        let ((here, mut proxy), (transport, mut agent)) = (end(), end());
        let conductor = Conductor::new().process(here, Policy::Required).spelling(spelling);
        let (mut client, _serving) = serve(conductor.agent(transport));
        client.ask(0, "initialize", json!({"protocolVersion": 1})).await;
        let (asked, params) = proxy.request(initialize).await;
        assert_eq!(params.get("_meta"), mark.as_ref());
        proxy.ask(7, sends[0], json!({"method": "initialize", "params": {"protocolVersion": 1}})).await;
        let (id, params) = agent.request("initialize").await;
        assert_eq!(params, json!({"protocolVersion": 1}));
        agent.answer(&id, json!({"protocolVersion": 1})).await;
        let result = proxy.result(7).await;
        proxy.answer(&asked, result).await;
        client.result(0).await;

        agent.ask(1, "_up", json!({"n": 1})).await;
        let (id, params) = proxy.request(gets[0]).await;
        assert_eq!(params, json!({"method": "_up", "params": {"n": 1}}));
        proxy.answer(&id, json!(5)).await;
        assert_eq!(agent.result(1).await, 5);
        agent.notify("_told", json!({})).await;
        let told = proxy.value().await;
        assert_eq!((&told["method"], &told["params"]["method"]), (&json!(gets[1]), &json!("_told")));
        proxy.notify(sends[1], json!({"method": "_n", "params": {}})).await;
        assert_eq!(agent.value().await["method"], "_n");
        // Neither end may forge a message of the other side.
        for forger in [&mut client, &mut agent] {
            for name in sends.into_iter().chain(gets) {
                forger.ask(9, name, json!({"method": "_forged", "params": {}})).await;
                assert_eq!(forger.error(9).await["code"], -32600);
            }
        }
    }
}

/// A proxy answers an older conductor in the spelling that this uses, whichever the proxy runs in.
#[tokio::test]
async fn a_proxy_runs_below_an_older_conductor() {
    for Older { initialize, sends, gets, mark, .. } in older() {
        let (here, mut above) = end();
        let proxy = Proxy::new("p").older_spellings();
        tokio::spawn(proxy.run_on(here, Vec::<std::ffi::OsString>::new()));
        let mut params = json!({"protocolVersion": 1});
        if let Some(mark) = &mark {
            params["_meta"] = mark.clone();
        }
        above.ask(0, initialize, params).await;
        let (id, params) = above.request(sends[0]).await;
        assert_eq!(params["method"], "initialize");
        // The mark is for one hop.
        assert_ne!(params["params"]["_meta"]["symposium"]["proxy"], true);
        above.answer(&id, json!({"protocolVersion": 1})).await;
        assert_eq!(above.result(0).await.get("_meta"), mark.as_ref());
        above.notify("_n", json!({})).await;
        let sent = above.value().await;
        assert_eq!((&sent["method"], &sent["params"]["method"]), (&json!(sends[1]), &json!("_n")));
        above.ask(1, gets[0], json!({"method": "_up", "params": {}})).await;
        let (id, _) = above.request("_up").await;
        above.answer(&id, json!(3)).await;
        assert_eq!(above.result(1).await, 3);
    }
}

/// Our conductor and our proxy understand each other in each spelling.
#[tokio::test]
async fn both_sides_are_ours() {
    for Older { spelling, .. } in older() {
        let (here, there) = acp_rpc::Transport::duplex();
        tokio::spawn(Proxy::new("p").older_spellings().run_on(there, Vec::<std::ffi::OsString>::new()));
        let (transport, mut agent) = end();
        let conductor = Conductor::new().process(here, Policy::Required).spelling(spelling);
        let (mut client, _serving) = serve(conductor.agent(transport));
        super::forwarding::initialized(&mut client, &mut agent).await;
        passes(&mut client, &mut agent).await;
    }
}

/// Without the option older names are messages like any other.
#[tokio::test]
async fn older_spellings_are_an_option() {
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().proxy(Proxy::new("p")).agent(transport));
    super::forwarding::initialized(&mut client, &mut agent).await;
    client.ask(1, "_proxy/successor", json!({"method": "_x"})).await;
    agent.request("_proxy/successor").await;
    let (mut above, _serving) = serve(Conductor::new().proxy(Proxy::new("p")));
    above.ask(1, "_proxy/initialize", json!({"protocolVersion": 1})).await;
    assert_eq!(above.error(1).await["code"], -32600);
}
