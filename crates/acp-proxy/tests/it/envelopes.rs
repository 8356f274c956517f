//! `proxy/successor`: what goes in, what comes out, and what may not be forged.

use serde_json::json;

use super::common::chain;

/// px-env-01: requests and notifications, with params and without. `null` counts as none.
#[tokio::test]
async fn an_envelope_holds_every_kind_of_message() {
    let mut chain = chain(1);
    chain.initialize().await;
    let (proxy, agent) = (&mut chain.proxies[0], &mut chain.agent);
    for (params, passed) in [
        (r#","params":{"a":[1]}"#, r#","params":{"a":[1]}"#),
        (r#","params":[]"#, r#","params":[]"#),
        (r#","params":null"#, ""),
        ("", ""),
    ] {
        proxy
            .send(format!(
                r#"{{"jsonrpc":"2.0","method":"proxy/successor","params":{{"method":"_n"{params}}}}}"#
            ))
            .await;
        assert_eq!(agent.line().await, format!(r#"{{"jsonrpc":"2.0","method":"_n"{passed}}}"#));
        agent.send(format!(r#"{{"jsonrpc":"2.0","method":"_up"{params}}}"#)).await;
        let expected =
            format!(r#"{{"jsonrpc":"2.0","method":"proxy/successor","params":{{"method":"_up"{passed}}}}}"#);
        assert_eq!(proxy.line().await, expected);
    }
    proxy.send(r#"{"jsonrpc":"2.0","id":"q","method":"proxy/successor","params":{"method":"_q"}}"#).await;
    let (id, params) = agent.request("_q").await;
    assert!(params.is_null());
    agent.answer(&id, json!(1)).await;
    assert_eq!(proxy.result("q").await, 1);
    chain.end().await;
}

/// Results and errors of other programs, which must arrive byte for byte.
const ANSWERS: [&str; 12] = [
    r#""result":null"#,
    r#""result":{}"#,
    r#""result":[1.0,1e3,-0,0.10000000000000000000001,18446744073709551616]"#,
    r#""result":{"b":1,"a":2,"_unknown":{"nested":[null]},"a":3}"#,
    r#""result":"text with \"quotes\", \u00e9 and ü""#,
    r#""result":{ "spaces" : [ 1 , 2 ] }"#,
    r#""error":{"code":-32000,"message":"m"}"#,
    r#""error":{"code":-32000,"message":"m","data":null}"#,
    r#""error":{"code":400.0,"message":"m","data":{"x":1}}"#,
    r#""error":{"code":99999999999,"message":"","_more":true}"#,
    r#""error":{"message":"no code"}"#,
    r#""error":{"code":-32800,"message":"cancelled","data":"\ud83d\ude00"}"#,
];

/// px-env-02: the result or error within is that of the outer request, in both directions and over
/// several hops.
#[tokio::test]
async fn answers_pass_byte_for_byte() {
    let mut chain = chain(2);
    chain.initialize().await;
    for answer in ANSWERS {
        chain.client.ask(5, "_ask", json!({})).await;
        for proxy in &mut chain.proxies {
            let (id, _) = proxy.request("_ask").await;
            proxy.envelop(Some(9), "_ask", json!({"of": id})).await;
            proxy.send(format!(r#"{{"jsonrpc":"2.0","id":{id},{answer}}}"#)).await;
        }
        // The proxies have answered already: what the agent says comes too late for them.
        assert_eq!(chain.client.line().await, format!(r#"{{"jsonrpc":"2.0","id":5,{answer}}}"#));
        let (id, _) = chain.agent.request("_ask").await;
        chain.agent.send(format!(r#"{{"jsonrpc":"2.0","id":{id},{answer}}}"#)).await;
        assert_eq!(chain.proxies[1].line().await, format!(r#"{{"jsonrpc":"2.0","id":9,{answer}}}"#));
        let _ = chain.proxies[0].line().await;
    }
    for answer in ANSWERS {
        chain.agent.ask(6, "_up", json!({})).await;
        let (id, _) = chain.proxies[1].enveloped("_up").await;
        chain.proxies[1].send(format!(r#"{{"jsonrpc":"2.0","id":{id},{answer}}}"#)).await;
        assert_eq!(chain.agent.line().await, format!(r#"{{"jsonrpc":"2.0","id":6,{answer}}}"#));
    }
    chain.end().await;
}

/// px-env-03: the conductor's own errors are plain errors of the outer request.
#[tokio::test]
async fn a_successor_that_is_gone_is_a_plain_error() {
    let mut chain = chain(1);
    chain.initialize().await;
    chain.proxies[0].envelop(Some(4), "_ask", json!({})).await;
    chain.agent.request("_ask").await;
    drop(chain.agent);
    let error = chain.proxies[0].error(4).await;
    assert_eq!(error["code"], -32603);
    assert_eq!(error["data"]["component"], "a");
}

/// px-env-04: `_meta` of the envelope stays on its hop, and `_meta` within the params goes on.
#[tokio::test]
async fn meta_of_an_envelope_stays_on_its_hop() {
    let mut chain = chain(2);
    chain.initialize().await;
    let inner = json!({"_meta": {"inner": 1}, "x": 2});
    let line = json!({"jsonrpc": "2.0", "method": "proxy/successor",
        "params": {"method": "_n", "_meta": {"outer": 1}, "params": inner}});
    chain.proxies[1].send(&line).await;
    assert_eq!(chain.agent.value().await, json!({"jsonrpc": "2.0", "method": "_n", "params": inner}));
    chain.proxies[0].send(&line).await;
    assert_eq!(chain.proxies[1].value().await, json!({"jsonrpc": "2.0", "method": "_n", "params": inner}));
    chain.end().await;
}

/// px-env-05: nobody but a proxy wraps messages, and none is wrapped twice.
#[tokio::test]
async fn envelopes_cannot_be_forged() {
    let mut chain = chain(1);
    chain.initialize().await;
    let params = json!({"method": "session/update", "params": {"sessionId": "s"}});
    chain.client.notify("proxy/successor", params.clone()).await;
    chain.client.ask(1, "proxy/successor", params.clone()).await;
    assert_eq!(chain.client.error(1).await["code"], -32600);
    chain.agent.notify("proxy/successor", params.clone()).await;
    chain.agent.ask(2, "proxy/successor", params.clone()).await;
    assert_eq!(chain.agent.error(2).await["code"], -32600);
    chain.proxies[0].envelop(None, "proxy/successor", params.clone()).await;
    chain.proxies[0].envelop(Some(3), "proxy/successor", params).await;
    assert_eq!(chain.proxies[0].error(3).await["code"], -32600);
    // Nothing of it has arrived anywhere.
    chain.client.notify("_n", json!({})).await;
    assert_eq!(chain.proxies[0].value().await["method"], "_n");
    chain.proxies[0].envelop(None, "_n", json!({})).await;
    assert_eq!(chain.agent.value().await["method"], "_n");
    chain.proxies[0].notify("_n", json!({})).await;
    assert_eq!(chain.client.value().await["method"], "_n");
    chain.end().await;
}

/// px-env-06: an envelope without a usable method or with odd params.
#[tokio::test]
async fn envelopes_without_a_method_are_refused() {
    let mut chain = chain(1);
    chain.initialize().await;
    for params in [
        r#""params":{"params":{}}"#,
        r#""params":{"method":7}"#,
        r#""params":[]"#,
        r#""_x":1"#,
        r#""params":{"method":"_n","params":7}"#,
        r#""params":{"method":"_n","params":"x"}"#,
    ] {
        let proxy = &mut chain.proxies[0];
        proxy.send(format!(r#"{{"jsonrpc":"2.0","method":"proxy/successor",{params}}}"#)).await;
        proxy.send(format!(r#"{{"jsonrpc":"2.0","id":8,"method":"proxy/successor",{params}}}"#)).await;
        assert_eq!(proxy.error(8).await["code"], -32602, "{params}");
    }
    chain.end().await;
}

/// px-env-07: ids are those of the hop, integers from the conductor, and equal ids do not meet.
#[tokio::test]
async fn ids_belong_to_their_hop() {
    let mut chain = chain(1);
    chain.initialize().await;
    chain.client.ask(0, "_a", json!({})).await;
    chain.client.ask("0", "_b", json!({})).await;
    let (a, _) = chain.proxies[0].request("_a").await;
    let (b, _) = chain.proxies[0].request("_b").await;
    assert!(a.is_i64() && b.is_i64() && a != b);
    // The proxy uses the ids that it was asked with for requests of its own.
    chain.proxies[0].envelop(a.as_i64(), "_of_a", json!({})).await;
    let (id, _) = chain.agent.request("_of_a").await;
    chain.agent.answer(&id, json!("agent")).await;
    assert_eq!(chain.proxies[0].result(a.clone()).await, "agent");
    chain.proxies[0].answer(&b, json!("b")).await;
    assert_eq!(chain.client.result("0").await, "b");
    chain.proxies[0].answer(&a, json!("a")).await;
    assert_eq!(chain.client.result(0).await, "a");
    chain.client.ask(0, "_again", json!({})).await;
    chain.proxies[0].request("_again").await;
    chain.client.ask(0, "_twice", json!({})).await;
    assert_eq!(chain.client.error(0).await["code"], -32600);
    chain.end().await;
}

/// px-env-07: a form that is about a request names it by the id of each hop.
#[tokio::test]
async fn a_form_about_a_request_names_it_by_the_id_of_the_hop() {
    let mut chain = chain(1);
    chain.initialize().await;
    chain.client.ask("mine", "authenticate", json!({})).await;
    let (outer, params) = chain.proxies[0].request("authenticate").await;
    chain.proxies[0].envelop(Some(77), "authenticate", params).await;
    let (asked, _) = chain.agent.request("authenticate").await;
    let form = |id: &serde_json::Value| json!({"mode": "form", "requestId": id, "message": "m"});
    chain.agent.ask(1, "elicitation/create", form(&asked)).await;
    let (id, params) = chain.proxies[0].enveloped("elicitation/create").await;
    assert_eq!(params, form(&json!(77)));
    chain.proxies[0].ask(2, "elicitation/create", form(&outer)).await;
    let (asked_client, params) = chain.client.request("elicitation/create").await;
    assert_eq!(params, form(&json!("mine")));
    chain.client.answer(&asked_client, json!({"action": "decline"})).await;
    let result = chain.proxies[0].result(2).await;
    chain.proxies[0].answer(&id, result).await;
    chain.agent.result(1).await;
    // One that is unknown stays as it is.
    chain.agent.ask(3, "elicitation/create", form(&json!(12345))).await;
    assert_eq!(chain.proxies[0].enveloped("elicitation/create").await.1, form(&json!(12345)));
    chain.end().await;
}
