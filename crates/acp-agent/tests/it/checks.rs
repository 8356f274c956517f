//! The checks that an agent shares with clients: the table of acp-types, through an agent. The
//! client's tests send it through a client.

use acp_agent::types::{
    AuthMethod, ElicitationSchema, SessionConfigOption, SessionModeState, SetSessionConfigOptionRequest,
    SetSessionModeRequest,
};
use acp_agent::{ElicitationAnswer, Error, Form, NewSession, Opened, Result, StopReason, Turn, agent};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::support::{Wire, check_error};

fn table() -> Value {
    serde_json::from_str(include_str!("../../../acp-types/tests/it/checks/table.json")).unwrap()
}

fn rows(section: &Value, name: &str) -> Vec<Value> {
    let rows = section[name].as_array().unwrap().clone();
    assert!(!rows.is_empty());
    rows
}

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

/// Has the modes, options, methods and forms of the table.
struct Checked(Value);

impl Checked {
    fn form(&self) -> Form {
        let schema: ElicitationSchema = read(&self.0["forms"]["schema"]);
        let mut form = Form::new("?");
        for (name, field) in schema.properties {
            let is_required = schema.required.iter().flatten().any(|required| **required == *name);
            form = if is_required { form.required(name, field) } else { form.optional(name, field) };
        }
        form
    }

    async fn act(&self, turn: &Turn) -> Result<String> {
        let text = turn.text();
        match text.split_once(' ') {
            Some(("ext", name)) => {
                turn.client().ext_notify(name, &json!({})).await?;
                Ok("sent".to_owned())
            }
            Some(("read", path)) => turn.fs().ok_or("no files")?.read_text(path).await,
            _ => match turn.elicit(self.form()).await? {
                ElicitationAnswer::Accept(values) => {
                    serde_json::to_string(&values.into_map()).map_err(Error::other)
                }
                refused => Ok(format!("{refused:?}")),
            },
        }
    }
}

#[agent(prompt(image), mcp(http))]
impl Checked {
    async fn auth_methods(&self) -> Result<Vec<AuthMethod>> {
        Ok(read(&self.0["auth_methods"]["methods"]))
    }

    async fn authenticate(&self) -> Result<()> {
        Ok(())
    }

    async fn new_session(&self, _open: NewSession) -> Result<Opened<()>> {
        let modes: SessionModeState = read(&self.0["modes"]["state"]);
        let options: Vec<SessionConfigOption> = read(&self.0["config_options"]["options"]);
        Ok(Opened::new(()).modes(modes).config_options(options))
    }

    async fn set_mode(&self, _set: SetSessionModeRequest) -> Result<()> {
        Ok(())
    }

    async fn set_config_option(
        &self,
        _set: SetSessionConfigOptionRequest,
    ) -> Result<Vec<SessionConfigOption>> {
        Ok(read(&self.0["config_options"]["options"]))
    }

    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let said = match self.act(&turn).await {
            Ok(text) => text,
            Err(error) => format!("error: {error}"),
        };
        turn.say(said).await?;
        Ok(StopReason::EndTurn)
    }
}

async fn open(table: &Value) -> (Wire, String) {
    let offered = json!({
        "auth": {"terminal": true},
        "elicitation": {"form": {}},
        "fs": {"readTextFile": true},
        "session": {"configOptions": {"boolean": {}}},
    });
    // The schema does not have all of its options.
    let mut wire = Wire::serve(Checked(table.clone())).unchecked();
    wire.initialize(offered).await;
    let session = wire.new_session().await;
    (wire, session)
}

#[tokio::test]
async fn values_of_forms() {
    let table = table();
    let forms = &table["forms"];
    let (mut wire, session) = open(&table).await;
    let refused = rows(forms, "refused").into_iter().map(|row| (row[0].clone(), Err(row[1].clone())));
    let taken = rows(forms, "taken").into_iter().map(|row| (row[0].clone(), Ok(row[1].clone())));
    // A reader tolerates values that nobody asked for.
    let unasked = (forms["unasked"][0].clone(), Ok(json!({"name": "ok"})));
    for (content, expected) in refused.chain(taken).chain([unasked]) {
        let prompt = wire.prompt(&session, "form").await;
        let request = wire.asked("elicitation/create").await;
        wire.answer(&request, json!({"action": "accept", "content": content})).await;
        let said = wire.said().await;
        match expected {
            Ok(values) => assert_eq!(said, values.to_string(), "{content}"),
            Err(problem) => assert!(said.contains(problem.as_str().unwrap()), "{content}: {said}"),
        }
        assert_eq!(wire.stopped(prompt).await, "end_turn");
    }
}

#[tokio::test]
async fn settings_and_logins() {
    let table = table();
    let (mut wire, session) = open(&table).await;
    for row in rows(&table["config_options"], "refused") {
        let mut params = row[0].clone();
        params["sessionId"] = json!(session);
        let problem = row[1].as_str().unwrap();
        wire.refused("session/set_config_option", params, -32602, &[problem, &session]).await;
    }
    for mut params in rows(&table["config_options"], "taken") {
        params["sessionId"] = json!(session);
        assert!(wire.call("session/set_config_option", params).await["result"].is_object());
    }
    for row in rows(&table["modes"], "refused") {
        let params = json!({"sessionId": session, "modeId": row[0]});
        wire.refused("session/set_mode", params, -32602, &[row[1].as_str().unwrap(), &session]).await;
    }
    for mode in rows(&table["modes"], "taken") {
        let params = json!({"sessionId": session, "modeId": mode});
        assert!(wire.call("session/set_mode", params).await["result"].is_object());
    }
    for row in rows(&table["auth_methods"], "refused") {
        let params = json!({"methodId": row[0]});
        wire.refused("authenticate", params, -32602, &[row[1].as_str().unwrap()]).await;
    }
    for method in rows(&table["auth_methods"], "taken") {
        assert!(wire.call("authenticate", json!({"methodId": method})).await["result"].is_object());
    }
}

#[tokio::test]
async fn prompts_and_servers() {
    let table = table();
    let (mut wire, session) = open(&table).await;
    for row in rows(&table["prompts"], "refused") {
        let params = json!({"sessionId": session, "prompt": row[0]});
        wire.refused("session/prompt", params, -32602, &[row[2].as_str().unwrap()]).await;
    }
    let setup = |server: &Value| json!({"cwd": "/", "mcpServers": [server]});
    for row in rows(&table["mcp_servers"], "refused") {
        wire.refused("session/new", setup(&row[0]), -32602, &[row[1].as_str().unwrap()]).await;
    }
    for server in rows(&table["mcp_servers"], "taken") {
        assert!(wire.call("session/new", setup(&server)).await["result"].is_object());
    }
}

#[tokio::test]
async fn paths_and_extensions() {
    let table = table();
    let (mut wire, session) = open(&table).await;
    for path in rows(&table["paths"], "refused") {
        let relative = "must be an absolute path";
        let setup = json!({"cwd": path, "mcpServers": []});
        wire.refused("session/new", setup, -32602, &["`cwd`", relative]).await;
        let prompt = wire.prompt(&session, &format!("read {}", path.as_str().unwrap())).await;
        let said = wire.said().await;
        assert!(said.contains(relative), "{path}: {said}");
        wire.stopped(prompt).await;
    }
    for path in rows(&table["paths"], "taken") {
        assert!(wire.call("session/new", json!({"cwd": path, "mcpServers": []})).await["result"].is_object());
        let prompt = wire.prompt(&session, &format!("read {}", path.as_str().unwrap())).await;
        let request = wire.asked("fs/read_text_file").await;
        assert_eq!(request["params"]["path"], path);
        wire.answer(&request, json!({"content": "text"})).await;
        assert_eq!(wire.said().await, "text");
        wire.stopped(prompt).await;
    }
    for name in rows(&table["extensions"], "refused") {
        let answer = wire.turn(&session, &format!("ext {}", name.as_str().unwrap())).await;
        let said = answer.0[0]["content"]["text"].as_str().unwrap();
        assert!(said.contains("must start with `_`"), "{name}: {said}");
    }
    for name in rows(&table["extensions"], "taken") {
        let prompt = wire.prompt(&session, &format!("ext {}", name.as_str().unwrap())).await;
        assert_eq!(wire.recv().await["method"], name);
        assert_eq!(wire.said().await, "sent");
        wire.stopped(prompt).await;
    }
    check_error(&wire.call("_", json!({})).await, -32601, &[]);
}
