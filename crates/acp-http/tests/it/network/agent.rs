//! The agent of a scripted session, and its ledger of everything that it was told.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_agent::store::MemoryStore;
use acp_agent::{StopReason, ToolCall, Turn, agent};
use acp_http::server::{Listening, Options, Server};
use tokio::sync::watch;

/// The agents of a server, and their work.
#[derive(Clone)]
pub(super) struct Agents {
    sessions: MemoryStore,
    begun: Arc<Mutex<HashMap<String, usize>>>,
    /// The number of agents that run.
    running: Arc<watch::Sender<usize>>,
}

/// Obeys a prompt: a word, the number of pieces to say, and a name of this prompt.
///
/// `count` says them, `ask` asks for permission among them, and `wait` waits to be cancelled.
struct Worker(Agents);

#[agent(store = self.0.sessions.clone())]
impl Worker {
    async fn prompt(&self, turn: Turn) -> acp_agent::Result<StopReason> {
        let text = turn.text();
        let [word, count, name] = words(&text);
        *self.0.begun.lock().unwrap().entry(name.to_owned()).or_default() += 1;
        let count = count.parse().unwrap();
        for number in 0..count {
            turn.say(piece(name, number)).await?;
            if number % 3 == 0 {
                // A part of a turn, so that faults come between its updates.
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            if number == 1 && word == "ask" && !turn.ask(&ToolCall::execute(name)).await?.is_allowed() {
                return Ok(StopReason::Refusal);
            }
            if number == 1 && word == "wait" {
                turn.cancelled().await;
                return Ok(StopReason::Cancelled);
            }
        }
        Ok(StopReason::EndTurn)
    }
}

fn words(text: &str) -> [&str; 3] {
    let words: Vec<&str> = text.split(' ').collect();
    words.try_into().unwrap()
}

/// Returns a piece of what a prompt is answered with.
pub(super) fn piece(name: &str, number: usize) -> String {
    format!("{name}:{number}{} ", ".".repeat(number * 37 % 150))
}

impl Agents {
    pub(super) fn new() -> Self {
        let sessions = MemoryStore::new(usize::MAX);
        Self { sessions, begun: Arc::default(), running: Arc::new(watch::channel(0).0) }
    }

    pub(super) async fn listen(&self, options: Options) -> (Server, Listening) {
        let agents = self.clone();
        let server = Server::new(options, move |transport, _| {
            let agents = agents.clone();
            async move {
                agents.running.send_modify(|running| *running += 1);
                let running = Running(Arc::clone(&agents.running));
                let _ = acp_agent::serve(Worker(agents), transport).await;
                drop(running);
            }
        });
        let listening = server.listen("127.0.0.1:0").await.unwrap();
        (server, listening)
    }

    /// Returns how often a prompt was begun.
    pub(super) fn begun(&self, name: &str) -> usize {
        self.begun.lock().unwrap().get(name).copied().unwrap_or_default()
    }

    /// Waits until no agent runs.
    pub(super) async fn ended(&self) {
        self.running.subscribe().wait_for(|running| *running == 0).await.unwrap();
    }
}

/// Counts an agent that runs. Its drop takes it away, also when the agent is aborted.
struct Running(Arc<watch::Sender<usize>>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.send_modify(|running| *running -= 1);
    }
}
