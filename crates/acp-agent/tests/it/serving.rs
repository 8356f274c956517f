//! Runtimes, transports, several clients, and the end.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use acp_agent::{
    Agent, Error, NewSession, Opened, Options, Result, Router, Serve, Session, StopReason, Transport, Turn,
    agent,
};
use serde_json::{Value, json};
use testkit::{Message, ScriptedPeer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::oneshot;

use crate::support::Wire;

/// Counts its sessions, and the prompts of each.
#[derive(Default)]
struct Counter {
    sessions: AtomicUsize,
}

#[agent]
impl Counter {
    async fn new_session(&self, _open: NewSession) -> Result<Opened<AtomicUsize>> {
        self.sessions.fetch_add(1, Ordering::SeqCst);
        Ok(Opened::new(AtomicUsize::new(0)))
    }

    async fn prompt(&self, turn: Turn, prompts: Session<AtomicUsize>) -> Result<StopReason> {
        match &*turn.text() {
            "forever" => std::future::pending::<()>().await,
            "panic" => panic!("as asked"),
            _ => {}
        }
        let count = prompts.fetch_add(1, Ordering::SeqCst) + 1;
        turn.say(format!("{count} of {}", self.sessions.load(Ordering::SeqCst))).await?;
        Ok(StopReason::EndTurn)
    }
}

async fn script() -> Vec<String> {
    let (mut wire, session) = Wire::open(Counter::default(), json!({})).await;
    let mut said = Vec::new();
    for _ in 0..3 {
        let prompt = wire.prompt(&session, "hi").await;
        said.push(wire.said().await);
        said.push(wire.stopped(prompt).await);
    }
    let prompt = wire.prompt(&session, "forever").await;
    wire.cancel(&session).await;
    said.push(wire.stopped(prompt).await);
    assert_eq!(wire.close().await, Vec::<Value>::new());
    said
}

#[test]
fn both_kinds_of_runtime_will_do() {
    let mut builders =
        [tokio::runtime::Builder::new_current_thread(), tokio::runtime::Builder::new_multi_thread()];
    for builder in &mut builders {
        let said = builder.enable_time().build().unwrap().block_on(script());
        let expected = ["1 of 1", "end_turn", "2 of 1", "end_turn", "3 of 1", "end_turn", "cancelled"];
        assert_eq!(said, expected);
    }
}

#[tokio::test]
async fn several_clients_share_an_agent_but_no_sessions() {
    let agent = Arc::new(Counter::default());
    let mut wires = Vec::new();
    for _ in 0..3 {
        let mut wire = Wire::serve_through(Arc::clone(&agent), 1024 * 1024);
        wire.initialize(json!({})).await;
        let session = wire.new_session().await;
        wires.push((wire, session));
    }
    for (wire, session) in &mut wires {
        let prompt = wire.prompt(session, "hi").await;
        assert_eq!(wire.said().await, "1 of 3");
        wire.stopped(prompt).await;
    }
    let foreign = wires[0].1.clone();
    let params = json!({"sessionId": foreign, "prompt": [{"type": "text", "text": "hi"}]});
    wires[1].0.refused("session/prompt", params, -32002, &[]).await;
    // A cancel on one connection does not reach the other. The end of one connection does not end
    // the other.
    let running = wires[0].0.prompt(&foreign, "forever").await;
    wires[1].0.cancel(&foreign).await;
    assert_eq!(wires.remove(1).0.close().await, Vec::<Value>::new());
    wires[0].0.refused("_none", json!({}), -32601, &[]).await;
    wires[0].0.cancel(&foreign).await;
    assert_eq!(wires[0].0.stopped(running).await, "cancelled");
}

/// Serves, says these lines and returns what the agent said and how serving ended.
async fn say<A: Agent>(serve: Serve<A>, lines: &[Value]) -> (Vec<Value>, Result<()>) {
    let (transport, mut client) = ScriptedPeer::pair();
    for line in lines {
        client.send(line).await.unwrap();
    }
    let served = tokio::spawn(serve.over(transport));
    let said = client.rest().await.unwrap();
    (said.into_iter().map(Message::into_json).collect(), served.await.unwrap())
}

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn hello() -> Value {
    request(1, "initialize", &json!({"protocolVersion": 1}))
}

/// Opens the session `s`. Its turns last until they are cancelled.
#[derive(Default)]
struct Stuck {
    prompted: Mutex<Option<oneshot::Sender<()>>>,
}

impl Stuck {
    async fn new_session(&self) -> Result<Opened<()>> {
        Ok(Opened::new(()).session_id("s"))
    }

    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let _ = self.prompted.lock().unwrap().take().unwrap().send(());
        turn.cancelled().await;
        turn.uncancelled().say("last words").await?;
        Err(Error::Cancelled)
    }
}

#[tokio::test]
async fn who_stops_serving_still_answers_what_runs() {
    let (prompted, stop) = oneshot::channel();
    let state = Stuck { prompted: Mutex::new(Some(prompted)) };
    let agent = Router::with_sessions("stuck", "1", state, Stuck::new_session)
        .on::<acp_agent::op::Prompt, _>(Stuck::prompt);
    let (transport, mut client) = ScriptedPeer::pair();
    let serve = Serve::new(agent).until(async { stop.await.unwrap() });
    let served = tokio::spawn(serve.over(transport));
    client.call("initialize", json!({"protocolVersion": 1})).await.unwrap();
    client.call("session/new", json!({"cwd": "/", "mcpServers": []})).await.unwrap();
    let prompt = json!({"sessionId": "s", "prompt": [{"type": "text", "text": "hi"}]});
    let id = client.request("session/prompt", prompt).await.unwrap();
    let rest = client.rest().await.unwrap();
    assert_eq!(rest[0]["params"]["update"]["content"]["text"], "last words", "{rest:?}");
    assert_eq!((rest[1].id(), &rest[1]["result"]["stopReason"]), (Some(&id), &json!("cancelled")));
    assert_eq!(rest.len(), 2);
    served.await.unwrap().unwrap();
}

/// Says these lines to an agent until its hook was told of `count` faults. Returns the agent's
/// messages and the faults.
async fn faults_of<A: Agent>(agent: A, lines: &[Value], count: usize) -> (Vec<Value>, Vec<String>) {
    let faults = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&faults);
    let (stop, stopped) = oneshot::channel::<()>();
    let stop = Mutex::new(Some(stop));
    let serve = Serve::new(agent)
        .on_fault(move |fault| {
            let mut log = log.lock().unwrap();
            log.push(fault.to_string());
            if log.len() == count {
                drop(stop.lock().unwrap().take());
            }
        })
        .until(async {
            let _ = stopped.await;
        });
    let (said, served) = say(serve, lines).await;
    served.unwrap();
    let faults = faults.lock().unwrap().clone();
    (said, faults)
}

#[tokio::test]
async fn faults_reach_the_hook() {
    let lines = [json!(42), json!({"jsonrpc": "2.0", "id": 99, "result": {}}), json!([])];
    let (said, faults) = faults_of(Counter::default(), &lines, 3).await;
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(faults[1].contains("99"), "{faults:?}");
}

/// Has a handler for a notification of its own.
struct Listener;

#[agent]
impl Listener {
    async fn prompt(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[ext("_test/count")]
    async fn count(&self, _count: u32) {}
}

/// A notification has no answer in which the error could be.
#[tokio::test]
async fn notifications_that_have_no_effect_are_told_to_the_hook() {
    let notification =
        |method: &str, params: Value| json!({"jsonrpc": "2.0", "method": method, "params": params});
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}),
        notification("session/cancel", json!({"session": "secret"})),
        notification("session/cancel", json!({"sessionId": "of nobody"})),
        notification("_test/unknown", json!("secret")),
        notification("_test/count", json!(1)),
        notification("_test/count", json!("secret")),
    ];
    let (said, faults) = faults_of(Listener, &lines, 2).await;
    assert_eq!(said.len(), 1, "{said:?}");
    let expected = [
        "ignored `session/cancel`: `sessionId`: required, but missing",
        "ignored `_test/count`: the params do not fit this method: expected u32, found a string",
    ];
    assert_eq!(faults, expected);
}

/// A transport that reads its input, and fails to write.
struct Broken {
    input: io::Cursor<Vec<u8>>,
    kind: io::ErrorKind,
}

impl AsyncRead for Broken {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let polled = Pin::new(&mut self.input).poll_read(cx, into);
        // After its input it is silent, and not closed.
        if into.filled().len() == before { Poll::Pending } else { polled }
    }
}

impl AsyncWrite for Broken {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Err(self.kind.into()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_is_gone_is_no_failure_and_a_broken_pipe_of_another_kind_is_one() {
    for (kind, fails) in [
        (io::ErrorKind::BrokenPipe, false),
        (io::ErrorKind::ConnectionReset, false),
        (io::ErrorKind::StorageFull, true),
    ] {
        let input = io::Cursor::new(format!("{}\n", hello()).into_bytes());
        let transport = Transport::from_stream(Broken { input, kind });
        let served = acp_agent::serve_with(Arc::new(Counter::default()), transport, Options::default()).await;
        assert_eq!(served.is_err(), fails, "{kind}");
    }
}
