//! Messages that pass unchanged, and their order.

use acp_proxy::{Conductor, Pass, Policy, Proxy, Toward};
use serde_json::json;

use super::common::{End, chain, end, serve};

/// px-fwd-01: unknown methods, kinds and members pass in both directions, through a proxy of this
/// process and through one with a connection, byte for byte.
#[tokio::test]
async fn unknown_messages_pass_as_they_came() {
    let lines = [
        r#"{"jsonrpc":"2.0","method":"_x/y","params":{ "b":1, "a":[1.0,null],"_meta":{"k":"\u00e9"} }}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"new_kind","q":18446744073709551616}}}"#,
        r#"{"jsonrpc":"2.0","method":"other/thing"}"#,
        r#"{"jsonrpc":"2.0","method":"$/thing","params":[1]}"#,
    ];
    let proxy = || {
        Proxy::new("p").observe(|_| {}).raw_request(Toward::Agent, "_mine", async |_, next| next.run().await)
    };
    let inner = || {
        let (here, there) = acp_rpc::Transport::duplex();
        tokio::spawn(async move { Conductor::new().proxy(proxy()).serve(there).await });
        here
    };
    for conductor in [
        Conductor::new(),
        Conductor::new().proxy(proxy()).proxy(Proxy::new("q")),
        Conductor::new().process(inner(), Policy::Required),
        Conductor::new().proxy(proxy()).process(inner(), Policy::Required).process(inner(), Policy::Required),
    ] {
        let (transport, mut agent) = end();
        let (mut client, _serving) = serve(conductor.agent(transport));
        initialized(&mut client, &mut agent).await;
        for line in lines {
            client.send(line).await;
            assert_eq!(agent.line().await, line);
            agent.send(line).await;
            assert_eq!(client.line().await, line);
        }
    }
}

pub(crate) async fn initialized(client: &mut End, agent: &mut End) {
    client.ask("init", "initialize", json!({"protocolVersion": 1})).await;
    let (id, _) = agent.request("initialize").await;
    agent.answer(&id, json!({"protocolVersion": 1})).await;
    client.result("init").await;
}

/// Initializes a chain of one proxy that has a connection.
pub(crate) async fn initialized_through(client: &mut End, proxy: &mut End, agent: &mut End) {
    client.ask(0, "initialize", json!({"protocolVersion": 1, "_x": 1})).await;
    let (asked, params) = proxy.request("proxy/initialize").await;
    proxy.envelop(Some(1), "initialize", params).await;
    let (id, _) = agent.request("initialize").await;
    agent.answer(&id, json!({"protocolVersion": 1, "_y": 2})).await;
    let result = proxy.result(1).await;
    proxy.answer(&asked, result).await;
    client.result(0).await;
}

/// px-fwd-02: 10,000 updates and then the answer, through three proxies of which one is slow at
/// random.
#[tokio::test]
async fn an_answer_does_not_overtake_updates() {
    const UPDATES: u64 = 10_000;
    let slow =
        Proxy::new("slow").raw_notification(Toward::Client, "session/update", async |_, pass: Pass| {
            let mut byte = [0];
            getrandom::fill(&mut byte).unwrap();
            for _ in 0..byte[0] % 4 {
                tokio::task::yield_now().await;
            }
            pass.run();
        });
    let (here, there) = acp_rpc::Transport::duplex();
    tokio::spawn(async move { Conductor::new().proxy(Proxy::new("pass")).serve(there).await });
    let (transport, mut agent) = end();
    let conductor = Conductor::new().proxy(Proxy::new("first")).proxy(slow).process(here, Policy::Required);
    let (mut client, _serving) = serve(conductor.agent(transport));
    initialized(&mut client, &mut agent).await;
    client.ask(1, "session/prompt", json!({"sessionId": "s"})).await;
    let (id, _) = agent.request("session/prompt").await;
    tokio::spawn(async move {
        for number in 0..UPDATES {
            agent.notify("session/update", json!({"sessionId": "s", "n": number})).await;
        }
        agent.answer(&id, json!({"stopReason": "end_turn"})).await;
        agent
    });
    for number in 0..UPDATES {
        assert_eq!(client.value().await["params"]["n"], number);
    }
    client.result(1).await;
}

/// px-fwd-02: the order of a session is kept where a handler holds a request, and another session
/// does not wait for it.
#[tokio::test]
async fn a_session_waits_for_its_handler_and_others_do_not() {
    let gate = std::sync::Arc::new(tokio::sync::Notify::new());
    let opened = std::sync::Arc::clone(&gate);
    let proxy = Proxy::new("p").raw_request(Toward::Agent, "session/prompt", move |_, next| {
        let opened = std::sync::Arc::clone(&opened);
        async move {
            opened.notified().await;
            next.run().await
        }
    });
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().proxy(proxy).agent(transport));
    initialized(&mut client, &mut agent).await;
    client.ask(1, "session/prompt", json!({"sessionId": "a"})).await;
    client.notify("session/cancel", json!({"sessionId": "a"})).await;
    client.notify("session/cancel", json!({"sessionId": "b"})).await;
    assert_eq!(agent.value().await["params"]["sessionId"], "b");
    gate.notify_one();
    agent.request("session/prompt").await;
    assert_eq!(agent.value().await["method"], "session/cancel");
}

/// px-fwd-02: the answer that a handler waits for does not overtake updates either.
#[tokio::test]
async fn a_handler_gets_the_answer_behind_the_updates() {
    let proxy = Proxy::new("p")
        .raw_notification(Toward::Client, "session/update", async |_, pass: Pass| {
            tokio::task::yield_now().await;
            pass.run();
        })
        .raw_request(Toward::Agent, "session/prompt", async |_, next| next.run().await);
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().proxy(proxy).agent(transport));
    initialized(&mut client, &mut agent).await;
    client.ask(1, "session/prompt", json!({"sessionId": "s"})).await;
    let (id, _) = agent.request("session/prompt").await;
    for number in 0..100 {
        agent.notify("session/update", json!({"sessionId": "s", "n": number})).await;
    }
    agent.answer(&id, json!({})).await;
    for number in 0..100 {
        assert_eq!(client.value().await["params"]["n"], number);
    }
    client.result(1).await;
}

/// px-fwd-02: an answer that names no session does not overtake notifications without one, whether
/// a handler waits for it, and whether it is an error.
#[tokio::test]
async fn an_answer_without_a_session_does_not_overtake_notifications_without_one() {
    let proxy = Proxy::new("p")
        .raw_notification(Toward::Client, "_n", async |_, pass: Pass| {
            tokio::task::yield_now().await;
            pass.run();
        })
        .raw_request(Toward::Agent, "_handled", async |_, next| next.run().await);
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().proxy(proxy).agent(transport));
    initialized(&mut client, &mut agent).await;
    for method in ["_handled", "_passed"] {
        for is_error in [false, true] {
            client.ask(1, method, json!({})).await;
            let (id, _) = agent.request(method).await;
            for number in 0..100 {
                agent.notify("_n", json!({"n": number})).await;
            }
            if is_error {
                agent.fail(&id, json!({"code": -1, "message": "no"})).await;
            } else {
                agent.answer(&id, json!({})).await;
            }
            for number in 0..100 {
                assert_eq!(client.value().await["params"]["n"], number, "{method} {is_error}");
            }
            assert_eq!(client.value().await["id"], 1);
        }
    }
}

/// px-fwd-03: updates of a session may come before the answer that names it.
#[tokio::test]
async fn updates_may_precede_the_answer_that_names_their_session() {
    let proxy = Proxy::new("p")
        .raw_request(Toward::Agent, "session/new", async |_, next| next.run().await)
        .raw_notification(Toward::Client, "session/update", async |_, pass: Pass| {
            tokio::task::yield_now().await;
            pass.run();
        });
    let (transport, mut agent) = end();
    let conductor = Conductor::new().proxy(Proxy::new("q")).proxy(proxy).agent(transport);
    let (mut client, _serving) = serve(conductor);
    initialized(&mut client, &mut agent).await;
    client.ask(1, "session/new", json!({"cwd": "/", "mcpServers": []})).await;
    let (id, _) = agent.request("session/new").await;
    for number in 0..20 {
        agent.notify("session/update", json!({"sessionId": "new", "n": number})).await;
    }
    agent.answer(&id, json!({"sessionId": "new"})).await;
    for number in 0..20 {
        assert_eq!(client.value().await["params"]["n"], number);
    }
    assert_eq!(client.result(1).await["sessionId"], "new");
}

/// Lines that are not messages are answered where they came from, and nothing else notices.
#[tokio::test]
async fn noise_stays_on_its_hop() {
    let mut chain = chain(1);
    chain.initialize().await;
    chain.client.send("not JSON").await;
    assert_eq!(chain.client.value().await["error"]["code"], -32700);
    chain.client.send("[]").await;
    assert_eq!(chain.client.value().await["error"]["code"], -32600);
    chain.client.send(r#"{"id":3,"method":"_x"}"#).await;
    assert_eq!(chain.client.error(3).await["code"], -32600);
    chain.client.send(r#"{"jsonrpc":"2.0","id":1.5,"method":"_x"}"#).await;
    assert_eq!(chain.client.value().await["error"]["code"], -32600);
    chain.agent.send("a banner").await;
    chain.proxies[0].send("another").await;
    chain.agent.send(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#).await;
    chain.agent.notify("_n", json!({})).await;
    assert_eq!(chain.proxies[0].value().await["params"]["method"], "_n");
    chain.end().await;
}

/// A line beyond the limit is answered by its id, and the next one passes.
#[tokio::test]
async fn a_line_beyond_the_limit_is_answered() {
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().max_line(1000).agent(transport));
    initialized(&mut client, &mut agent).await;
    let long = "x".repeat(2000);
    client.ask(1, "_x", json!({"long": long})).await;
    assert_eq!(client.error(1).await["code"], -32600);
    client.ask(2, "_x", json!({})).await;
    let (id, _) = agent.request("_x").await;
    agent.answer(&id, json!({"long": long})).await;
    assert!(client.error(2).await["code"].is_i64());
}
