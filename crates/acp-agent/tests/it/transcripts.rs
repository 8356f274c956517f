//! A block and the router of its functions: all operations get the same bytes from both.

use std::sync::Arc;

use acp_agent::method::{Method, Notification, Request, Side};
use acp_agent::types::{
    AuthMethod, AuthMethodAgent, AuthenticateRequest, DeleteSessionRequest, ListSessionsRequest, PlanEntry,
    SessionConfigOption, SessionInfo, SessionMode, SessionModeState, SetSessionConfigOptionRequest,
    SetSessionModeRequest, UsageUpdate,
};
use acp_agent::{
    Agent, Cancel, Client, LoadSession, McpTransports, Meta, NewSession, Opened, Operation, PromptContent,
    RequestMeta, Result, ResumeSession, Router, Session, StopReason, Turn, Value as Json, agent, op,
};
use serde_json::{Value, json};

use crate::support::Wire;

struct Stable;

struct Chat(&'static str);

enum Count {}

impl Method for Count {
    const NAME: &'static str = "_stable/count";
    const HANDLER: Side = Side::Agent;
    type Params = PlanEntry;
}

impl Request for Count {
    type Response = UsageUpdate;
}

enum Counted {}

impl Method for Counted {
    const NAME: &'static str = "_stable/counted";
    const HANDLER: Side = Side::Agent;
    type Params = PlanEntry;
}

impl Notification for Counted {}

fn opened(state: &'static str) -> Opened<Chat> {
    let modes = SessionModeState::new("ask", [SessionMode::new("ask", "Ask"), SessionMode::new("do", "Do")]);
    Opened::new(Chat(state)).modes(modes).config_options([option("slow")])
}

fn option(value: &str) -> SessionConfigOption {
    let option = json!({"id": "pace", "name": "Pace", "type": "select", "currentValue": value,
        "options": [{"value": "slow", "name": "Slow"}, {"value": "fast", "name": "Fast"}]});
    acp_json::from_str(&option.to_string()).unwrap()
}

#[agent(
    name = "stable",
    version = "1",
    title = "Stable",
    prompt(image, queue),
    mcp(http),
    auth(required),
    additional_directories,
    meta("acme.dev/undo" = true)
)]
impl Stable {
    async fn auth_methods(&self, _client: Client) -> Result<Vec<AuthMethod>> {
        Ok(vec![AuthMethodAgent::new("key", "Key").into()])
    }

    async fn authenticate(&self, _request: AuthenticateRequest) -> Result<()> {
        Ok(())
    }

    async fn logout(&self) -> Result<()> {
        Ok(())
    }

    async fn new_session(&self, _open: NewSession, _cancel: Cancel) -> Result<Opened<Chat>> {
        Ok(opened("new").session_id("the-session"))
    }

    async fn load_session(&self, _open: LoadSession) -> Result<Opened<Chat>> {
        Ok(opened("loaded"))
    }

    async fn resume_session(&self, _open: ResumeSession) -> Result<Chat> {
        Ok(Chat("resumed"))
    }

    async fn list_sessions(&self, request: ListSessionsRequest) -> Result<Vec<SessionInfo>> {
        Ok(vec![SessionInfo::new("the-session", request.cwd.unwrap_or_default())])
    }

    async fn close_session(&self, chat: Session<Chat>) -> Result<()> {
        if chat.0 == "resumed" { Err("it will not close".into()) } else { Ok(()) }
    }

    async fn delete_session(&self, _request: DeleteSessionRequest, client: Client) -> Result<()> {
        client.ext_notify("_client/deleted", &true).await
    }

    async fn set_mode(&self, chat: Session<Chat>, set: SetSessionModeRequest, client: Client) -> Result<()> {
        client.ext_notify("_client/mode", &(chat.0, set.mode_id.as_str())).await
    }

    #[on("session/set_config_option")]
    async fn set_pace(&self, _set: SetSessionConfigOptionRequest) -> Result<Vec<SessionConfigOption>> {
        Ok(vec![option("fast")])
    }

    async fn prompt(
        &self,
        turn: Turn,
        chat: Session<Chat>,
        RequestMeta(meta): RequestMeta,
    ) -> Result<StopReason> {
        turn.say(chat.0).await?;
        if let Some(meta) = meta.get("note") {
            turn.say(meta.to_string()).await?;
        }
        if turn.text() == "wait" {
            turn.cancelled().await;
        }
        Ok(StopReason::EndTurn)
    }

    #[on(Count)]
    async fn count(&self, entry: PlanEntry) -> Result<UsageUpdate> {
        Ok(UsageUpdate::new(entry.content.len() as u64, 100_u64))
    }

    #[on(Counted)]
    async fn counted(&self, entry: PlanEntry, client: Client) {
        let _ = client.ext_notify("_client/counted", &entry.content).await;
    }

    #[ext("_stable/echo")]
    async fn echo(&self, params: Json, chat: Session<Chat>) -> Result<(Json, String)> {
        Ok((params, chat.0.to_owned()))
    }

    #[ext("_stable/saw")]
    async fn saw(&self, number: u64, client: Client) {
        let _ = client.ext_notify("_client/saw", &number).await;
    }
}

fn stable() -> impl Agent {
    Router::with_sessions("stable", "1", Stable, Stable::new_session)
        .title("Stable")
        .prompt_content(PromptContent { image: true, ..PromptContent::default() })
        .queue_prompts()
        .mcp_transports(McpTransports { http: true, sse: false })
        .login_required()
        .additional_directories()
        .capability_meta(Meta::new().with("acme.dev/undo", true))
        .on::<op::Initialize, _>(Stable::auth_methods)
        .on::<op::Authenticate, _>(Stable::authenticate)
        .on::<op::Logout, _>(Stable::logout)
        .on::<op::LoadSession, _>(Stable::load_session)
        .on::<op::ResumeSession, _>(Stable::resume_session)
        .on::<op::ListSessions, _>(Stable::list_sessions)
        .on::<op::CloseSession, _>(Stable::close_session)
        .on::<op::DeleteSession, _>(Stable::delete_session)
        .on::<op::SetMode, _>(Stable::set_mode)
        .on::<op::SetConfigOption, _>(Stable::set_pace)
        .on::<op::Prompt, _>(Stable::prompt)
        .on::<op::Request<Count>, _>(Stable::count)
        .on_notification::<op::Notification<Counted>, _>(Stable::counted)
        .ext("_stable/echo", Stable::echo)
        .ext_notification("_stable/saw", Stable::saw)
}

/// A message to send. After a request the test reads up to its answer, and after a notification one
/// message.
enum Line {
    Request(&'static str, Value),
    Notification(&'static str, Value),
    /// A prompt that is cancelled after its first update.
    Cancelled(Value),
}

use Line::{Cancelled, Notification as Notify, Request as Ask};

fn stable_script() -> Vec<Line> {
    let image = json!({"type": "image", "data": "", "mimeType": "image/png"});
    let audio = json!({"type": "audio", "data": "", "mimeType": "audio/wav"});
    let on = |id: &str, members: Value| {
        let mut params = json!({"sessionId": id});
        params.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        params
    };
    let open = json!({"cwd": "/", "mcpServers": []});
    let entry = json!({"content": "four", "priority": "high", "status": "pending"});
    let text = |text: &str| json!({"prompt": [{"type": "text", "text": text}]});
    vec![
        Ask("session/new", open.clone()),
        // Version 2 is spoken with the feature of its name.
        Ask("initialize", json!({"protocolVersion": if cfg!(feature = "v2") { 1 } else { 3 }})),
        Ask("session/new", open.clone()),
        Ask("authenticate", json!({"methodId": "face"})),
        Ask("authenticate", json!({"methodId": "key"})),
        Ask("session/new", json!({"cwd": "x", "mcpServers": []})),
        Ask("session/new", open.clone()),
        Ask("session/new", open.clone()),
        Ask("session/load", on("old", open.clone())),
        Ask("session/resume", on("older", open)),
        Ask("session/list", json!({"cwd": "/"})),
        Ask("session/list", json!({"cwd": 5})),
        Ask("session/set_mode", on("the-session", json!({"modeId": "do"}))),
        Ask("session/set_mode", on("older", json!({"modeId": "fly"}))),
        Ask("session/set_config_option", on("old", json!({"configId": "pace", "value": "fast"}))),
        Ask("session/set_config_option", on("old", json!({"configId": "pace", "value": "none"}))),
        Ask("session/prompt", on("old", json!({"prompt": [image], "_meta": {"note": [1, 2.5]}}))),
        Ask("session/prompt", on("old", json!({"prompt": [audio]}))),
        Ask("session/prompt", on("nope", text("hi"))),
        Cancelled(on("older", text("wait"))),
        Notify("_stable/saw", json!(7)),
        Notify("_stable/counted", entry.clone()),
        Ask("_stable/count", entry),
        Ask("_stable/count", json!({"content": 5})),
        Ask("_stable/echo", on("older", json!({"x": 1.50}))),
        Ask("_stable/echo", json!(5)),
        Ask("_stable/none", json!(5)),
        Ask("session/close", json!({"sessionId": "older"})),
        Ask("session/close", json!({"sessionId": "older"})),
        Ask("session/delete", json!({"sessionId": "old"})),
        Ask("logout", json!({})),
        Ask("session/prompt", on("the-session", text("hi"))),
    ]
}

/// Returns every line of the agent's answers to the script.
async fn transcript(agent: Arc<impl Agent>, script: &[Line]) -> Vec<String> {
    let mut wire = Wire::serve_through(agent, 1024 * 1024);
    let mut said = Vec::new();
    for line in script {
        match line {
            Ask(method, params) => {
                let id = wire.request(method, params.clone()).await;
                read_to_answer(&mut wire, id, &mut said).await;
            }
            Notify(method, params) => {
                wire.notify(method, params.clone()).await;
                said.push(wire.try_recv_line().await.unwrap());
            }
            Cancelled(params) => {
                let id = wire.request("session/prompt", params.clone()).await;
                said.push(wire.try_recv_line().await.unwrap());
                wire.cancel(params["sessionId"].as_str().unwrap()).await;
                read_to_answer(&mut wire, id, &mut said).await;
            }
        }
    }
    said.extend(wire.close().await.iter().map(Value::to_string));
    said
}

async fn read_to_answer(wire: &mut Wire, id: u64, said: &mut Vec<String>) {
    loop {
        let line = wire.try_recv_line().await.unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        said.push(line);
        if message["id"] == id && message.get("method").is_none() {
            return;
        }
    }
}

/// The operations that the agent has handlers for.
fn served<A: Agent>(agent: &Arc<A>) -> Vec<Operation> {
    let mut handlers = acp_agent::Handlers::default();
    Arc::clone(agent).register(&mut handlers);
    Operation::ALL.iter().copied().filter(|operation| handlers.has(operation.method())).collect()
}

/// Compares the two agents, and checks that the script has every operation.
async fn compare<A: Agent>(block: A, router: impl Agent, script: Vec<Line>) -> Vec<String> {
    let asked = |operation: &Operation| {
        script.iter().any(|line| match line {
            Ask(method, _) | Notify(method, _) => *method == operation.method(),
            Cancelled(_) => false,
        })
    };
    let (block, router) = (Arc::new(block), Arc::new(router));
    let served = served(&block);
    let unasked: Vec<_> = served.iter().filter(|operation| !asked(operation)).collect();
    assert!(unasked.is_empty(), "the script leaves out {unasked:?}");
    assert_eq!(self::served(&router), served);
    let (with_macro, with_router) = (transcript(block, &script).await, transcript(router, &script).await);
    assert_eq!(with_macro, with_router);
    with_macro
}

/// The codes of the errors.
fn codes(said: &[String]) -> Vec<i64> {
    let messages = said.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
    messages.filter_map(|message| message["error"]["code"].as_i64()).collect()
}

#[tokio::test]
async fn stable_operations_are_the_same_in_a_block_and_a_router() {
    let said = compare(Stable, stable(), stable_script()).await;
    assert_eq!(served(&Arc::new(Stable)).len(), 11);
    // The two would also be equal if both refused everything.
    assert_eq!(
        codes(&said),
        [
            -32600, -32000, -32602, -32602, -32603, -32602, -32602, -32602, -32602, -32002, -32602, -32602,
            -32601, -32603, -32002, -32000
        ]
    );
    for piece in
        ["acme.dev/undo", "\"used\":4", "_client/saw", "_client/counted", "[1,2.5]", "cancelled", "-32000"]
    {
        assert!(said.iter().any(|line| line.contains(piece)), "{piece}: {said:#?}");
    }
}

#[cfg(feature = "unstable")]
mod unstable;
