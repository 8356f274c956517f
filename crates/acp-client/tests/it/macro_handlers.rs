//! The calls of a `#[client]` block's functions, and the library's work around them.

use std::sync::{Arc, Mutex};

use acp_client::v1::{
    CreateElicitationRequest, ElicitationAcceptAction, ElicitationAction, ElicitationContentValue,
    ElicitationId, ReadTextFileRequest, RequestPermissionOutcome, RequestPermissionRequest,
    SelectedPermissionOutcome, SessionId,
};
use acp_client::{Agent, Cancel, Event, Map, Result, RpcError, client};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};

use crate::common::{Wire, connected, open, pipe, with_session};

/// A client's screen: all updates of the user interface, in order.
struct Screen<T> {
    next: Semaphore,
    shown: mpsc::UnboundedSender<T>,
}

/// A client can be generic.
#[client]
impl<T> Screen<T>
where
    T: From<String> + Send + Sync + 'static,
{
    async fn update(self: Arc<Self>, session: SessionId, event: Event) {
        let said = event.text().unwrap_or_default().to_owned();
        let _ = self.shown.send(T::from(format!("{session}< {said}")));
        self.next.acquire().await.expect("it is never closed").forget();
        let _ = self.shown.send(T::from(format!("{session}> {said}")));
    }

    async fn read_text_file(&self, file: ReadTextFileRequest) -> Result<String> {
        Ok(file.path)
    }
}

#[tokio::test]
async fn updates_of_a_session_are_handled_one_at_a_time_while_all_else_goes_on() {
    let (shown, mut screen) = mpsc::unbounded_channel::<String>();
    let client = Arc::new(Screen { next: Semaphore::new(0), shown });
    let (agent, mut wire) = connected(|connect| connect.client(Arc::clone(&client)), json!({})).await;
    let first = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let second = open(&agent, &mut wire, json!({"sessionId": "s2"})).await;
    wire.text("s1", "a").await;
    wire.text("s1", "b").await;
    assert_eq!(screen.recv().await.as_deref(), Some("s1< a"));
    // The handler waits. Another session and the requests of the agent do not.
    wire.text("s2", "c").await;
    assert_eq!(screen.recv().await.as_deref(), Some("s2< c"));
    let file = wire.call(json!(1), "fs/read_text_file", json!({"sessionId": "s1", "path": "/f"})).await;
    assert_eq!(file["result"]["content"], "/f");
    client.next.add_permits(3);
    let mut rest = Vec::new();
    for _ in 0..4 {
        rest.push(screen.recv().await.expect("all are shown"));
    }
    let of_first: Vec<_> = rest.iter().filter(|line| line.starts_with("s1")).collect();
    assert_eq!(of_first, ["s1> a", "s1< b", "s1> b"]);
    drop((first, second));
}

/// A client whose task outlives its handlers.
struct Follower {
    over: mpsc::UnboundedSender<bool>,
}

#[client]
impl Follower {
    async fn update(&self, cancel: Cancel) {
        let over = self.over.clone();
        let _ = over.send(cancel.is_cancelled());
        tokio::spawn(async move {
            cancel.cancelled().await;
            let _ = over.send(cancel.is_cancelled());
        });
    }
}

#[tokio::test]
async fn what_a_handler_of_updates_leaves_behind_hears_of_the_end() {
    let (over, mut told) = mpsc::unbounded_channel();
    let (session, mut wire) = with_session(|connect| connect.client(Follower { over })).await;
    wire.text("s1", "a").await;
    assert_eq!(told.recv().await, Some(false));
    drop(wire);
    assert_eq!(told.recv().await, Some(true));
    drop(session);
}

/// A client that calls the agent in every handler.
struct Caller;

#[client]
impl Caller {
    async fn read_text_file(&self, agent: Agent, file: ReadTextFileRequest) -> Result<String> {
        agent.ext_request("_agent/text", &file.path).await
    }

    async fn update(&self, agent: Agent, event: Event) {
        let _ = agent.ext_request::<String>("_agent/seen", event.text().unwrap_or_default()).await;
    }
}

#[tokio::test]
async fn handlers_can_call_the_agent() {
    let (agent, mut wire) = connected(|connect| connect.client(Caller), json!({})).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    wire.text("s1", "hello").await;
    let seen = wire.expect("_agent/seen").await;
    assert_eq!(seen["params"], "hello");
    wire.answer(&seen, json!("yes")).await;
    let read = json!({"sessionId": "s1", "path": "/f"});
    wire.send(json!({"jsonrpc": "2.0", "id": "r", "method": "fs/read_text_file", "params": read})).await;
    let text = wire.expect("_agent/text").await;
    wire.fail(&text, json!({"code": -32000, "message": "log in"})).await;
    let answer = wire.receive().await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("r"), &json!(-32603)));
    assert!(answer["error"]["message"].as_str().expect("a sentence").contains("`_agent/text`"), "{answer}");
    drop(session);
}

#[tokio::test]
async fn a_handler_that_calls_the_agent_waits_for_its_first_answer() {
    let (transport, mut wire) = pipe();
    let connecting = tokio::spawn(acp_client::connect(transport).client(Caller).into_future());
    let initialize = wire.expect("initialize").await;
    let read = json!({"sessionId": "s1", "path": "/early"});
    wire.send(json!({"jsonrpc": "2.0", "id": "r", "method": "fs/read_text_file", "params": read})).await;
    wire.answer(&initialize, json!({"protocolVersion": 1, "agentCapabilities": {}})).await;
    let text = wire.expect("_agent/text").await;
    assert_eq!(text["params"], "/early");
    wire.answer(&text, json!("here")).await;
    assert_eq!(wire.receive().await["result"]["content"], "here");
    connecting.await.expect("no panic").expect("connected");
}

/// A client that asks the test in place of a user.
struct Asking(mpsc::UnboundedSender<&'static str>);

/// Reports when it is dropped.
struct Gone(mpsc::UnboundedSender<&'static str>);

impl Drop for Gone {
    fn drop(&mut self) {
        let _ = self.0.send("gone");
    }
}

#[client]
impl Asking {
    async fn request_permission(
        &self,
        request: RequestPermissionRequest,
    ) -> Result<RequestPermissionOutcome> {
        if request.tool_call.title.as_deref() == Some("made up") {
            return Ok(SelectedPermissionOutcome::new("made up").into());
        }
        let _gone = Gone(self.0.clone());
        let _ = self.0.send("asked");
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_question_about_a_tool_ends_with_its_turn() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let (session, mut wire) = with_session(|connect| connect.client(Asking(tell))).await;
    let ask = |title: &str| {
        let options = json!([{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]);
        json!({"sessionId": "s1", "toolCall": {"toolCallId": "t", "title": title}, "options": options})
    };
    let answer = wire.call(json!(1), "session/request_permission", ask("made up")).await;
    assert_eq!(
        answer["result"]["outcome"],
        json!({"outcome": "cancelled"}),
        "what was not offered is no consent"
    );
    let turn = session.prompt("go").await.expect("a turn");
    let prompt = wire.expect("session/prompt").await;
    let request = ask("write");
    wire.send(json!({"jsonrpc": "2.0", "id": 2, "method": "session/request_permission", "params": request}))
        .await;
    assert_eq!(told.recv().await, Some("asked"));
    turn.cancel().expect("it is running");
    let mut seen = [wire.receive().await, wire.receive().await];
    seen.sort_by_key(|message| message.get("id").is_none());
    assert_eq!(seen[0]["result"]["outcome"], json!({"outcome": "cancelled"}));
    assert_eq!(seen[1]["method"], "session/cancel");
    assert_eq!(told.recv().await, Some("gone"));
    wire.answer(&prompt, json!({"stopReason": "cancelled"})).await;
    turn.finish().await.expect("the turn ends");
}

/// A client that fills in a form with one value and opens every page.
struct Forms {
    value: &'static str,
    done: Mutex<Vec<ElicitationId>>,
}

#[client]
impl Forms {
    async fn elicit(&self, request: CreateElicitationRequest) -> Result<ElicitationAction, RpcError> {
        if request.message == "never" {
            return Err(RpcError::internal("no window"));
        }
        let content: Map<ElicitationContentValue> = Map::from([("name", self.value.to_owned().into())]);
        Ok(ElicitationAcceptAction::new().content(content).into())
    }

    async fn elicitation_complete(&self, id: ElicitationId) {
        self.done.lock().expect("nobody panicked").push(id);
    }

    #[ext("_forms/done")]
    async fn done(&self) -> Result<Vec<String>> {
        let done = self.done.lock().expect("nobody panicked");
        Ok(done.iter().map(|id| id.as_str().to_owned()).collect())
    }
}

async fn elicit(wire: &mut Wire, mut params: Value) -> Value {
    params["sessionId"] = json!("s1");
    wire.call(json!("e"), "elicitation/create", params).await
}

#[tokio::test]
async fn answers_to_a_form_are_held_against_it() {
    for (value, action) in [("short", "accept"), ("much too long", "cancel")] {
        let forms = Forms { value, done: Mutex::default() };
        let (_session, mut wire) = with_session(|connect| connect.client(forms)).await;
        let properties = json!({"name": {"type": "string", "maxLength": 5}});
        let form = json!({"mode": "form", "message": "Who?",
            "requestedSchema": {"type": "object", "properties": properties}});
        let answer = elicit(&mut wire, form).await;
        assert_eq!(answer["result"]["action"], action, "{value}: {answer}");
    }
}

#[tokio::test]
async fn only_pages_that_were_agreed_to_are_completed_and_once() {
    let forms = Forms { value: "", done: Mutex::default() };
    let (_session, mut wire) = with_session(|connect| connect.client(forms)).await;
    for (message, id) in [("Log in", "page"), ("never", "refused")] {
        let page =
            json!({"mode": "url", "message": message, "url": "https://a.example", "elicitationId": id});
        elicit(&mut wire, page).await;
    }
    for id in ["refused", "unknown", "page", "page"] {
        let params = json!({"elicitationId": id});
        wire.send(json!({"jsonrpc": "2.0", "method": "elicitation/complete", "params": params})).await;
    }
    // Notifications are tasks. The counting one has run when its report arrives.
    let mut done = json!([]);
    while done == json!([]) {
        done = wire.call(json!("d"), "_forms/done", json!(null)).await["result"].clone();
    }
    assert_eq!(done, json!(["page"]));
}
