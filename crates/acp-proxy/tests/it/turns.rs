//! Prompts that a handler answers in place of the rest, in both versions: in version 2 the proxy
//! writes the turn.

use std::sync::{Arc, Mutex};

use acp_proxy::{Conductor, Next, Observed, Proxy, Reply, Toward};
use acp_rpc::Error;
use acp_types::v1::{
    ContentChunk, PromptRequest, PromptResponse, SessionNotification, SessionUpdate, StopReason, ToolCall,
};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::common::{End, end, serve};
use super::forwarding::initialized;
use super::vocabulary::start;

/// Starts a chain of this version.
async fn start_in(version: u64, proxy: Proxy) -> (End, End) {
    if version == 2 {
        return start(proxy).await;
    }
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().proxy(proxy).agent(transport));
    initialized(&mut client, &mut agent).await;
    (client, agent)
}

fn chunk(text: &str) -> SessionUpdate {
    SessionUpdate::AgentMessageChunk(ContentChunk::new(text))
}

fn prompt() -> Value {
    json!({"sessionId": "s", "prompt": [{"type": "text", "text": "Hello", "_y": 2}], "_x": 1})
}

/// Takes an update of the session `s`.
async fn update(client: &mut End) -> Value {
    let mut message = client.value().await;
    assert_eq!(
        (&message["method"], &message["params"]["sessionId"]),
        (&json!("session/update"), &json!("s"))
    );
    message["params"]["update"].take()
}

/// Takes the answer to a prompt with its echo, and the state that begins the turn.
async fn inserted(client: &mut End, id: i64) {
    let message = client.result(id).await["messageId"].clone();
    assert!(message.is_string());
    let content = prompt()["prompt"].clone();
    let echo = json!({"sessionUpdate": "user_message", "messageId": message, "content": content});
    assert_eq!(update(client).await, echo);
}

async fn begun(client: &mut End, id: i64) {
    inserted(client, id).await;
    assert_eq!(update(client).await, json!({"sessionUpdate": "state_update", "state": "running"}));
}

fn idle(reason: &str) -> Value {
    json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": reason})
}

fn state(state: &str) -> Value {
    json!({"sessionId": "s", "update": {"sessionUpdate": "state_update", "state": state}})
}

/// A proxy whose handler drops its `Next`, and waits for the test or for the cancellation.
fn waiting(go_on: &Arc<Semaphore>) -> Proxy {
    let go_on = Arc::clone(go_on);
    Proxy::new("p").prompt(move |request: PromptRequest, next: Next| {
        let go_on = Arc::clone(&go_on);
        async move {
            if request.prompt.len() > 1 {
                return next.run().await;
            }
            let (client, cancelled) = (next.neighbor(Toward::Client), next.cancelled());
            drop(next);
            tokio::select! {
                biased;
                permit = go_on.acquire() => {
 permit.unwrap().forget();
 Reply::of(&PromptResponse::new(StopReason::MaxTokens)).into()
}
                () = cancelled => {
                    client.update(&SessionNotification::new(request.session_id, chunk("stopped"))).unwrap();
                    Reply::of(&PromptResponse::new(StopReason::Cancelled)).into()
                }
            }
        }
    })
}

/// One handler has a turn of its own in both versions.
#[tokio::test]
async fn a_handler_has_a_turn_in_both_versions() {
    for version in [1, 2] {
        let proxy = Proxy::new("p").prompt(async |request: PromptRequest, next: Next| {
            let client = next.neighbor(Toward::Client);
            drop(next);
            let tool = SessionUpdate::ToolCall(Box::new(ToolCall::new("t", "Look")));
            for update in [chunk("a"), chunk("b"), tool, chunk("c")] {
                client.update(&SessionNotification::new(request.session_id.clone(), update))?;
            }
            Ok::<_, Error>(Reply::of(&PromptResponse::new(StopReason::Refusal)))
        });
        let (mut client, mut agent) = start_in(version, proxy).await;
        for id in [1, 2] {
            client.ask(id, "session/prompt", prompt()).await;
            if version == 2 {
                begun(&mut client, id).await;
            }
            let mut got = Vec::new();
            for _ in 0..4 {
                got.push(update(&mut client).await);
            }
            let kinds: Vec<_> = got.iter().map(|update| update["sessionUpdate"].as_str().unwrap()).collect();
            let tool = if version == 2 { "tool_call_update" } else { "tool_call" };
            assert_eq!(kinds, ["agent_message_chunk", "agent_message_chunk", tool, "agent_message_chunk"]);
            assert_eq!((&got[1]["content"]["text"], &got[2]["title"]), (&json!("b"), &json!("Look")));
            assert_eq!(got[0]["messageId"], got[1]["messageId"]);
            assert_eq!(got[0]["messageId"].is_string(), version == 2);
            if version == 2 {
                assert_ne!(got[0]["messageId"], got[3]["messageId"], "the tool call is between them");
                assert_eq!(update(&mut client).await, idle("refusal"));
            } else {
                assert_eq!(client.result(id).await, json!({"stopReason": "refusal"}));
            }
        }
        client.notify("_n", json!({})).await;
        assert_eq!(agent.value().await["method"], "_n", "the agent has seen nothing of the prompts");
    }
}

struct Answers;

#[acp_proxy::proxy]
impl Answers {
    async fn prompt(&self, request: PromptRequest) -> Result<PromptResponse, Error> {
        if request.session_id.as_str() == "at once" {
            return Err(Error::new(-7, "not at once"));
        }
        tokio::task::yield_now().await;
        if request.session_id.as_str() == "s" {
            return Ok(PromptResponse::new(StopReason::EndTurn));
        }
        assert_ne!(request.session_id.as_str(), "panic", "on purpose");
        Err(Error::new(-7, "later"))
    }
}

/// An error at once refuses a prompt, and a later one ends its turn. So does a panic.
#[tokio::test]
async fn a_handler_fails_before_and_after_its_turn_has_begun() {
    for version in [1, 2] {
        let (mut client, _agent) = start_in(version, Answers.into()).await;
        for (id, session, code) in [(1, "at once", -7), (2, "later", -7), (3, "panic", -32603)] {
            client.ask(id, "session/prompt", json!({"sessionId": session, "prompt": []})).await;
            if version == 1 || session == "at once" {
                assert_eq!(client.error(id).await["code"], code);
                continue;
            }
            assert!(client.result(id).await["messageId"].is_string());
            let mut got = Vec::new();
            for _ in 0..3 {
                got.push(client.value().await["params"]["update"].take());
            }
            assert_eq!(
                (&got[0]["sessionUpdate"], &got[1]["state"]),
                (&json!("user_message"), &json!("running"))
            );
            assert_eq!((&got[2]["state"], &got[2]["stopReason"]), (&json!("idle"), &json!("error")));
            assert_eq!(got[2]["error"]["code"], code);
        }
        client.ask(4, "session/prompt", prompt()).await;
        if version == 2 {
            begun(&mut client, 4).await;
            assert_eq!(update(&mut client).await, idle("end_turn"));
        } else {
            assert_eq!(client.result(4).await["stopReason"], "end_turn");
        }
        // A prompt that cannot be read is refused.
        client.ask(5, "session/prompt", json!({"sessionId": "s", "prompt": 7})).await;
        assert_eq!(client.error(5).await["code"], -32602);
    }
}

/// `session/cancel` and `session/close` reach the handler. A session is closed after its turn.
#[tokio::test]
async fn a_cancellation_reaches_the_handler() {
    for version in [1, 2] {
        let (mut client, mut agent) = start_in(version, waiting(&Arc::new(Semaphore::new(0)))).await;
        for (id, closes) in [(1, false), (2, true)] {
            client.ask(id, "session/prompt", prompt()).await;
            if version == 2 {
                begun(&mut client, id).await;
            }
            if closes {
                client.ask(9, "session/close", json!({"sessionId": "s"})).await;
                let (close, _) = agent.request("session/close").await;
                agent.answer(&close, json!({})).await;
            } else {
                client.notify("session/cancel", json!({"sessionId": "other"})).await;
                client.notify("session/cancel", json!({"sessionId": "s"})).await;
                for session in ["other", "s"] {
                    assert_eq!(agent.value().await["params"]["sessionId"], session);
                }
            }
            if version == 2 {
                assert_eq!(update(&mut client).await["content"]["text"], "stopped");
                assert_eq!(update(&mut client).await, idle("cancelled"));
                if closes {
                    client.result(9).await;
                }
                continue;
            }
            // In version 1 the two answers have no order.
            let mut answers = 0;
            while answers < 1 + i32::from(closes) {
                let message = client.value().await;
                answers += i32::from(message.get("result").is_some());
                if message["id"] == id {
                    assert_eq!(message["result"]["stopReason"], "cancelled");
                }
            }
        }
    }
}

/// A session is closed after its turn, also if the agent has closed it before.
#[tokio::test]
async fn the_answer_to_a_close_waits_for_the_turn() {
    let go_on = Arc::new(Semaphore::new(0));
    let waits = Arc::clone(&go_on);
    let proxy = Proxy::new("p").prompt(move |_: PromptRequest, next: Next| {
        let (waits, cancelled) = (Arc::clone(&waits), next.cancelled());
        async move {
            drop(next);
            cancelled.await;
            waits.acquire().await.unwrap().forget();
            Reply::of(&PromptResponse::new(StopReason::Cancelled))
        }
    });
    let (mut client, mut agent) = start(proxy).await;
    client.ask(1, "session/prompt", prompt()).await;
    begun(&mut client, 1).await;
    client.ask(2, "session/close", json!({"sessionId": "s"})).await;
    let (id, _) = agent.request("session/close").await;
    agent.answer(&id, json!({"_x": 1})).await;
    agent.notify("_n", json!({})).await;
    assert_eq!(client.value().await["method"], "_n");
    go_on.add_permits(1);
    assert_eq!(update(&mut client).await, idle("cancelled"));
    assert_eq!(client.result(2).await, json!({"_x": 1}));
}

/// A handler that fails because it was cancelled has ended its turn so. A prompt that it holds is
/// not inserted.
#[tokio::test]
async fn a_cancelled_turn_has_not_failed() {
    let proxy = Proxy::new("p").prompt(async |request: PromptRequest, next: Next| {
        let cancelled = next.cancelled();
        if request.session_id.as_str() == "held" {
            cancelled.await;
            drop(next);
            return Reply::of(&PromptResponse::new(StopReason::Cancelled));
        }
        drop(next);
        cancelled.await;
        Err(Error::new(-7, "aborted"))
    });
    let (mut client, _agent) = start(proxy).await;
    client.ask(1, "session/prompt", prompt()).await;
    begun(&mut client, 1).await;
    client.notify("session/cancel", json!({"sessionId": "s"})).await;
    assert_eq!(update(&mut client).await, idle("cancelled"));
    client.ask(2, "session/prompt", json!({"sessionId": "held", "prompt": []})).await;
    client.notify("session/cancel", json!({"sessionId": "held"})).await;
    assert_eq!(client.error(2).await["code"], -32800);
    client.ask(3, "session/prompt", json!({"sessionId": "held", "prompt": []})).await;
    client.notify("$/cancel_request", json!({"requestId": 3})).await;
    assert_eq!(client.error(3).await["code"], -32800);
}

/// The agent's turn and one of the proxy are one foreground, which is idle after both.
#[tokio::test]
async fn turns_of_the_agent_and_of_the_proxy_overlap() {
    let go_on = Arc::new(Semaphore::new(0));
    let proxy = waiting(&go_on).update(async |_: SessionNotification, pass: acp_proxy::Pass| pass.run());
    let (mut client, mut agent) = start(proxy).await;
    for agent_is_last in [true, false] {
        let mut both = prompt();
        both["prompt"].as_array_mut().unwrap().push(json!({"type": "text", "text": "on"}));
        client.ask(1, "session/prompt", both).await;
        let (id, _) = agent.request("session/prompt").await;
        agent.answer(&id, json!({"messageId": "m"})).await;
        assert_eq!(client.result(1).await, json!({"messageId": "m"}));
        agent.notify("session/update", state("running")).await;
        assert_eq!(client.value().await["params"], state("running"));
        client.ask(2, "session/prompt", prompt()).await;
        // The state is that of the agent's turn.
        inserted(&mut client, 2).await;
        let mut ended = state("idle");
        ended["update"]["stopReason"] = json!("end_turn");
        ended["update"]["background"] = json!([{"id": "b", "_far": 1.5}]);
        if agent_is_last {
            go_on.add_permits(1);
            // The turn of the proxy is over when its session can be closed.
            client.ask(3, "session/close", json!({"sessionId": "s"})).await;
            let (id, _) = agent.request("session/close").await;
            agent.fail(&id, json!({"code": -1, "message": "no"})).await;
            assert_eq!(client.error(3).await["code"], -1);
            agent.notify("session/update", ended.clone()).await;
            assert_eq!(client.value().await["params"], ended);
        } else {
            agent.notify("session/update", ended.clone()).await;
            let goes_on = json!({"sessionUpdate": "state_update", "state": "running", "background": ended["update"]["background"]});
            assert_eq!(update(&mut client).await, goes_on);
            go_on.add_permits(1);
            ended["update"]["stopReason"] = json!("max_tokens");
            assert_eq!(update(&mut client).await, ended["update"]);
        }
    }
}

/// Prompts of one session may be at a handler at once. The session is idle after the last one.
#[tokio::test]
async fn turns_of_the_proxy_overlap() {
    let go_on = Arc::new(Semaphore::new(0));
    let (mut client, _agent) = start(waiting(&go_on)).await;
    client.ask(1, "session/prompt", prompt()).await;
    begun(&mut client, 1).await;
    client.ask(2, "session/prompt", prompt()).await;
    inserted(&mut client, 2).await;
    go_on.add_permits(2);
    assert_eq!(update(&mut client).await, idle("max_tokens"));
    client.ask(3, "session/prompt", prompt()).await;
    begun(&mut client, 3).await;
}

/// An observer may send something to the client while the proxy begins the turn.
#[tokio::test]
async fn an_observer_speaks_within_a_turn() {
    let client = Arc::<Mutex<Option<acp_proxy::Neighbor>>>::default();
    let (sets, uses) = (Arc::clone(&client), Arc::clone(&client));
    let proxy = Proxy::new("p")
        .prompt(move |_: PromptRequest, next: Next| {
            *sets.lock().unwrap() = Some(next.neighbor(Toward::Client));
            drop(next);
            async { Reply::of(&PromptResponse::new(StopReason::EndTurn)) }
        })
        .observe(move |message| {
            if let Observed::Result { method: "session/prompt", .. } = message {
                let client = uses.lock().unwrap().take().unwrap();
                client.update(&SessionNotification::new("s", chunk("seen"))).unwrap();
            }
        });
    let (mut client, _agent) = start(proxy).await;
    client.ask(1, "session/prompt", prompt()).await;
    begun(&mut client, 1).await;
    assert_eq!(update(&mut client).await["content"]["text"], "seen");
    assert_eq!(update(&mut client).await, idle("end_turn"));
}

/// A handler may answer when the rest of the chain has refused the prompt. What the agent has taken
/// stays taken.
#[tokio::test]
async fn a_handler_answers_after_the_rest() {
    let proxy = Proxy::new("p").prompt(async |request: PromptRequest, next: Next| {
        let reply = next.run().await;
        tokio::task::yield_now().await;
        match request.session_id.as_str() {
            "s" => Reply::of(&PromptResponse::new(StopReason::EndTurn)),
            "fails" => Err(Error::new(-7, "too late")),
            _ => Ok(reply),
        }
    });
    let (mut client, mut agent) = start(proxy).await;
    let error = json!({"code": -5, "message": "busy", "_x": 1});
    for (id, session) in [(1, "s"), (2, "fails"), (3, "same")] {
        let mut params = prompt();
        params["sessionId"] = session.into();
        client.ask(id, "session/prompt", params.clone()).await;
        let (asked, _) = agent.request("session/prompt").await;
        agent.fail(&asked, error.clone()).await;
        match session {
            "s" => {
                begun(&mut client, id).await;
                assert_eq!(update(&mut client).await, idle("end_turn"));
            }
            "fails" => assert_eq!(client.error(id).await["code"], -7),
            _ => assert_eq!(client.error(id).await, error),
        }
        client.ask(id, "session/prompt", params).await;
        let (asked, _) = agent.request("session/prompt").await;
        agent.answer(&asked, json!({"messageId": "m", "_x": id})).await;
        assert_eq!(client.result(id).await, json!({"messageId": "m", "_x": id}));
    }
}
