//! Work of the client for an agent: while there is some, the agent's silence means nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use acp_client::types::{
    CreateTerminalResponse, RequestPermissionOutcome, RequestPermissionResponse, TerminalOutputResponse,
    WaitForTerminalExitResponse,
};
use acp_client::{Error, Limit, Result, Router, Session, Turn, TurnLimits, op};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use crate::common::{Wire, with_session};
use crate::limits::{SILENCE, cancelled, end, prompted};

/// Moves the paused clock while the turn is read, and returns the time that the agent is idle.
async fn idle_after(turn: &mut Turn, time: Duration) -> Duration {
    assert!(tokio::time::timeout(time, turn.next()).await.is_err(), "no event, and no end");
    turn.idle_for()
}

/// A client that answers a question when the test says so, and whose terminals run nothing.
struct Desk {
    asked: mpsc::UnboundedSender<()>,
    answer: Arc<Notify>,
    /// The number of terminals so far.
    terminals: AtomicUsize,
}

impl Desk {
    async fn ask(&self) -> Result<RequestPermissionResponse> {
        self.asked.send(()).unwrap();
        self.answer.notified().await;
        Ok(RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled))
    }

    async fn create(&self) -> Result<CreateTerminalResponse> {
        let before = self.terminals.fetch_add(1, Ordering::SeqCst);
        Ok(CreateTerminalResponse::new(format!("t{before}")))
    }

    async fn output(&self) -> Result<TerminalOutputResponse> {
        Ok(TerminalOutputResponse::new("", false))
    }

    /// The first command ends when the test says so, and all others at once.
    async fn wait(&self) -> Result<WaitForTerminalExitResponse> {
        if self.terminals.load(Ordering::SeqCst) == 1 {
            self.answer.notified().await;
        }
        Ok(WaitForTerminalExitResponse::new())
    }

    /// The release of the terminal after a hundred fails.
    async fn release(&self) -> Result<()> {
        match self.terminals.load(Ordering::SeqCst) {
            101 => Err("it is gone".into()),
            _ => Ok(()),
        }
    }

    async fn kill(&self) -> Result<()> {
        Ok(())
    }
}

/// A session of a desk with a limit of silence, and what tells and answers its questions. The desk
/// has had this many terminals.
async fn with_desk(terminals: usize) -> (Session, Wire, mpsc::UnboundedReceiver<()>, Arc<Notify>) {
    let (asked, questions) = mpsc::unbounded_channel();
    let answer = Arc::new(Notify::new());
    let client =
        Router::new(Desk { asked, answer: Arc::clone(&answer), terminals: AtomicUsize::new(terminals) })
            .on::<op::RequestPermission, _>(Desk::ask)
            .on::<op::CreateTerminal, _>(Desk::create)
            .on::<op::TerminalOutput, _>(Desk::output)
            .on::<op::WaitForTerminalExit, _>(Desk::wait)
            .on::<op::KillTerminal, _>(Desk::kill)
            .on::<op::ReleaseTerminal, _>(Desk::release);
    let limits = TurnLimits::new().silence(SILENCE);
    let (session, wire) = with_session(|connect| connect.turn_limits(limits).client(client)).await;
    (session, wire, questions, answer)
}

async fn request(wire: &mut Wire, id: u64, method: &str, params: Value) {
    wire.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
}

/// Reads the turn, which has no events, until the client has answered.
async fn answered(turn: &mut Turn, wire: &mut Wire, id: u64) {
    tokio::select! {
        biased;
        answer = wire.receive() => assert_eq!(answer["id"], id, "{answer}"),
        _ = turn.next() => panic!("an event"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_open_question_is_not_silence() {
    let (session, mut wire, mut questions, answer) = with_desk(1).await;
    let (mut turn, prompt) = prompted(&session, &mut wire).await;
    let options = json!([{"optionId": "y", "name": "Yes", "kind": "allow_once"}]);
    let ask = json!({"sessionId": "s1", "toolCall": {"toolCallId": "t"}, "options": options});
    request(&mut wire, 1, "session/request_permission", ask).await;
    tokio::select! {
        _ = turn.next() => panic!("an event"),
        question = questions.recv() => question.unwrap(),
    }
    assert_eq!(idle_after(&mut turn, 10 * SILENCE).await, Duration::ZERO);
    // From the answer on the time runs again.
    answer.notify_one();
    answered(&mut turn, &mut wire, 1).await;
    let idle = idle_after(&mut turn, SILENCE / 2).await;
    assert!(idle <= SILENCE / 2 && idle > SILENCE / 3, "{idle:?}");
    cancelled(&mut turn, &mut wire).await;
    let error = end(turn, &mut wire, &prompt, "cancelled").await.unwrap_err();
    assert!(matches!(error, Error::LimitReached { limit: Limit::Silence(_), .. }), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_command_that_runs_is_not_silence() {
    for ending in ["terminal/wait_for_exit", "terminal/release"] {
        let (session, mut wire, _questions, _answer) = with_desk(1).await;
        let (mut turn, prompt) = prompted(&session, &mut wire).await;
        // More than one, and each with its whole life.
        for round in 1..=3 {
            let id = 10 * round;
            let terminal = json!({"sessionId": "s1", "terminalId": format!("t{round}")});
            request(&mut wire, id, "terminal/create", json!({"sessionId": "s1", "command": "make"})).await;
            answered(&mut turn, &mut wire, id).await;
            assert_eq!(idle_after(&mut turn, 10 * SILENCE).await, Duration::ZERO, "{ending} {round}");
            request(&mut wire, id + 1, ending, terminal.clone()).await;
            answered(&mut turn, &mut wire, id + 1).await;
            let idle = idle_after(&mut turn, SILENCE / 2).await;
            assert!(idle <= SILENCE / 2 && idle > SILENCE / 3, "{ending}: {idle:?}");
            if ending == "terminal/wait_for_exit" {
                request(&mut wire, id + 2, "terminal/release", terminal.clone()).await;
                answered(&mut turn, &mut wire, id + 2).await;
            }
        }
        cancelled(&mut turn, &mut wire).await;
        end(turn, &mut wire, &prompt, "cancelled").await.unwrap_err();
    }
}

/// Whatever the answer is, the agent has done with the terminal.
#[tokio::test(start_paused = true)]
async fn a_terminal_whose_release_fails_is_released() {
    let (session, mut wire, _questions, _answer) = with_desk(100).await;
    let (mut turn, prompt) = prompted(&session, &mut wire).await;
    request(&mut wire, 1, "terminal/create", json!({"sessionId": "s1", "command": "make"})).await;
    answered(&mut turn, &mut wire, 1).await;
    assert_eq!(idle_after(&mut turn, SILENCE).await, Duration::ZERO);
    request(&mut wire, 2, "terminal/release", json!({"sessionId": "s1", "terminalId": "t100"})).await;
    answered(&mut turn, &mut wire, 2).await;
    let idle = idle_after(&mut turn, SILENCE / 2).await;
    assert!(idle <= SILENCE / 2 && idle > SILENCE / 3, "{idle:?}");
    cancelled(&mut turn, &mut wire).await;
    end(turn, &mut wire, &prompt, "cancelled").await.unwrap_err();
}

/// The agent need not wait and release in order.
#[tokio::test(start_paused = true)]
async fn a_terminal_that_is_released_before_its_command_ends_is_not_counted_later() {
    let (session, mut wire, _questions, answer) = with_desk(0).await;
    let (mut turn, prompt) = prompted(&session, &mut wire).await;
    let terminal = json!({"sessionId": "s1", "terminalId": "t0"});
    let create = json!({"sessionId": "s1", "command": "make"});
    request(&mut wire, 1, "terminal/create", create.clone()).await;
    answered(&mut turn, &mut wire, 1).await;
    request(&mut wire, 2, "terminal/wait_for_exit", terminal.clone()).await;
    request(&mut wire, 3, "terminal/release", terminal).await;
    answered(&mut turn, &mut wire, 3).await;
    answer.notify_one();
    answered(&mut turn, &mut wire, 2).await;
    let idle = idle_after(&mut turn, SILENCE / 2).await;
    assert!(idle <= SILENCE / 2 && idle > SILENCE / 3, "{idle:?}");
    // The next command runs for a long time.
    request(&mut wire, 4, "terminal/create", create).await;
    answered(&mut turn, &mut wire, 4).await;
    assert_eq!(idle_after(&mut turn, 10 * SILENCE).await, Duration::ZERO);
    request(&mut wire, 5, "terminal/release", json!({"sessionId": "s1", "terminalId": "t1"})).await;
    answered(&mut turn, &mut wire, 5).await;
    cancelled(&mut turn, &mut wire).await;
    end(turn, &mut wire, &prompt, "cancelled").await.unwrap_err();
}
