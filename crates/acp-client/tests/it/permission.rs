//! Permission requests: by kind, fail closed, withdrawn exactly once.

use std::sync::Arc;

use acp_client::v1::{RequestPermissionOutcome, RequestPermissionRequest, StopReason};
use acp_client::{Client, Connect, Context, Handlers, PermissionAnswer, PermissionPolicy};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::common::{Wire, with_session};

/// Options of these kinds; each has its kind as id.
fn request(kinds: &[&str]) -> Value {
    let options: Vec<Value> =
        kinds.iter().map(|kind| json!({"optionId": kind, "name": kind, "kind": kind})).collect();
    // Some agents ask about a tool call that they have not announced.
    json!({"sessionId": "s1", "toolCall": {"toolCallId": "unseen", "title": "Write"}, "options": options})
}

async fn ask(wire: &mut Wire, params: Value) -> Value {
    let answer = wire.call(json!("p-1"), "session/request_permission", params).await;
    answer["result"]["outcome"].clone()
}

const ALL: &[&str] = &["allow_always", "reject_always", "allow_once", "reject_once"];

#[tokio::test]
async fn a_policy_answers_by_kind_and_never_gives_more_than_it_says() {
    let fixed = |choice: PermissionAnswer| PermissionPolicy::ask(move |_| std::future::ready(choice.clone()));
    let cases: Vec<(PermissionPolicy, &[&str], &str)> = vec![
        (PermissionPolicy::default(), ALL, "reject_once"),
        (PermissionPolicy::reject(), ALL, "reject_once"),
        (PermissionPolicy::reject(), &["allow_once", "reject_always"], "reject_always"),
        (PermissionPolicy::reject(), &["allow_once"], "cancelled"),
        (PermissionPolicy::reject(), &[], "cancelled"),
        (PermissionPolicy::allow_once(), ALL, "allow_once"),
        (PermissionPolicy::allow_once(), &["allow_always", "reject_once"], "cancelled"),
        (PermissionPolicy::allow_always(), ALL, "allow_always"),
        (PermissionPolicy::allow_always(), &["allow_once", "reject_once"], "allow_once"),
        (PermissionPolicy::allow_always(), &["reject_once", "strange_kind"], "cancelled"),
        (fixed(PermissionAnswer::RejectAlways), ALL, "reject_always"),
        (fixed(PermissionAnswer::Option("reject_once".into())), ALL, "reject_once"),
        (fixed(PermissionAnswer::Option("made up".into())), ALL, "cancelled"),
        (fixed(PermissionAnswer::Cancelled), ALL, "cancelled"),
    ];
    for (policy, offered, expected) in cases {
        let shown = format!("{policy:?} among {offered:?}");
        let (_session, mut wire) = with_session(|connect| connect.permissions(policy)).await;
        let outcome = ask(&mut wire, request(offered)).await;
        let expected = match expected {
            "cancelled" => json!({"outcome": "cancelled"}),
            option => json!({"outcome": "selected", "optionId": option}),
        };
        assert_eq!(outcome, expected, "{shown}");
    }
}

#[tokio::test]
async fn without_a_policy_everything_is_rejected() {
    let (_session, mut wire) = with_session(|connect| connect).await;
    assert_eq!(ask(&mut wire, request(ALL)).await["optionId"], "reject_once");
}

#[tokio::test]
async fn a_bad_option_fails_the_request_and_says_where() {
    let (_session, mut wire) = with_session(|connect| connect).await;
    let params = json!({"sessionId": "s1", "toolCall": {"toolCallId": "c"}, "options": [{"optionId": 5}]});
    let answer = wire.call(json!(7), "session/request_permission", params).await;
    assert_eq!(answer["error"]["code"], -32602);
    let message = answer["error"]["message"].as_str().expect("a sentence");
    assert!(message.contains("options[0].optionId"), "{message}");
}

/// A policy that asks the test. Each request arrives in the receiver and stays open.
fn never_answering() -> (impl FnOnce(Connect) -> Connect, mpsc::UnboundedReceiver<RequestPermissionRequest>) {
    let (tell, asked) = mpsc::unbounded_channel();
    let policy = PermissionPolicy::ask(move |request| {
        let _ = tell.send(request);
        std::future::pending()
    });
    (move |connect: Connect| connect.permissions(policy), asked)
}

#[tokio::test]
async fn cancelling_answers_every_open_request_once_and_late_ones_at_once() {
    let (set_up, mut asked) = never_answering();
    let (session, mut wire) = with_session(set_up).await;
    let turn = session.prompt("go").await.expect("sent");
    let prompt = wire.expect("session/prompt").await;
    for id in 0..3 {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": request(ALL)});
        wire.send(call).await;
        asked.recv().await.expect("the policy is asked");
    }
    turn.cancel().expect("connected");
    wire.expect("session/cancel").await;
    let mut answered = Vec::new();
    for _ in 0..3 {
        let answer = wire.receive().await;
        assert_eq!(answer["result"]["outcome"], json!({"outcome": "cancelled"}));
        answered.push(answer["id"].as_u64().expect("our ids"));
    }
    answered.sort_unstable();
    assert_eq!(answered, [0, 1, 2]);
    // The agent had not seen the cancel yet.
    assert_eq!(ask(&mut wire, request(ALL)).await, json!({"outcome": "cancelled"}));
    assert!(asked.try_recv().is_err(), "nobody is asked in a turn that is being cancelled");
    wire.answer(&prompt, json!({"stopReason": "cancelled"})).await;
    assert_eq!(turn.finish().await.expect("ends").stop_reason, StopReason::Cancelled);
    session.agent().close().await;
    assert!(wire.next().await.is_none(), "no request is answered twice");
}

#[tokio::test]
async fn the_turn_after_a_cancelled_one_asks_again() {
    let (session, mut wire) =
        with_session(|connect| connect.permissions(PermissionPolicy::allow_once())).await;
    let turn = session.prompt("go").await.expect("sent");
    let prompt = wire.expect("session/prompt").await;
    turn.cancel().expect("connected");
    wire.expect("session/cancel").await;
    wire.answer(&prompt, json!({"stopReason": "cancelled"})).await;
    turn.finish().await.expect("ends");
    assert_eq!(ask(&mut wire, request(ALL)).await["optionId"], "allow_once");
}

#[tokio::test]
async fn a_cancel_concerns_its_session_only() {
    let (set_up, mut asked) = never_answering();
    let (session, mut wire) = with_session(set_up).await;
    let mut of_another = request(ALL);
    of_another["sessionId"] = json!("s2");
    for (id, params) in [(1, of_another), (2, request(ALL))] {
        let call =
            json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": params});
        wire.send(call).await;
        asked.recv().await.expect("the policy is asked");
    }
    // No turn is running: agents may ask for their work in the background.
    session.cancel().expect("connected");
    wire.expect("session/cancel").await;
    assert_eq!(wire.receive().await["id"], 2);
    session.cancel().expect("connected");
    wire.expect("session/cancel").await;
}

#[tokio::test]
async fn dropping_the_turn_withdraws_its_requests() {
    let (set_up, mut asked) = never_answering();
    let (session, mut wire) = with_session(set_up).await;
    let turn = session.prompt("go").await.expect("sent");
    wire.expect("session/prompt").await;
    let call =
        json!({"jsonrpc": "2.0", "id": "x", "method": "session/request_permission", "params": request(ALL)});
    wire.send(call).await;
    asked.recv().await.expect("the policy is asked");
    drop(turn);
    wire.expect("session/cancel").await;
    assert_eq!(wire.receive().await["result"]["outcome"], json!({"outcome": "cancelled"}));
}

#[tokio::test]
async fn a_request_that_the_agent_takes_back_is_answered_with_an_error() {
    let (set_up, mut asked) = never_answering();
    let (_session, mut wire) = with_session(set_up).await;
    let call =
        json!({"jsonrpc": "2.0", "id": "x", "method": "session/request_permission", "params": request(ALL)});
    wire.send(call).await;
    asked.recv().await.expect("the policy is asked");
    wire.send(json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": "x"}})).await;
    let answer = wire.receive().await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("x"), &json!(-32800)));
}

struct Careless;

impl Client for Careless {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        handlers.permission(&self, |_, _, _: Context| async {
            RequestPermissionOutcome::selected("not offered")
        });
    }
}

#[tokio::test]
async fn an_option_that_was_not_offered_is_no_answer() {
    let (session, mut wire) = with_session(|connect| connect.client(Careless)).await;
    assert_eq!(ask(&mut wire, request(ALL)).await, json!({"outcome": "cancelled"}));
    let faults = session.agent().faults();
    assert!(faults.iter().any(|fault| fault.contains("was not offered")), "{faults:?}");
}

struct Mistaken;

#[acp_client::client]
impl Mistaken {
    async fn request_permission(
        &self,
        _request: RequestPermissionRequest,
    ) -> acp_client::Result<PermissionAnswer> {
        Ok(PermissionAnswer::Option("a typing error".into()))
    }
}

#[tokio::test]
async fn an_answer_by_the_name_of_an_option_that_was_not_offered_is_reported() {
    let (session, mut wire) = with_session(|connect| connect.client(Mistaken)).await;
    assert_eq!(ask(&mut wire, request(ALL)).await, json!({"outcome": "cancelled"}));
    let faults = session.agent().faults();
    assert!(faults.iter().any(|fault| fault.contains("was not offered")), "{faults:?}");
}
