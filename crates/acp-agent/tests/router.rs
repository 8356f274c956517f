//! A router and a macro agent are the same agent.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use std::sync::Mutex;

use acp_agent::types::{AuthMethod, AuthMethodAgent, SessionMode, SessionModeState, SetSessionModeRequest};
use acp_agent::{
    Agent, Cancel, Client, LoadSession, NewSession, Opened, PromptContent, Result, Router, Session,
    StopReason, Turn, Value as Json, agent, op,
};
use serde_json::{Value, json};
use support::Wire;

#[derive(Default)]
struct Editor {
    seen: Mutex<Vec<u64>>,
}

struct Chat {
    mode: Mutex<String>,
}

fn chat() -> Opened<Chat> {
    let modes = SessionModeState::new("ask", [SessionMode::new("ask", "Ask"), SessionMode::new("do", "Do")]);
    Opened::new(Chat { mode: Mutex::new("ask".to_owned()) }).modes(modes).session_id("the-session")
}

#[agent(name = "editor", version = "1", title = "Ed", prompt(image))]
impl Editor {
    async fn auth_methods(&self, _client: Client) -> Result<Vec<AuthMethod>> {
        Ok(vec![AuthMethodAgent::new("key", "Key").into()])
    }

    async fn authenticate(&self) -> Result<()> {
        Ok(())
    }

    async fn new_session(&self, _open: NewSession, _cancel: Cancel) -> Result<Opened<Chat>> {
        Ok(chat())
    }

    async fn load_session(&self, _open: LoadSession) -> Result<Opened<Chat>> {
        Ok(chat())
    }

    async fn set_mode(&self, chat: Session<Chat>, set: SetSessionModeRequest) -> Result<()> {
        *chat.mode.lock().unwrap() = set.mode_id.to_string();
        Ok(())
    }

    async fn prompt(&self, turn: Turn, chat: Session<Chat>) -> Result<StopReason> {
        let mode = chat.mode.lock().unwrap().clone();
        turn.say(mode).await?;
        if turn.text() == "wait" {
            turn.cancelled().await;
        }
        Ok(StopReason::EndTurn)
    }

    #[ext("_editor/echo")]
    async fn echo(&self, params: Json, chat: Session<Chat>) -> Result<(Json, String)> {
        Ok((params, chat.mode.lock().unwrap().clone()))
    }

    #[ext("_editor/saw")]
    async fn saw(&self, number: u64) {
        self.seen.lock().unwrap().push(number);
    }

    #[ext("_editor/seen")]
    async fn seen(&self) -> Result<Vec<u64>> {
        Ok(self.seen.lock().unwrap().clone())
    }
}

fn router() -> impl Agent {
    Router::with_sessions("editor", "1", Editor::default(), Editor::new_session)
        .title("Ed")
        .prompt_content(PromptContent { image: true, ..PromptContent::default() })
        .on::<op::Initialize, _>(Editor::auth_methods)
        .on::<op::Authenticate, _>(Editor::authenticate)
        .on::<op::LoadSession, _>(Editor::load_session)
        .on::<op::SetMode, _>(Editor::set_mode)
        .on::<op::Prompt, _>(Editor::prompt)
        .ext("_editor/echo", Editor::echo)
        .ext_notification("_editor/saw", Editor::saw)
        .ext("_editor/seen", Editor::seen)
}

/// Everything an agent says to one script.
async fn script(mut wire: Wire) -> Vec<Value> {
    let image = json!({"type": "image", "data": "", "mimeType": "image/png"});
    let audio = json!({"type": "audio", "data": "", "mimeType": "audio/wav"});
    let session = json!({"sessionId": "the-session"});
    let with = |members: Value| {
        let mut params = session.clone();
        params.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        params
    };
    let mut said = Vec::new();
    let requests = [
        ("session/new", json!({"cwd": "/", "mcpServers": []})),
        ("initialize", json!({"protocolVersion": 3})),
        ("authenticate", json!({"methodId": "key"})),
        ("authenticate", json!({"methodId": "face"})),
        ("session/new", json!({"cwd": "x", "mcpServers": []})),
        ("session/new", json!({"cwd": "/", "mcpServers": []})),
        ("session/new", json!({"cwd": "/", "mcpServers": []})),
        ("session/load", json!({"sessionId": "old", "cwd": "/", "mcpServers": []})),
        ("session/list", json!({})),
        ("session/set_mode", with(json!({"modeId": "do"}))),
        ("session/set_mode", with(json!({"modeId": "fly"}))),
        ("session/prompt", with(json!({"prompt": [image]}))),
        ("session/prompt", with(json!({"prompt": [audio]}))),
        ("session/prompt", json!({"sessionId": "nope", "prompt": []})),
        ("_editor/echo", with(json!({"x": 1}))),
        ("_editor/echo", json!(5)),
        ("_editor/none", json!(5)),
    ];
    for (method, params) in requests {
        let id = wire.request(method, params).await;
        loop {
            let message = wire.recv().await;
            let done = message["id"] == id;
            said.push(message);
            if done {
                break;
            }
        }
    }
    wire.notify("_editor/saw", json!(7)).await;
    while wire.call("_editor/seen", json!(null)).await["result"] != json!([7]) {}
    let prompt = wire.prompt("the-session", "wait").await;
    said.push(wire.recv().await);
    wire.cancel("the-session").await;
    said.push(wire.answer_to(prompt).await);
    said.extend(wire.close().await);
    // Ids count the polls of the loop above, too.
    for message in &mut said {
        message["id"] = Value::Null;
    }
    said
}

#[tokio::test]
async fn both_say_the_same_to_the_same_script() {
    let with_macro = script(Wire::serve(Editor::default())).await;
    let with_router = script(Wire::serve(router())).await;
    assert_eq!(with_macro.len(), 20);
    assert_eq!(with_macro, with_router);
}

struct Silent;

impl Silent {
    async fn prompt(&self) -> Result<StopReason> {
        Ok(StopReason::Refusal)
    }
}

#[tokio::test]
async fn a_router_without_sessions_opens_empty_ones() {
    let router = Router::new("silent", "1", Silent).on::<op::Prompt, _>(Silent::prompt);
    let (mut wire, session) = Wire::open(router, json!({})).await;
    let prompt = wire.prompt(&session, "").await;
    assert_eq!(wire.stopped(prompt).await, "refusal");
}

#[test]
#[should_panic(expected = "`shout`")]
fn an_extension_method_starts_with_an_underscore() {
    let _ = Router::new("silent", "1", Silent).ext("shout", async |_: &Silent| Ok::<_, acp_agent::Error>(1));
}

/// A model of one's choice: agents can be generic.
trait Model: Send + Sync + 'static {
    fn answer(&self) -> impl Future<Output = String> + Send;
}

struct Parrot(&'static str);

impl Model for Parrot {
    async fn answer(&self) -> String {
        self.0.to_owned()
    }
}

struct Bot<M>(M);

#[agent(name = "bot")]
impl<M> Bot<M>
where
    M: Model,
{
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say(self.0.answer().await).await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn agents_can_be_generic() {
    let (mut wire, session) = Wire::open(Bot(Parrot("squawk")), json!({})).await;
    wire.prompt(&session, "").await;
    assert_eq!(wire.said().await, "squawk");
}
