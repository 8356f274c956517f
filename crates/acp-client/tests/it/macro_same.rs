//! A block and a router with the same functions are the same client. To one script they answer byte
//! for byte the same, in every operation.

use std::sync::{Arc, Mutex};

use acp_client::method::{Method, Notification, Request, Side};
use acp_client::v1::{
    CreateElicitationRequest, CreateTerminalRequest, ElicitationAction, ElicitationId, KillTerminalRequest,
    PlanEntry, ReadTextFileRequest, ReleaseTerminalRequest, RequestPermissionRequest, SessionId,
    SessionNotification, SessionUpdate, TerminalExitStatus, TerminalId, TerminalOutputRequest,
    TerminalOutputResponse, UsageUpdate, WaitForTerminalExitRequest, WriteTextFileRequest,
};
use acp_client::{
    Agent, Cancel, Client, Context, Error, Event, PermissionAnswer, RequestMeta, Result, Router, RpcError,
    client, op,
};
use serde_json::{Value, json};

use crate::common::{Wire, chunk, connected, open};

enum Count {}

impl Method for Count {
    const NAME: &'static str = "_same/count";
    const HANDLER: Side = Side::Client;
    type Params = PlanEntry;
}

impl Request for Count {
    type Response = UsageUpdate;
}

enum Counted {}

impl Method for Counted {
    const NAME: &'static str = "_same/counted";
    const HANDLER: Side = Side::Client;
    type Params = PlanEntry;
}

impl Notification for Counted {}

/// Repeats notifications to the agent, so that their handling shows on the wire.
#[derive(Default)]
struct Editor {
    told: Mutex<Vec<String>>,
}

impl Editor {
    fn tell(&self, text: impl Into<String>) {
        self.told.lock().expect("nobody panicked").push(text.into());
    }
}

#[client]
impl Editor {
    async fn update(
        &self,
        session: SessionId,
        event: Event,
        update: SessionUpdate,
        whole: SessionNotification,
    ) {
        assert_eq!((&whole.session_id, &whole.update, &event), (&session, &update, &update.clone().into()));
        self.tell(format!("{session}: {}", event.text().unwrap_or_default()));
    }

    async fn request_permission(&self, request: RequestPermissionRequest) -> Result<PermissionAnswer> {
        match request.tool_call.title.as_deref() {
            Some("forbidden") => Ok(PermissionAnswer::RejectAlways),
            Some("broken") => Err("the window is gone".into()),
            _ => Ok(PermissionAnswer::AllowOnce),
        }
    }

    async fn read_text_file(&self, file: ReadTextFileRequest, session: SessionId) -> std::io::Result<String> {
        if file.path == "/none" {
            return Err(std::io::ErrorKind::NotFound.into());
        }
        Ok(format!("{} of {session}", file.path))
    }

    async fn write_text_file(self: Arc<Self>, file: WriteTextFileRequest) -> Result<(), RpcError> {
        if file.content.is_empty() {
            return Err(RpcError::invalid_params("`content`: nothing to write"));
        }
        self.tell(file.content);
        Ok(())
    }

    async fn create_terminal(&self, request: CreateTerminalRequest) -> Result<TerminalId> {
        Ok(TerminalId::from(request.command.as_str()))
    }

    async fn terminal_output(&self, request: TerminalOutputRequest) -> Result<TerminalOutputResponse> {
        Ok(TerminalOutputResponse::new(request.terminal_id.as_str(), false))
    }

    async fn release_terminal(&self, _request: ReleaseTerminalRequest, _context: Context) -> Result<()> {
        Ok(())
    }

    async fn wait_for_terminal_exit(
        &self,
        _request: WaitForTerminalExitRequest,
        cancel: Cancel,
    ) -> Result<TerminalExitStatus> {
        cancel.cancelled().await;
        Err(RpcError::cancelled().into())
    }

    async fn kill_terminal(
        &self,
        request: KillTerminalRequest,
        RequestMeta(meta): RequestMeta,
    ) -> Result<()> {
        self.tell(format!("killed {} {meta:?}", request.terminal_id));
        Ok(())
    }

    async fn elicit(&self, request: CreateElicitationRequest) -> Result<ElicitationAction> {
        self.tell(request.message);
        Ok(ElicitationAction::Decline)
    }

    async fn elicitation_complete(&self, id: ElicitationId) {
        self.tell(id.as_str());
    }

    #[on(Count)]
    async fn count(&self, entry: PlanEntry) -> Result<UsageUpdate> {
        Ok(UsageUpdate::new(entry.content.len() as u64, 100_u64))
    }

    #[on(Counted)]
    async fn counted(&self, entry: PlanEntry, agent: Agent) {
        let _ = agent.ext_notify("_agent/counted", &entry.content).await;
    }

    #[ext("_same/told")]
    async fn told(&self, reset: bool) -> Result<Vec<String>, Error> {
        let mut told = self.told.lock().expect("nobody panicked");
        Ok(if reset { std::mem::take(&mut *told) } else { told.clone() })
    }

    #[ext("_same/note")]
    async fn note(&self, (text, number): (String, u32), context: Context) {
        self.tell(format!("{text} {number}"));
        let _ = context.peer().notify("_agent/noted", &number).await;
    }
}

async fn write_text_file(editor: &Editor, file: WriteTextFileRequest) -> Result<(), RpcError> {
    if file.content.is_empty() {
        return Err(RpcError::invalid_params("`content`: nothing to write"));
    }
    editor.tell(file.content);
    Ok(())
}

fn router() -> Router<Editor> {
    Router::new(Editor::default())
        .on_notification::<op::Update, _>(Editor::update)
        .on::<op::RequestPermission, _>(Editor::request_permission)
        .on::<op::ReadTextFile, _>(Editor::read_text_file)
        .on::<op::WriteTextFile, _>(write_text_file)
        .on::<op::CreateTerminal, _>(Editor::create_terminal)
        .on::<op::TerminalOutput, _>(Editor::terminal_output)
        .on::<op::ReleaseTerminal, _>(Editor::release_terminal)
        .on::<op::WaitForTerminalExit, _>(Editor::wait_for_terminal_exit)
        .on::<op::KillTerminal, _>(Editor::kill_terminal)
        .on::<op::Elicit, _>(Editor::elicit)
        .on_notification::<op::ElicitationComplete, _>(Editor::elicitation_complete)
        .on::<op::Request<Count>, _>(Editor::count)
        .on_notification::<op::Notification<Counted>, _>(Editor::counted)
        .ext("_same/told", Editor::told)
        .ext_notification("_same/note", Editor::note)
}

/// The client's side of a script: everything that it sends.
struct Script {
    wire: Wire,
    seen: Vec<Value>,
}

impl Script {
    async fn call(&mut self, method: &str, params: Value) {
        let id = json!(format!("call-{}", self.seen.len()));
        let answer = self.wire.call(id, method, params).await;
        self.seen.push(answer);
    }

    async fn notify(&mut self, method: &str, params: Value) {
        self.wire.send(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    async fn receive(&mut self) {
        let message = self.wire.receive().await;
        self.seen.push(message);
    }
}

async fn run(client: impl Client) -> Vec<Value> {
    let (transport, mut wire) = crate::common::pipe();
    let connecting = acp_client::connect(transport).client(client).into_future();
    let (agent, initialize) = tokio::join!(connecting, wire.initialize(json!({})));
    let agent = agent.expect("connected");
    let _session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let mut script = Script { wire, seen: vec![initialize] };
    let options = json!(["allow_once", "reject_always"].map(|kind| json!({
        "optionId": kind, "name": kind, "kind": kind
    })));
    for title in ["harmless", "forbidden", "broken"] {
        let tool = json!({"toolCallId": "t", "title": title});
        let params = json!({"sessionId": "s1", "toolCall": tool, "options": options});
        script.call("session/request_permission", params).await;
    }
    for path in ["/notes", "/none"] {
        script.call("fs/read_text_file", json!({"sessionId": "s1", "path": path})).await;
    }
    script.call("fs/read_text_file", json!({"sessionId": "s1"})).await;
    for content in ["text", ""] {
        let params = json!({"sessionId": "s1", "path": "/notes", "content": content});
        script.call("fs/write_text_file", params).await;
    }
    script.call("terminal/create", json!({"sessionId": "s1", "command": "make"})).await;
    for method in ["terminal/output", "terminal/kill", "terminal/release"] {
        let params = json!({"sessionId": "s1", "terminalId": "make", "_meta": {"a": 1}});
        script.call(method, params).await;
    }
    let wait = json!({"sessionId": "s1", "terminalId": "make"});
    let wait = json!({"jsonrpc": "2.0", "id": "wait", "method": "terminal/wait_for_exit", "params": wait});
    script.wire.send(wait).await;
    script.notify("$/cancel_request", json!({"requestId": "wait"})).await;
    script.receive().await;
    let form = json!({"type": "object", "properties": {}});
    let form = json!({"sessionId": "s1", "mode": "form", "message": "Which?", "requestedSchema": form});
    script.call("elicitation/create", form).await;
    script.call("_same/count", json!({"content": "four", "priority": "low", "status": "pending"})).await;
    script.notify("_same/counted", json!({"content": "five!", "priority": "low", "status": "pending"})).await;
    script.receive().await;
    script.notify("_same/note", json!(["a", "b"])).await;
    script.notify("_same/note", json!(["noted", 7])).await;
    script.receive().await;
    script.call("_same/told", json!(true)).await;
    script.call("_same/told", json!({})).await;
    script.call("_same/unknown", json!({})).await;
    for text in ["a", "b", "c", "d"] {
        script.notify("session/update", json!({"sessionId": "s1", "update": chunk(text)})).await;
    }
    // The answer of the turn comes after the updates before it, so by then they have been handled.
    let session = _session;
    let (turn, ()) = tokio::join!(session.prompt("hello"), async {
        let prompt = script.wire.expect("session/prompt").await;
        script.wire.text("s1", "e").await;
        script.wire.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    });
    turn.expect("a turn").finish().await.expect("the turn ends");
    script.call("_same/told", json!(true)).await;
    script.seen
}

#[tokio::test]
async fn a_block_and_a_router_of_its_functions_say_the_same() {
    let seen = run(Editor::default()).await;
    assert_eq!(seen, run(router()).await);
    assert_eq!(seen, run(Arc::new(Editor::default())).await);
    let results: Vec<&Value> = seen.iter().filter_map(|message| message.get("result")).collect();
    assert_eq!(results[0]["outcome"]["optionId"], "allow_once");
    assert_eq!(results[1]["outcome"]["optionId"], "reject_always");
    assert_eq!(*results[2], json!({"content": "/notes of s1"}));
    let codes: Vec<i64> = seen.iter().filter_map(|message| message["error"]["code"].as_i64()).collect();
    assert_eq!(codes, [-32603, -32603, -32602, -32602, -32800, -32602, -32601]);
    let updates = seen.last().expect("what it was told");
    assert_eq!(updates["result"], json!(["s1: a", "s1: b", "s1: c", "s1: d", "s1: e"]));
    let told = results.iter().find(|result| result.get(0) == Some(&json!("text"))).expect("what came before");
    assert_eq!(told.as_array().expect("texts")[2..], [json!("Which?"), json!("noted 7")]);
}

#[tokio::test]
async fn a_router_serves_no_more_than_it_was_given() {
    let router = Router::new(Editor::default()).on::<op::ReadTextFile, _>(Editor::read_text_file);
    let (_agent, mut wire) = connected(|connect| connect.client(router), json!({})).await;
    let answer = wire.call(json!(1), "fs/write_text_file", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601);
}

#[test]
#[should_panic(expected = "starts with `_`")]
fn an_extension_method_starts_with_an_underscore() {
    let _ = Router::new(Editor::default()).ext("told", Editor::told);
}
