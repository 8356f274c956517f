//! Modes that a handler sets in place of the rest, in both versions: in version 2 they are a config
//! option, and the answer has all options.

use acp_proxy::{Conductor, Next, Pass, Proxy, Reply, Toward};
use acp_rpc::Error;
use acp_types::v1::{
    CancelNotification, CurrentModeUpdate, SessionNotification, SessionUpdate, SetSessionModeRequest,
    SetSessionModeResponse,
};
use serde_json::{Value, json};

use super::common::{End, end, serve};
use super::forwarding::initialized;
use super::vocabulary::start;

struct Sets;

#[acp_proxy::proxy]
impl Sets {
    async fn set_mode(&self, request: SetSessionModeRequest) -> Result<SetSessionModeResponse, Error> {
        match request.mode_id.as_str() {
            "refused" => Err(Error::new(-7, "not this one")),
            _ => Ok(SetSessionModeResponse::new()),
        }
    }
}

fn options(mode: &str, effort: &str) -> Value {
    json!([
        {"configId": "effort", "name": "Effort", "type": "select", "currentValue": effort, "options": [], "_o": 1},
        {"configId": "how", "name": "Mode", "category": "mode", "type": "select", "currentValue": mode, "options": [], "_m": {}},
    ])
}

fn set(option: &str, value: &str) -> Value {
    json!({"sessionId": "s", "configId": option, "type": "id", "value": value})
}

async fn open(client: &mut End, agent: &mut End, session: &str, options: Value) {
    client.ask("open", "session/new", json!({"cwd": "/"})).await;
    let (id, _) = agent.request("session/new").await;
    agent.answer(&id, json!({"sessionId": session, "configOptions": options})).await;
    client.result("open").await;
}

/// A mode is set in place of the rest. The answer of version 2 has all options, as they are last.
#[tokio::test]
async fn a_mode_is_set_in_both_versions() {
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().proxy(Sets.into()).agent(transport));
    initialized(&mut client, &mut agent).await;
    client.ask(1, "session/set_mode", json!({"sessionId": "s", "modeId": "plan"})).await;
    assert_eq!(client.result(1).await, json!({}));

    let (mut client, mut agent) = start(Sets.into()).await;
    open(&mut client, &mut agent, "s", options("ask", "low")).await;
    client.ask(1, "session/set_config_option", set("how", "plan")).await;
    assert_eq!(client.result(1).await, json!({"configOptions": options("plan", "low")}));
    client.ask(2, "session/set_config_option", set("how", "refused")).await;
    assert_eq!(client.error(2).await["code"], -7);
    // The agent sets another option, and later tells a change of its own.
    client.ask(3, "session/set_config_option", set("effort", "high")).await;
    let (id, _) = agent.request("session/set_config_option").await;
    agent.answer(&id, json!({"configOptions": options("ask", "high")})).await;
    client.result(3).await;
    client.ask(4, "session/set_config_option", set("how", "plan")).await;
    assert_eq!(client.result(4).await, json!({"configOptions": options("plan", "high")}));
    let update = json!({"sessionUpdate": "config_option_update", "configOptions": options("ask", "mid")});
    agent.notify("session/update", json!({"sessionId": "s", "update": update})).await;
    client.value().await;
    client.ask(5, "session/set_config_option", set("how", "plan")).await;
    assert_eq!(client.result(5).await, json!({"configOptions": options("plan", "mid")}));
    // After it is closed nobody knows its mode.
    client.ask(6, "session/close", json!({"sessionId": "s"})).await;
    let (id, _) = agent.request("session/close").await;
    agent.answer(&id, json!({})).await;
    client.result(6).await;
    client.ask(7, "session/set_config_option", set("how", "plan")).await;
    agent.request("session/set_config_option").await;
}

/// A handler that asks the rest may answer anew: the options are those of the rest.
#[tokio::test]
async fn a_mode_that_the_rest_has_set_is_answered_anew() {
    let proxy = Proxy::new("p").set_mode(async |_: SetSessionModeRequest, next: Next| {
        let reply = next.run().await;
        if reply.error().is_some() {
            return Ok(reply);
        }
        Reply::of(&SetSessionModeResponse::new())
    });
    let (mut client, mut agent) = start(proxy).await;
    open(&mut client, &mut agent, "s", options("ask", "low")).await;
    client.ask(1, "session/set_config_option", set("how", "plan")).await;
    let (id, _) = agent.request("session/set_config_option").await;
    agent.answer(&id, json!({"configOptions": options("safe", "high"), "_x": 1})).await;
    assert_eq!(client.result(1).await, json!({"configOptions": options("safe", "high")}));
    client.ask(2, "session/set_config_option", set("how", "plan")).await;
    let (id, _) = agent.request("session/set_config_option").await;
    agent.fail(&id, json!({"code": -3, "message": "no"})).await;
    assert_eq!(client.error(2).await["code"], -3);
}

/// Not more than some options are kept. A mode whose list is forgotten still has its handler, and
/// the error says what is missing.
#[tokio::test]
async fn the_options_that_are_kept_are_bounded() {
    let (mut client, mut agent) = start(Sets.into()).await;
    open(&mut client, &mut agent, "s", options("ask", "low")).await;
    for session in 0..12 {
        let mut many = options("ask", "low");
        many[0]["description"] = "x".repeat(100_000).into();
        open(&mut client, &mut agent, &session.to_string(), many).await;
    }
    client.ask(1, "session/set_config_option", set("how", "plan")).await;
    let error = client.error(1).await;
    assert_eq!(error["code"], -32603);
    assert!(error["message"].as_str().unwrap().contains("options: those of the session `s`"), "{error}");
    let mut last = set("how", "plan");
    last["sessionId"] = "11".into();
    client.ask(2, "session/set_config_option", last).await;
    assert_eq!(client.result(2).await["configOptions"][1]["currentValue"], "plan");
}

/// A handler tells the mode of a session itself.
#[tokio::test]
async fn a_mode_is_told_in_both_versions() {
    let told = |proxy: Proxy| {
        proxy.cancel(async |cancel: CancelNotification, pass: Pass| {
            let client = pass.neighbor(Toward::Client);
            let update = SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new("plan"));
            if let Err(error) = client.update(&SessionNotification::new(cancel.session_id, update)) {
                client.notify("_failed", &error.to_string()).unwrap();
            }
        })
    };
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().proxy(told(Sets.into())).agent(transport));
    initialized(&mut client, &mut agent).await;
    client.notify("session/cancel", json!({"sessionId": "s"})).await;
    let expected = json!({"sessionUpdate": "current_mode_update", "currentModeId": "plan"});
    assert_eq!(client.value().await["params"]["update"], expected);

    let (mut client, mut agent) = start(told(Sets.into())).await;
    open(&mut client, &mut agent, "s", options("ask", "low")).await;
    client.notify("session/cancel", json!({"sessionId": "s"})).await;
    let expected = json!({"sessionUpdate": "config_option_update", "configOptions": options("plan", "low")});
    assert_eq!(client.value().await["params"]["update"], expected);
    client.notify("session/cancel", json!({"sessionId": "other"})).await;
    let failed = client.value().await;
    assert_eq!(failed["method"], "_failed");
    assert!(failed["params"].as_str().unwrap().contains("the session `other`"), "{failed}");
}
