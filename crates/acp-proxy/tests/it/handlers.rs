//! Handlers of a proxy: what they get, and what becomes of what they do.

use acp_proxy::{Conductor, Json, Neighbor, Next, Observed, Pass, Policy, Proxy, Reply, Toward};
use acp_rpc::Error;
use acp_types::v1::{PromptRequest, PromptResponse, SessionNotification, StopReason};
use serde_json::json;

use super::common::{End, end, serve};
use super::forwarding::initialized;

async fn start(proxy: Proxy) -> (End, End) {
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().proxy(proxy).agent(transport));
    initialized(&mut client, &mut agent).await;
    (client, agent)
}

fn prompt(text: &str) -> serde_json::Value {
    json!({"sessionId": "s", "prompt": [{"type": "text", "text": text}]})
}

#[tokio::test]
async fn params_and_results_can_be_changed() {
    let proxy = Proxy::new("p").prompt(async |mut request: PromptRequest, next: Next| -> Reply {
        request.prompt.insert(0, "first".into());
        let reply = next.run_with(&request).await;
        match reply.read::<PromptResponse>() {
            Ok(Some(_)) => Reply::of(&PromptResponse::new(StopReason::Refusal)).into(),
            _ => reply,
        }
    });
    let (mut client, mut agent) = start(proxy).await;
    client.ask(1, "session/prompt", prompt("second")).await;
    let (id, params) = agent.request("session/prompt").await;
    assert_eq!(params["prompt"][0]["text"], "first");
    assert_eq!(params["prompt"][1]["text"], "second");
    agent.answer(&id, json!({"stopReason": "end_turn"})).await;
    assert_eq!(client.result(1).await["stopReason"], "refusal");
    client.ask(2, "session/prompt", prompt("x")).await;
    let (id, _) = agent.request("session/prompt").await;
    agent
        .send(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":7.0,"message":"m","data":null}}}}"#))
        .await;
    assert_eq!(
        client.line().await,
        r#"{"jsonrpc":"2.0","id":2,"error":{"code":7.0,"message":"m","data":null}}"#
    );
}

/// A handler that does not change the answer passes it byte for byte.
#[tokio::test]
async fn an_unchanged_message_leaves_as_it_came() {
    let proxy =
        Proxy::new("p").prompt(async |_, next| next.run().await).update(async |_, pass: Pass| pass.run());
    let (mut client, mut agent) = start(proxy).await;
    let params = r#"{ "_x" : 1.0, "sessionId":"s","prompt":[]}"#;
    client.send(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{params}}}"#)).await;
    let line = agent.line().await;
    assert!(line.ends_with(&format!(r#""method":"session/prompt","params":{params}}}"#)), "{line}");
    let update = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s", "update":{"sessionUpdate":"_new","n":1e3}}}"#;
    agent.send(update).await;
    assert_eq!(client.line().await, update);
}

#[tokio::test]
async fn a_handler_may_answer_itself_and_keep_notifications_back() {
    let proxy = Proxy::new("p").prompt(async |_, _| Err::<Reply, _>(Error::new(-5, "not today"))).update(
        async |update: SessionNotification, pass: Pass| {
            if update.update.tag() == "agent_message_chunk" {
                pass.run();
            }
        },
    );
    let (mut client, mut agent) = start(proxy).await;
    client.ask(1, "session/prompt", prompt("x")).await;
    assert_eq!(client.error(1).await["code"], -5);
    let chunk = |kind: &str| json!({"sessionId": "s", "update": {"sessionUpdate": kind, "content": {"type": "text", "text": "t"}}});
    agent.notify("session/update", chunk("agent_thought_chunk")).await;
    agent.notify("session/update", chunk("agent_message_chunk")).await;
    assert_eq!(client.value().await["params"], chunk("agent_message_chunk"));
}

/// Params that are not of the handler's type do not reach it.
#[tokio::test]
async fn unreadable_params_are_refused_or_reported() {
    let faults = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = std::sync::Arc::clone(&faults);
    let proxy =
        Proxy::new("p").prompt(async |_, next| next.run().await).update(async |_, pass: Pass| pass.run());
    let (transport, mut agent) = end();
    let conductor = Conductor::new().proxy(proxy).agent(transport);
    let conductor = conductor.on_fault(move |fault| seen.lock().unwrap().push(fault.to_string()));
    let (mut client, _serving) = serve(conductor);
    initialized(&mut client, &mut agent).await;
    client.ask(1, "session/prompt", json!({"sessionId": 7})).await;
    assert_eq!(client.error(1).await["code"], -32602);
    agent.notify("session/update", json!({"sessionId": "s"})).await;
    agent.notify("_n", json!({"sessionId": "s"})).await;
    assert_eq!(client.value().await["method"], "_n");
    assert!(faults.lock().unwrap()[0].contains("ignored `session/update`"), "{faults:?}");
}

/// A handler may talk to both neighbors, and the answers reach it.
#[tokio::test]
async fn a_proxy_has_messages_of_its_own() {
    let proxy = Proxy::new("p").raw_request(Toward::Agent, "_ask", async |_, next: Next| -> Reply {
        let (client, agent) = (next.neighbor(Toward::Client), next.neighbor(Toward::Agent));
        let ask = async |who: &Neighbor| who.request("_own", &json!({"n": 1})).await.unwrap();
        let answers = [ask(&client).await, ask(&agent).await];
        client.notify("_told", &json!({})).unwrap();
        let answers: Vec<&str> = answers.iter().map(|answer| answer.result().unwrap().as_str()).collect();
        Reply::of(&answers).into()
    });
    let (mut client, mut agent) = start(proxy).await;
    client.ask(1, "_ask", json!({})).await;
    let (id, _) = client.request("_own").await;
    client.answer(&id, json!("client")).await;
    let (id, _) = agent.request("_own").await;
    agent.answer(&id, json!("agent")).await;
    assert_eq!(client.value().await["method"], "_told");
    assert_eq!(client.result(1).await, json!(["\"client\"", "\"agent\""]));
}

/// A handler that panics costs its request, and nothing else.
#[tokio::test]
async fn a_panic_costs_one_request() {
    let proxy =
        Proxy::new("p").raw_request(Toward::Agent, "_panic", async |_, _| -> Reply { panic!("on purpose") });
    let (mut client, mut agent) = start(proxy).await;
    client.ask(1, "_panic", json!({})).await;
    assert_eq!(client.error(1).await["code"], -32603);
    client.notify("_n", json!({})).await;
    assert_eq!(agent.value().await["method"], "_n");
}

/// A handler, a server or an observer may panic before it has a future, and more than once.
#[tokio::test]
async fn a_panic_without_a_future_costs_one_message() {
    fn request(_: Json, _: Next) -> std::future::Ready<Reply> {
        panic!("on purpose")
    }
    fn notification(_: Json, _: Pass) -> std::future::Ready<()> {
        panic!("on purpose")
    }
    let proxy = Proxy::new("p")
        .raw_request(Toward::Agent, "_panic", request)
        .raw_notification(Toward::Agent, "_told", notification)
        .observe(|message| {
            if let Observed::Request { method: "_seen", .. } = message {
                panic!("on purpose");
            }
        });
    let (mut client, mut agent) = start(proxy).await;
    for id in [1, 3] {
        client.notify("_told", json!({"sessionId": "s"})).await;
        client.ask(id, "_panic", json!({"sessionId": "s"})).await;
        assert_eq!(client.error(id).await["code"], -32603);
        client.ask(id + 1, "_seen", json!({"sessionId": "s"})).await;
        assert!(client.error(id + 1).await["message"].as_str().unwrap().contains("observer panicked"));
    }
    client.notify("_n", json!({"sessionId": "s"})).await;
    assert_eq!(agent.value().await["method"], "_n");
}

/// One proxy runs alone, with the agent's command behind two dashes, and below a conductor.
#[tokio::test]
async fn one_proxy_runs_in_three_ways() {
    let proxy = || {
        Proxy::new("p").raw_request(Toward::Agent, "_ping", async |_: Json, next: Next| {
            let reply = next.run().await;
            Reply::of(&json!({"seen": reply.result().unwrap().as_str()}))
        })
    };
    let agent = || super::programs::component("agent", None);
    let words: Vec<std::ffi::OsString> = agent().words().map(Into::into).collect();
    let arguments: Vec<_> = ["--mine".into(), "--".into()].into_iter().chain(words).collect();
    let (transport, alone) = end();
    // The role of the component is in its environment, which an alone proxy passes on.
    let env = ["ACP_PROXY_TEST_ROLE=agent".into()].into_iter();
    let words = std::iter::once("/usr/bin/env".into()).chain(env).chain(arguments.into_iter().skip(2));
    let arguments: Vec<std::ffi::OsString> =
        ["--mine".into(), "--".into()].into_iter().chain(words).collect();
    let mut ways = vec![(alone, tokio::spawn(proxy().run_on(transport, arguments)))];
    ways.push(serve(Conductor::new().proxy(proxy()).agent(agent())));
    let (here, there) = acp_rpc::Transport::duplex();
    tokio::spawn(proxy().run_on(there, Vec::<std::ffi::OsString>::new()));
    ways.push(serve(Conductor::new().process(here, Policy::Required).agent(agent())));
    for (mut client, serving) in ways {
        client.ask(0, "initialize", json!({"protocolVersion": 1})).await;
        client.result(0).await;
        client.ask(1, "_ping", json!({})).await;
        assert_eq!(client.result(1).await, json!({"seen": "\"pong\""}));
        client.close().await;
        serving.await.unwrap().unwrap();
    }
}

/// A block of functions, of each kind.
struct Block {
    word: String,
}

#[acp_proxy::proxy(name = "block", refuse = ["session/list"])]
impl Block {
    async fn prompt(&self, mut request: PromptRequest, next: Next) -> Reply {
        request.prompt.insert(0, self.word.as_str().into());
        next.run_with(&request).await
    }

    async fn load_session(
        &self,
        request: acp_types::v1::LoadSessionRequest,
    ) -> Result<acp_types::v1::LoadSessionResponse, Error> {
        self.refused(&request.cwd)
    }

    async fn update(&self, update: SessionNotification, pass: Pass) {
        if update.update.tag() != "agent_thought_chunk" {
            pass.run();
        }
    }

    #[ext("_up", toward = client)]
    async fn up(&self, number: Vec<u64>, next: Next) -> Reply {
        next.run_with(&[number[0] + 1]).await
    }

    #[raw("session/fork")]
    async fn fork(&self, params: Json, next: Next) -> Result<Reply, Error> {
        assert!(params.as_str().starts_with('{'));
        Ok(next.run().await)
    }

    fn refused(&self, why: &str) -> Result<acp_types::v1::LoadSessionResponse, Error> {
        Err(Error::new(-9, format!("{} {why}", self.word)))
    }
}

/// A block whose functions are of both versions.
struct Both;

#[acp_proxy::proxy]
impl Both {
    async fn prompt(&self, mut request: PromptRequest, next: Next) -> Reply {
        request.prompt.insert(0, "first".into());
        next.run_with(&request).await
    }

    async fn list_sessions(
        &self,
        _: acp_types::v1::ListSessionsRequest,
    ) -> Result<acp_types::v1::ListSessionsResponse, Error> {
        Ok(acp_types::v1::ListSessionsResponse::new(Vec::new()))
    }
}

/// One block has typed handlers in both versions. Unknown members and kinds stay in the messages
/// that it does not change.
#[tokio::test]
async fn typed_handlers_take_part_in_both_versions() {
    let built = || {
        Proxy::new("built").prompt(async |mut request: PromptRequest, next: Next| {
            if request.prompt.len() > 1 {
                return next.run().await;
            }
            request.prompt.insert(0, "first".into());
            next.run_with(&request).await
        })
    };
    for (version, proxy) in
        [1, 2].into_iter().flat_map(|version| [(version, Proxy::from(Both)), (version, built())])
    {
        let is_block = proxy.name() == "Both";
        let (transport, mut agent) = end();
        let (mut client, _serving) = serve(Conductor::new().proxy(proxy).agent(transport));
        client.ask(0, "initialize", json!({"protocolVersion": version})).await;
        let (id, params) = agent.request("initialize").await;
        assert_eq!(params["protocolVersion"], version);
        agent.answer(&id, json!({"protocolVersion": version})).await;
        client.result(0).await;
        let link = json!({"type": "resource_link", "name": "n", "uri": "file:///n", "size": 3});
        client.ask(1, "session/prompt", json!({"sessionId": "s", "prompt": [link]})).await;
        let (id, params) = agent.request("session/prompt").await;
        let expected = json!({"sessionId": "s", "prompt": [{"type": "text", "text": "first"}, link]});
        assert_eq!(params, expected);
        let update = json!({"sessionId": "s", "update": {"sessionUpdate": "state_update", "_x": 1}, "_y": 2});
        agent.notify("session/update", update.clone()).await;
        assert_eq!(client.value().await["params"], update);
        agent.answer(&id, json!({"_accepted": true})).await;
        assert_eq!(client.result(1).await, json!({"_accepted": true}));
        if is_block {
            client.ask(2, "session/list", json!({})).await;
            assert_eq!(client.result(2).await, json!({"sessions": []}));
        } else {
            let odd =
                json!({"sessionId": "s", "prompt": [{"type": "new", "a": 1}, {"type": "new"}], "_x": {}});
            client.ask(2, "session/prompt", odd.clone()).await;
            assert_eq!(agent.request("session/prompt").await.1, odd);
        }
    }
}

#[tokio::test]
async fn a_block_of_functions_is_a_proxy() {
    let (transport, mut agent) = end();
    let proxy = Proxy::from(Block { word: "word".to_owned() });
    assert_eq!(proxy.name(), "block");
    let (mut client, _serving) = serve(Conductor::new().proxy(proxy).agent(transport));
    client.ask(0, "initialize", json!({"protocolVersion": 1})).await;
    let (id, params) = agent.request("initialize").await;
    assert_eq!(params["protocolVersion"], 1);
    agent
        .answer(
            &id,
            json!({"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"list": {}}}}),
        )
        .await;
    let expected = json!({"sessionCapabilities": {"list": null}, "loadSession": true});
    assert_eq!(client.result(0).await["agentCapabilities"], expected);
    client.ask(1, "session/prompt", prompt("x")).await;
    assert_eq!(agent.request("session/prompt").await.1["prompt"][0]["text"], "word");
    client.ask(2, "session/load", json!({"sessionId": "s", "cwd": "/x", "mcpServers": []})).await;
    assert_eq!(client.error(2).await["message"], "word /x");
    client.ask(3, "session/list", json!({})).await;
    assert_eq!(client.error(3).await["code"], -32601);
    agent.ask(4, "_up", json!([1])).await;
    assert_eq!(client.request("_up").await.1, json!([2]));
    client.ask(5, "session/fork", json!({"sessionId": "s"})).await;
    agent.request("session/fork").await;
}
