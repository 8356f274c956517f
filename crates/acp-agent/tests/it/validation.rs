//! Requests that the library refuses before any handler runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_agent::types::{
    AuthMethod, AuthMethodAgent, ConfigOptionUpdate, ListSessionsRequest, ListSessionsResponse,
    SessionConfigBoolean, SessionConfigOption, SessionConfigSelect, SessionConfigSelectGroup,
    SessionConfigSelectOption, SetSessionConfigOptionRequest,
};
use acp_agent::{Client, Error, NewSession, Opened, Result, Router, Session, StopReason, Turn, agent, op};
use serde_json::{Value, json};

use crate::support::Wire;

/// Has config options of every kind, and changes them.
#[derive(Default)]
struct Configured {
    calls: Arc<AtomicUsize>,
}

fn values(names: &[&str]) -> Vec<SessionConfigSelectOption> {
    names.iter().map(|name| SessionConfigSelectOption::new(*name, *name)).collect()
}

fn options(model: &str) -> Vec<SessionConfigOption> {
    let groups = vec![
        SessionConfigSelectGroup::new("g1", "Cheap", values(&["low"])),
        SessionConfigSelectGroup::new("g2", "Dear", values(&["high", "max"])),
    ];
    vec![
        SessionConfigOption::new(
            "model",
            "Model",
            SessionConfigSelect::new(model, values(&["small", "large"])),
        ),
        SessionConfigOption::new("effort", "Effort", SessionConfigSelect::new("low", groups)),
        SessionConfigOption::new("web", "Web", SessionConfigBoolean::new(false)),
    ]
}

#[agent]
impl Configured {
    async fn new_session(&self, open: NewSession) -> Result<Opened<()>> {
        let opened = Opened::new(());
        Ok(if open.cwd().ends_with("plain") { opened } else { opened.config_options(options("small")) })
    }

    async fn set_config_option(
        &self,
        set: SetSessionConfigOptionRequest,
    ) -> Result<Vec<SessionConfigOption>> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let mut options = options("large");
        if set.config_id.as_str() == "model" {
            // From here on there is only one model.
            options.truncate(1);
        }
        Ok(options)
    }

    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let fresh =
            SessionConfigOption::new("tone", "Tone", SessionConfigSelect::new("kind", values(&["kind"])));
        turn.update(ConfigOptionUpdate::new(vec![fresh])).await?;
        Ok(StopReason::EndTurn)
    }
}

fn with_booleans() -> Value {
    json!({"session": {"configOptions": {"boolean": {}}}})
}

fn set(session: &str, id: &str, value: &Value) -> Value {
    let mut params = json!({"sessionId": session, "configId": id, "value": value});
    if value.is_boolean() {
        params["type"] = json!("boolean");
    }
    params
}

#[tokio::test]
async fn config_options_take_what_they_list() {
    let agent = Configured::default();
    let calls = Arc::clone(&agent.calls);
    let (mut wire, session) = Wire::open(agent, with_booleans()).await;
    let refused: [(&str, Value, &[&str]); 7] = [
        ("size", json!("small"), &["`configId`", "`model`, `effort`, `web`"]),
        ("model", json!("huge"), &["`value`", "`model`", "`small`, `large`"]),
        ("model", json!(true), &["`value`", "`model`", "`small`, `large`"]),
        ("effort", json!("g1"), &["`value`", "`effort`", "`low`, `high`, `max`"]),
        ("web", json!("true"), &["`value`", "`web`", "boolean"]),
        ("web", json!("on"), &["`value`", "`web`", "boolean"]),
        ("model", json!(5), &["value"]),
    ];
    for (id, value, names) in refused {
        wire.refused("session/set_config_option", set(&session, id, &value), -32602, names).await;
    }
    assert_eq!(calls.load(Ordering::SeqCst), 0);
    for (id, value) in [("effort", json!("max")), ("web", json!(true))] {
        let answer = wire.call("session/set_config_option", set(&session, id, &value)).await;
        assert_eq!(answer["result"]["configOptions"].as_array().unwrap().len(), 3, "{id}");
    }
    // A string of an unknown kind is an id, too.
    let mut unknown = set(&session, "effort", &json!("high"));
    unknown["type"] = json!("radio");
    assert!(wire.call("session/set_config_option", unknown.clone()).await["result"].is_object());
    unknown["value"] = json!("none");
    wire.refused("session/set_config_option", unknown, -32602, &["`effort`"]).await;
}

#[tokio::test]
async fn config_options_are_those_the_client_was_told_last() {
    let (mut wire, session) = Wire::open(Configured::default(), with_booleans()).await;
    wire.call("session/set_config_option", set(&session, "model", &json!("large"))).await;
    let effort = set(&session, "effort", &json!("low"));
    wire.refused("session/set_config_option", effort, -32602, &["its options are `model`"]).await;
    let prompt = wire.prompt(&session, "change them").await;
    assert_eq!(wire.update().await["sessionUpdate"], "config_option_update");
    wire.stopped(prompt).await;
    let model = set(&session, "model", &json!("large"));
    wire.refused("session/set_config_option", model, -32602, &["its options are `tone`"]).await;

    let plain = wire.call("session/new", json!({"cwd": "/plain", "mcpServers": []})).await;
    let plain = plain["result"]["sessionId"].as_str().unwrap();
    let params = set(plain, "model", &json!("large"));
    wire.refused("session/set_config_option", params, -32602, &[plain, "no config options"]).await;
}

#[tokio::test]
async fn switches_are_for_clients_that_can_show_them() {
    let ids = |options: &Value| -> Vec<String> {
        options.as_array().unwrap().iter().map(|option| option["id"].as_str().unwrap().to_owned()).collect()
    };
    for (capabilities, expected) in
        [(json!({}), &["model", "effort"][..]), (with_booleans(), &["model", "effort", "web"])]
    {
        let mut wire = Wire::connect(Configured::default(), capabilities).await;
        let answer = wire.call("session/new", json!({"cwd": "/", "mcpServers": []})).await;
        assert_eq!(ids(&answer["result"]["configOptions"]), expected);
        let session = answer["result"]["sessionId"].as_str().unwrap().to_owned();
        let answer = wire.call("session/set_config_option", set(&session, "effort", &json!("max"))).await;
        assert_eq!(ids(&answer["result"]["configOptions"]), expected);
        let web = wire.call("session/set_config_option", set(&session, "web", &json!(true))).await;
        assert_eq!(web.get("error").is_some(), expected.len() == 2, "{web}");
    }
}

#[tokio::test]
async fn a_prompt_has_content() {
    let (mut wire, session) = Wire::open(Configured::default(), json!({})).await;
    for prompt in [json!([]), Value::Null, json!("text")] {
        let params = json!({"sessionId": session, "prompt": prompt});
        wire.refused("session/prompt", params, -32602, &["prompt"]).await;
    }
    // After the refused prompts the session is free.
    let prompt = wire.prompt(&session, "hi").await;
    wire.update().await;
    wire.stopped(prompt).await;
}

/// An agent that wants its clients to log in.
struct Locked {
    has_credentials: bool,
    calls: Arc<AtomicUsize>,
}

impl Locked {
    async fn auth_methods(&self, client: Client) -> Result<Vec<AuthMethod>> {
        client.set_logged_in(self.has_credentials);
        Ok(vec![AuthMethodAgent::new("key", "Key").into()])
    }

    async fn authenticate(&self, meta: acp_agent::RequestMeta) -> Result<()> {
        if meta.0.get("wrong").is_some() {
            return Err(Error::invalid_params("the key is wrong"));
        }
        Ok(())
    }

    async fn logout(&self) -> Result<()> {
        Ok(())
    }

    async fn list(&self, list: ListSessionsRequest) -> Result<ListSessionsResponse> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let next = list.cursor.map(|cursor| format!("{cursor}+"));
        let mut response = ListSessionsResponse::new(Vec::new());
        response.next_cursor = next;
        Ok(response)
    }

    async fn prompt(&self, turn: Turn, _session: Session<()>) -> Result<StopReason> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        turn.client().set_logged_in(turn.text() != "expire");
        Ok(StopReason::EndTurn)
    }

    async fn whoami(&self, client: Client) -> Result<bool> {
        Ok(client.is_logged_in())
    }
}

fn locked(has_credentials: bool) -> (impl acp_agent::Agent, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let state = Locked { has_credentials, calls: Arc::clone(&calls) };
    let agent = Router::new("locked", "1", state)
        .login_required()
        .on::<op::Initialize, _>(Locked::auth_methods)
        .on::<op::Authenticate, _>(Locked::authenticate)
        .on::<op::Logout, _>(Locked::logout)
        .on::<op::ListSessions, _>(Locked::list)
        .on::<op::Prompt, _>(Locked::prompt)
        .ext("_locked/whoami", Locked::whoami);
    (agent, calls)
}

#[tokio::test]
async fn an_agent_that_wants_a_login_serves_nothing_before_it() {
    let (agent, calls) = locked(false);
    let mut wire = Wire::connect(agent, json!({})).await;
    let setup = json!({"cwd": "/", "mcpServers": []});
    for (method, params) in [
        ("session/new", setup.clone()),
        ("session/list", json!({})),
        ("session/prompt", json!({"sessionId": "s", "prompt": []})),
    ] {
        wire.refused(method, params, -32000, &["`authenticate`"]).await;
    }
    assert_eq!(wire.call("_locked/whoami", json!({})).await["result"], false);
    // A failed login does not count.
    let wrong = json!({"methodId": "key", "_meta": {"wrong": true}});
    wire.refused("authenticate", wrong, -32602, &["key"]).await;
    wire.refused("authenticate", json!({"methodId": "other"}), -32602, &["`methodId`", "`key`"]).await;
    wire.refused("session/new", setup.clone(), -32000, &[]).await;
    assert_eq!(calls.load(Ordering::SeqCst), 0);

    assert_eq!(wire.call("authenticate", json!({"methodId": "key"})).await["result"], json!({}));
    assert_eq!(wire.call("_locked/whoami", json!({})).await["result"], true);
    let session = wire.new_session().await;
    let prompt = wire.prompt(&session, "hi").await;
    assert_eq!(wire.stopped(prompt).await, "end_turn");

    assert_eq!(wire.call("logout", json!({})).await["result"], json!({}));
    wire.refused("session/new", setup, -32000, &[]).await;
    let params = json!({"sessionId": session, "prompt": [{"type": "text", "text": "hi"}]});
    wire.refused("session/prompt", params, -32000, &[]).await;
}

#[tokio::test]
async fn the_agent_knows_better_whether_the_client_is_logged_in() {
    let (agent, _) = locked(true);
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let prompt = wire.prompt(&session, "expire").await;
    wire.stopped(prompt).await;
    let setup = json!({"cwd": "/", "mcpServers": []});
    wire.refused("session/new", setup, -32000, &[]).await;
    wire.call("authenticate", json!({"methodId": "key"})).await;
    wire.new_session().await;
}

#[tokio::test]
async fn cursors_pass_as_they_are() {
    let (agent, _) = locked(true);
    let mut wire = Wire::connect(agent, json!({})).await;
    let cursor = "  a\u{0}\u{1F600}\"\\/+= ";
    let answer = wire.call("session/list", json!({"cursor": cursor})).await;
    assert_eq!(answer["result"]["nextCursor"], format!("{cursor}+"));
}
