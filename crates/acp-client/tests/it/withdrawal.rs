//! Permission requests that are withdrawn. Whatever the order of events, each is answered exactly
//! once.

use std::collections::HashMap;
use std::sync::Arc;

use acp_client::{Connect, PermissionAnswer, PermissionPolicy, Session};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};

use crate::common::{Wire, connected, open};

/// An event that ends the wait of a permission request before its answer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    CancelTurn,
    CancelSession,
    DropTurn,
    CloseSession,
    DeleteSession,
    CloseConnection,
    DropEverything,
}

const ENDS: [End; 7] = [
    End::CancelTurn,
    End::CancelSession,
    End::DropTurn,
    End::CloseSession,
    End::DeleteSession,
    End::CloseConnection,
    End::DropEverything,
];

fn call(id: u64) -> Value {
    let option = json!({"optionId": "yes", "name": "Yes", "kind": "allow_once"});
    let params = json!({"sessionId": "s1", "toolCall": {"toolCallId": "c"}, "options": [option]});
    json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": params})
}

fn is_cancelled(answer: &Value) -> bool {
    answer["result"]["outcome"] == json!({"outcome": "cancelled"})
}

fn is_consent(answer: &Value) -> bool {
    answer["result"]["outcome"] == json!({"outcome": "selected", "optionId": "yes"})
}

/// Returns a policy that agrees when the test lets it, with a connection and a session.
async fn asking() -> (Session, Wire, mpsc::UnboundedReceiver<()>, Arc<Semaphore>) {
    let (tell, asked) = mpsc::unbounded_channel();
    let consent = Arc::new(Semaphore::new(0));
    let gate = Arc::clone(&consent);
    let policy = PermissionPolicy::ask(move |_| {
        let _ = tell.send(());
        let gate = Arc::clone(&gate);
        async move {
            gate.acquire().await.expect("open").forget();
            PermissionAnswer::AllowOnce
        }
    });
    let offers = json!({"sessionCapabilities": {"close": {}, "delete": {}}});
    let (agent, mut wire) = connected(|connect: Connect| connect.permissions(policy), offers).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    (session, wire, asked, consent)
}

/// Starts a turn, lets `with` make its calls and ends it this way. Returns every later message to
/// the agent, until the connection ends or the call `last` is answered.
async fn ended(end: End, session: Session, turn: acp_client::Turn, wire: &mut Wire) -> Vec<Value> {
    let agent = session.agent().clone();
    let ending = tokio::spawn(async move {
        match end {
            End::CancelTurn => {
                turn.cancel().expect("connected");
                // Kept, so that it is not dropped as well.
                let _ = turn.finish().await;
            }
            End::CancelSession => {
                session.cancel().expect("connected");
                let _ = turn.finish().await;
            }
            End::DropTurn => drop(turn),
            End::CloseSession => {
                let _ = session.close().await;
                let _ = turn.finish().await;
            }
            End::DeleteSession => {
                let _ = session.agent().delete_session("s1").await;
                let _ = turn.finish().await;
            }
            End::CloseConnection => {
                session.agent().close().await;
            }
            End::DropEverything => {}
        }
    });
    let mut heard = Vec::new();
    if end == End::DropEverything {
        drop(agent);
    }
    while let Some(message) = wire.next().await {
        let method = message["method"].as_str().unwrap_or_default();
        if matches!(method, "session/close" | "session/delete") {
            wire.answer(&message, json!({})).await;
        }
        heard.push(message);
        let answers = heard.iter().filter(|message| message.get("method").is_none()).count();
        if answers == 3 && !matches!(end, End::CloseConnection | End::DropEverything) {
            break;
        }
    }
    ending.abort();
    heard
}

#[tokio::test]
async fn whatever_ends_the_turn_every_open_request_is_answered_cancelled_once() {
    for end in ENDS {
        let (session, mut wire, mut asked, _consent) = asking().await;
        let (turn, _prompt) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
        for id in 0..3 {
            wire.send(call(id)).await;
            asked.recv().await.expect("the policy is asked");
        }
        let heard = ended(end, session, turn.expect("sent"), &mut wire).await;
        let answers: Vec<&Value> = heard.iter().filter(|message| message.get("method").is_none()).collect();
        assert!(answers.iter().all(|answer| is_cancelled(answer)), "{end:?}: {answers:?}");
        let mut ids: Vec<u64> = answers.iter().map(|answer| answer["id"].as_u64().expect("ours")).collect();
        ids.sort_unstable();
        assert_eq!(ids, [0, 1, 2], "{end:?}");
    }
}

#[tokio::test]
async fn consent_that_was_given_before_stands() {
    let (session, mut wire, mut asked, consent) = asking().await;
    let (turn, prompt) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
    wire.send(call(1)).await;
    asked.recv().await.expect("the policy is asked");
    consent.add_permits(1);
    assert!(is_consent(&wire.receive().await));
    let turn = turn.expect("sent");
    turn.cancel().expect("connected");
    wire.expect("session/cancel").await;
    wire.answer(&prompt, json!({"stopReason": "cancelled"})).await;
    turn.finish().await.expect("ends");
    session.agent().close().await;
    assert!(wire.next().await.is_none(), "it is not answered again");
}

#[tokio::test]
async fn the_agent_takes_back_what_a_cancel_has_answered() {
    let (session, mut wire, mut asked, consent) = asking().await;
    let (turn, _prompt) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
    wire.send(call(1)).await;
    asked.recv().await.expect("the policy is asked");
    // All three come at once, before any task can react.
    turn.as_ref().expect("sent").cancel().expect("connected");
    consent.add_permits(1);
    wire.send(json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}})).await;
    wire.expect("session/cancel").await;
    assert!(is_cancelled(&wire.receive().await), "rule v1-creq-09");
    session.agent().close().await;
    assert!(wire.next().await.is_none(), "it is not answered again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_answer_that_meets_a_cancel_is_one_or_the_other() {
    const ROUNDS: u64 = 300;
    const CALLS: u64 = 4;
    let (session, mut wire, mut asked, consent) = asking().await;
    for round in 0..ROUNDS {
        let (turn, prompt) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
        let turn = turn.expect("sent");
        let ids = round * CALLS..(round + 1) * CALLS;
        for id in ids.clone() {
            wire.send(call(id)).await;
        }
        // Some rounds cancel while the requests are still on their way.
        if round % 2 == 0 {
            for _ in 0..CALLS {
                asked.recv().await.expect("the policy is asked");
            }
        }
        let gate = Arc::clone(&consent);
        let consenting = tokio::spawn(async move { gate.add_permits(2) });
        let cancelling = tokio::spawn(async move {
            turn.cancel().expect("connected");
            turn
        });
        let mut answers: HashMap<u64, Value> = HashMap::new();
        while answers.len() < usize::try_from(CALLS).expect("few") {
            let message = wire.receive().await;
            if message["method"] == "session/cancel" {
                continue;
            }
            let id = message["id"].as_u64().expect("ours");
            assert!(ids.contains(&id), "an answer of another round: {message}");
            assert!(is_cancelled(&message) || is_consent(&message), "{message}");
            assert!(answers.insert(id, message).is_none(), "answered twice");
        }
        let turn = cancelling.await.expect("cancels");
        consenting.await.expect("consents");
        wire.answer(&prompt, json!({"stopReason": "cancelled"})).await;
        turn.finish().await.expect("ends");
        // Unused permits are taken back for the next round.
        while let Ok(permit) = consent.try_acquire() {
            permit.forget();
        }
        while asked.try_recv().is_ok() {}
    }
}

/// An event that can end a permission request.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    /// The user consents.
    Answer,
    /// The client cancels the turn.
    Cancel,
    /// The client closes the session.
    Close,
    /// The agent withdraws the request.
    TakeBack,
}

/// Returns every order of the four.
fn orders() -> Vec<[Event; 4]> {
    const EVENTS: [Event; 4] = [Event::Answer, Event::Cancel, Event::Close, Event::TakeBack];
    let mut orders = Vec::new();
    for first in EVENTS {
        for second in EVENTS {
            for third in EVENTS {
                for fourth in EVENTS {
                    let order = [first, second, third, fourth];
                    if EVENTS.iter().all(|event| order.contains(event)) {
                        orders.push(order);
                    }
                }
            }
        }
    }
    assert_eq!(orders.len(), 24);
    orders
}

fn is_taken_back(answer: &Value) -> bool {
    answer["error"]["code"] == -32800
}

/// A connection with an open permission request, and the means for each event.
struct Open {
    session: Session,
    wire: Wire,
    turn: acp_client::Turn,
    prompt: Value,
    consent: Arc<Semaphore>,
    /// The answers to the request, as they come.
    answers: Vec<Value>,
}

impl Open {
    async fn new() -> Self {
        let (session, mut wire, mut asked, consent) = asking().await;
        let (turn, prompt) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
        wire.send(call(7)).await;
        asked.recv().await.expect("the policy is asked");
        Self { session, wire, turn: turn.expect("sent"), prompt, consent, answers: Vec::new() }
    }

    /// Receives the client's messages up to one that `is` accepts. Answers to the request are
    /// noted.
    async fn until(&mut self, is: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.wire.receive().await;
            if message["id"] == 7 && message.get("method").is_none() {
                self.answers.push(message.clone());
            }
            if is(&message) {
                return message;
            }
        }
    }

    /// Waits until the client has dealt with everything that it has received and started so far:
    /// the answer to a later request comes after it.
    async fn settle(&mut self) {
        self.wire.send(json!({"jsonrpc": "2.0", "id": "settled", "method": "_none"})).await;
        self.until(|message| message["id"] == "settled").await;
    }

    async fn take_back(&mut self) {
        let cancel = json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 7}});
        self.wire.send(cancel).await;
    }

    /// Ends the connection, and returns all answers to the request.
    async fn finish(mut self) -> Vec<Value> {
        let prompt = self.prompt.clone();
        self.wire.answer(&prompt, json!({"stopReason": "cancelled"})).await;
        let _ = self.turn.finish().await;
        self.session.agent().close().await;
        while let Some(message) = self.wire.next().await {
            if message["id"] == 7 && message.get("method").is_none() {
                self.answers.push(message);
            }
        }
        self.answers
    }
}

#[tokio::test]
async fn what_comes_first_answers_and_what_comes_after_it_does_not() {
    for order in orders() {
        let mut open = Open::new().await;
        for (place, event) in order.into_iter().enumerate() {
            match event {
                Event::Answer => open.consent.add_permits(1),
                Event::Cancel => open.turn.cancel().expect("connected"),
                Event::Close => {
                    let session = open.session.clone();
                    let closing = tokio::spawn(async move { session.close().await });
                    let request = open.until(|message| message["method"] == "session/close").await;
                    open.wire.answer(&request, json!({})).await;
                    closing.await.expect("no panic").expect("closed");
                }
                Event::TakeBack => open.take_back().await,
            }
            if place == 0 && open.answers.is_empty() {
                open.until(|message| message["id"] == 7 && message.get("method").is_none()).await;
            }
            open.settle().await;
        }
        let answers = open.finish().await;
        assert_eq!(answers.len(), 1, "{order:?}: {answers:?}");
        let is_right = match order[0] {
            Event::Answer => is_consent(&answers[0]),
            Event::Cancel | Event::Close => is_cancelled(&answers[0]),
            Event::TakeBack => is_taken_back(&answers[0]),
        };
        assert!(is_right, "{order:?}: {answers:?}");
    }
}

/// All events happen before anybody here can react, and the strictest wins. A client that has
/// cancelled or closed does not consent any more (rule v1-cancel-03), even if the agent withdraws
/// the request (rule v1-creq-09).
#[tokio::test]
async fn of_what_comes_at_once_the_cancel_answers() {
    for order in orders() {
        let mut open = Open::new().await;
        let mut closing = None;
        for event in order {
            match event {
                Event::Answer => open.consent.add_permits(1),
                Event::Cancel => open.turn.cancel().expect("connected"),
                Event::Close => {
                    let session = open.session.clone();
                    closing = Some(tokio::spawn(async move { session.close().await }));
                }
                // The pipe has room, so this does not let others run.
                Event::TakeBack => open.take_back().await,
            }
        }
        let request = open.until(|message| message["method"] == "session/close").await;
        open.wire.answer(&request, json!({})).await;
        closing.expect("one of them").await.expect("no panic").expect("closed");
        let answers = open.finish().await;
        assert_eq!(answers.len(), 1, "{order:?}: {answers:?}");
        assert!(is_cancelled(&answers[0]), "{order:?}: {answers:?}");
    }
}
