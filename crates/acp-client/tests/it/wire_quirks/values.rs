//! Versions, capabilities, members and ids that the protocol does not have.

use acp_client::v1::{AuthMethod, StopReason};
use acp_client::{Error, PermissionPolicy, Value as Json};
use serde_json::json;

use super::{ask, plain, prompt};
use crate::common::{chunk, connected, open, pipe, with_session};

#[tokio::test]
async fn capabilities_that_lie() {
    let offers = json!({"loadSession": true, "sessionCapabilities": {"close": {}, "resume": {}, "list": {}, "delete": {}}});
    let (agent, mut wire) = connected(plain, offers).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    // It calls a method that this client did not offer.
    let file = json!({"sessionId": "s1", "path": "/work/a", "content": "x"});
    assert_eq!(wire.call(json!(1), "fs/write_text_file", file).await["error"]["code"], -32601);
    // It does not know methods that it has advertised.
    for method in ["session/close", "session/resume", "session/load", "session/delete"] {
        let call = async {
            match method {
                "session/close" => session.close().await,
                "session/resume" => agent.resume_session("s2", "/work").await.map(drop),
                "session/load" => agent.load_session("s2", "/work").await.map(drop),
                _ => agent.delete_session("s1").await,
            }
        };
        let (refused, ()) = tokio::join!(call, async {
            let request = wire.expect(method).await;
            wire.fail(&request, json!({"code": -32601, "message": "Method not found"})).await;
        });
        let refused = refused.expect_err(method);
        assert_eq!(refused.agent_error().expect("the agent's").code, -32601);
        assert!(refused.to_string().contains(method), "{refused}");
    }
    let (turn, request) = prompt(&session, &mut wire).await;
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    turn.finish().await.expect("the session that was not closed goes on");
}

#[tokio::test]
async fn whatever_an_agent_makes_of_the_version() {
    enum Said {
        Version(u16),
        Error(i64),
    }
    for said in
        [Said::Version(0), Said::Version(2), Said::Version(99), Said::Error(-32022), Said::Error(-32602)]
    {
        let (transport, mut wire) = pipe();
        let (agent, ()) = tokio::join!(acp_client::connect(transport).into_future(), async {
            let request = wire.expect("initialize").await;
            assert_eq!(request["params"]["protocolVersion"], 1);
            match said {
                Said::Version(version) => wire.answer(&request, json!({"protocolVersion": version})).await,
                Said::Error(code) => {
                    let data = json!({"supported": [2]});
                    wire.fail(&request, json!({"code": code, "message": "no", "data": data})).await;
                }
            }
        });
        let error = agent.expect_err("nothing in common");
        match said {
            Said::Version(version) => {
                assert!(
                    matches!(&error, Error::Version { answered, .. } if answered.0 == version),
                    "{error}"
                );
            }
            Said::Error(code) => {
                let told = error.agent_error().expect("the agent's");
                assert_eq!(i64::from(told.code), code);
                assert!(told.data.as_ref().is_some_and(|data| data.get("supported").is_some()));
            }
        }
        assert!(wire.next().await.is_none(), "the connection is closed");
    }
}

#[tokio::test]
async fn members_and_capabilities_that_nobody_knows_and_ids_of_any_shape() {
    let (transport, mut wire) = pipe();
    let (agent, ()) = tokio::join!(acp_client::connect(transport).into_future(), async {
        let request = wire.expect("initialize").await;
        let result = json!({
            "protocolVersion": 1, "extra": [],
            "agentCapabilities": {"loadSession": true, "telepathy": {"range": 3}, "sessionCapabilities": {"dream": {}}},
            "authMethods": [
                {"id": "a", "name": "A"},
                {"id": "t", "name": "T", "type": "terminal", "args": ["login"]},
                {"id": "e", "name": "E", "type": "env_var", "varName": "KEY"},
            ],
        });
        wire.answer(&request, result).await;
    });
    let agent = agent.expect("connected");
    let methods: Vec<_> =
        agent.auth_methods().iter().filter_map(AuthMethod::id).map(|id| id.to_string()).collect();
    assert_eq!(methods, ["a", "t", "e"]);
    let url = "https://agent.example/modes#plan";
    let model = "vendor/$model|2[fast]";
    let (session, ()) = tokio::join!(agent.load_session("s1", "/work").into_future(), async {
        let request = wire.expect("session/load").await;
        let old = json!({"sessionId": "s1", "timestamp": 17, "update": chunk("of old")});
        wire.send(json!({"jsonrpc": "2.0", "method": "session/update", "params": old})).await;
        let mode = json!({"currentModeId": url, "availableModes": [{"id": url, "name": "Plan"}]});
        let option = json!({"id": "model", "name": "Model", "type": "select", "currentValue": model,
                            "options": [{"value": model, "name": "Fast"}]});
        wire.answer(&request, json!({"sessionId": "s1", "modes": mode, "configOptions": [option]})).await;
    });
    let session = session.expect("loaded");
    assert_eq!(session.extra().get("sessionId").and_then(Json::as_str), Some("s1"));
    assert_eq!(session.updates().next().await.expect("kept").text(), Some("of old"));
    let (mode, ()) = tokio::join!(session.set_mode(url), async {
        let request = wire.expect("session/set_mode").await;
        assert_eq!(request["params"]["modeId"], url);
        wire.answer(&request, json!({})).await;
    });
    mode.expect("switched");
    let (option, ()) = tokio::join!(session.set_config_option("model", model), async {
        let request = wire.expect("session/set_config_option").await;
        assert_eq!(request["params"]["value"], model);
        wire.answer(&request, json!({"configOptions": []})).await;
    });
    option.expect("set");
}

#[tokio::test]
async fn request_ids_that_collide_with_ours_and_ids_of_text() {
    let (session, mut wire) =
        with_session(|connect| connect.permissions(PermissionPolicy::allow_once())).await;
    let (turn, request) = prompt(&session, &mut wire).await;
    // The id of our open prompt, the ids before and after it, and a UUID.
    let ours = request["id"].as_u64().expect("a number");
    let uuid = json!("6f1d2e8a-8d0c-4d61-9c9e-1f2b7a0f9d10");
    for id in [json!(ours), json!(0), json!(ours + 1), uuid] {
        let answer =
            wire.call(id.clone(), "session/request_permission", ask(&json!({"toolCallId": "c"}))).await;
        assert_eq!(answer["result"]["outcome"]["optionId"], "yes", "{id}");
        // Withdrawing it after its answer has no effect, in particular not on the open prompt.
        wire.send(json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": id}})).await;
    }
    // Small enough for peers that only know doubles.
    assert!(ours < 1 << 53);
    wire.answer(&request, json!({"stopReason": "end_turn"})).await;
    assert_eq!(turn.finish().await.expect("ends").stop_reason, StopReason::EndTurn);
}
