//! Agents that are killed in the middle of a turn.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use acp_agent::store::{DamageKind, Entry, Journal, SessionStore as _};
use acp_agent::types::{SessionId, SessionUpdate};
use acp_agent::{ContentBlock, Result, Router, StopReason, Turn, op};
use serde_json::{Value, json};

use super::{read, watched};

const FOLDER: &str = "ACP_JOURNAL_TEST_AGENT";
const KILLS: u64 = 24;
/// The number of updates of an answered turn.
const ANSWERED: usize = 5;

/// Returns the text of an update: its number and some bytes. Now and then there are so many bytes
/// that writing them takes a while.
fn text(number: usize) -> String {
    let filler = if number % 11 == 7 { 700_000 } else { number * 53 % 700 };
    format!("{number} {}", "x".repeat(filler))
}

/// Says as many numbers as the prompt asks for. Without a number its turn does not end.
async fn count(_: &(), turn: Turn) -> Result<StopReason> {
    let end = turn.text().parse().unwrap_or(usize::MAX);
    for number in 0..end {
        turn.say(text(number)).await?;
    }
    Ok(StopReason::EndTurn)
}

/// Runs in the child processes: serves the agent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agent() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let agent = Router::new("count", "1", ()).on::<op::Prompt, _>(count).store(Journal::at(folder));
    acp_agent::serve_stdio(agent).await.unwrap();
}

/// An agent in a process of its own.
pub(super) struct Client {
    pub(super) child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Client {
    pub(super) fn start(folder: &Path) -> Self {
        Self::start_as(Command::new(std::env::current_exe().unwrap()), folder)
    }

    /// Starts the agent in a shell that has run `script`.
    #[cfg(unix)]
    pub(super) fn start_after(script: &str, folder: &Path) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{script}; exec \"$0\" \"$@\"")]).arg(std::env::current_exe().unwrap());
        Self::start_as(shell, folder)
    }

    fn start_as(mut command: Command, folder: &Path) -> Self {
        let mut child = command
            .args(["--exact", "journal::turn::agent", "--nocapture"])
            .env(FOLDER, folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut client = Client { child, stdin, lines };
        client.call(0, "initialize", &json!({"protocolVersion": 1}));
        client
    }

    fn send(&mut self, id: u64, method: &str, params: &Value) {
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.stdin, "{line}").unwrap();
    }

    /// Returns the next message, and skips the lines of the test harness.
    pub(super) fn recv(&mut self) -> Value {
        let line = self.lines.by_ref().map(std::io::Result::unwrap).find(|line| line.starts_with('{'));
        serde_json::from_str(&line.unwrap()).unwrap()
    }

    /// Counts the whole messages in the pipe of an agent that has ended.
    fn rest(&mut self) -> usize {
        let lines = self.lines.by_ref().map(std::io::Result::unwrap);
        lines.filter(|line| line.starts_with('{') && line.ends_with('}')).count()
    }

    /// Sends a request and waits for its result, past the updates before it.
    pub(super) fn call(&mut self, id: u64, method: &str, params: &Value) -> Value {
        self.send(id, method, params);
        let (_, mut answer) = self.answer(id);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].take()
    }

    pub(super) fn new_session(&mut self) -> String {
        let answer = self.call(1, "session/new", &json!({"cwd": "/work", "mcpServers": []}));
        answer["sessionId"].as_str().unwrap().to_owned()
    }

    pub(super) fn prompt(&mut self, id: u64, session: &str, text: &str) {
        let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]});
        self.send(id, "session/prompt", &prompt);
    }

    /// Sends a request that names a session. Returns the number of updates before the answer, and
    /// the answer.
    pub(super) fn ask(&mut self, method: &str, session: &str) -> (usize, Value) {
        self.send(5, method, &json!({"sessionId": session, "cwd": "/work", "mcpServers": []}));
        self.answer(5)
    }

    /// Sends a prompt. Returns the number of updates before the answer, and the answer.
    pub(super) fn turn(&mut self, session: &str, text: &str) -> (usize, Value) {
        self.prompt(6, session, text);
        self.answer(6)
    }

    fn answer(&mut self, id: u64) -> (usize, Value) {
        let mut updates = 0;
        loop {
            let message = self.recv();
            if message["id"] == id {
                return (updates, message);
            }
            updates += 1;
        }
    }

    /// Closes the agent's input, and waits for its end.
    pub(super) fn close(mut self) {
        drop(self.stdin);
        for line in self.lines.by_ref() {
            line.unwrap();
        }
        assert!(self.child.wait().unwrap().success());
    }
}

/// Returns the entries that a turn leaves in the journal.
pub(super) fn turn(prompt: &str, updates: usize) -> Vec<Entry> {
    let said = |number| {
        let update = acp_agent::types::ContentChunk::text(text(number));
        Entry::Update(Box::new(SessionUpdate::AgentMessageChunk(update)))
    };
    let mut entries = vec![Entry::Prompt(vec![ContentBlock::text(prompt)])];
    entries.extend((0..updates).map(said));
    entries
}

/// The journal keeps every turn that was answered, and a beginning of the turn that ran. This
/// beginning has all updates that have left the agent, even if the client has not read them. At
/// most the record that was being written is torn. No record in the middle is missing.
#[tokio::test]
async fn a_kill_in_a_turn_leaves_all_that_the_client_was_told() {
    let folder = tempfile::tempdir().unwrap();
    let (journal, damage) = watched(folder.path());
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let (mut session, mut before) = (String::new(), Vec::new());
    for kill in 0..KILLS {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let mut client = Client::start(folder.path());
        let setup = json!({"cwd": "/work", "mcpServers": []});
        if kill % 4 == 0 {
            session = client.call(1, "session/new", &setup)["sessionId"].as_str().unwrap().to_owned();
            before.clear();
        } else {
            let params = json!({"sessionId": session, "cwd": "/work"});
            client.call(1, "session/resume", &params);
        }
        client.prompt(2, &session, &ANSWERED.to_string());
        while client.recv()["id"] != 2 {}
        client.prompt(3, &session, "on and on");
        let heard = 1 + usize::try_from(random % 40).unwrap();
        for _ in 0..heard {
            client.recv();
        }
        client.child.kill().unwrap();
        client.child.wait().unwrap();
        let told = heard + client.rest();

        let id = SessionId::from(session.as_str());
        let records = read(&journal, &id).await.unwrap();
        let left: Vec<Entry> = records.iter().map(|record| record.entry().unwrap()).collect();
        before.extend(turn(&ANSWERED.to_string(), ANSWERED));
        assert!(left.len() >= before.len(), "kill {kill}: {} of {} records", left.len(), before.len());
        let unanswered = left.len() - before.len();
        assert!(unanswered > told, "kill {kill}: {told} updates have left, {unanswered} records of the turn");
        before.extend(turn("on and on", unanswered.saturating_sub(1)).into_iter().take(unanswered));
        assert!(left == before, "kill {kill}: records are missing, or not in order");

        drop(journal.open(&id).await.unwrap());
        let reported = std::mem::take(&mut *damage.lock().unwrap());
        assert!(reported.iter().all(|damage| damage.kind == DamageKind::Unfinished), "{reported:?}");
    }
}
