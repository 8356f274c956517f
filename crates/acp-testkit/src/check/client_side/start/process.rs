//! A client that is a program.

use std::io;

use acp_process::{Child, ChildGuard, Command, Spawned};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::running::{AgentStart, Running, Stdin};
use super::words;
use crate::check::client_side::options::ClientOptions;
use crate::check::loopback::Place;
use crate::peer::ScriptedPeer;

/// The client's process, and the tasks that serve it.
pub(in crate::check::client_side) struct Process {
    pub(in crate::check::client_side) child: Child,
    guard: ChildGuard,
    accepting: JoinHandle<()>,
}

impl Process {
    /// Ends it with everything that it has started.
    pub(super) async fn end(self) {
        self.guard.end().await;
        self.accepting.abort();
    }
}

/// Starts a client that finds its agent at a new address.
pub(super) fn start(
    words: &[String],
    agent: &[String],
    prompt: &str,
    options: &ClientOptions,
) -> io::Result<Running> {
    let place = Place::open()?;
    let mut command = agent.to_vec();
    command.extend([place.address.clone(), place.token.clone()]);
    let mut words = words::fill(words, &command, prompt).into_iter();
    let program = words.next().unwrap_or_default();
    let command = Command::new(program).args(words).current_dir(&options.cwd);
    let (starts, agents) = mpsc::unbounded_channel();
    let accepting = tokio::spawn(accept(place, starts));
    let Spawned { mut stdin, mut stdout, child, guard, .. } = command.spawn()?;
    // Nobody looks at its output, and it must not wait for a reader.
    tokio::spawn(async move {
        let mut buffer = [0; 4096];
        while stdout.read(&mut buffer).await.is_ok_and(|count| count > 0) {}
    });
    let mut kept = None;
    if let Some(text) = &options.stdin {
        let text = format!("{}\n", text.replace("{prompt}", prompt));
        // A pipe holds a prompt, so this cannot wait for the client.
        let (write, written) = tokio::sync::oneshot::channel();
        tokio::spawn(async move {
            // A client that has closed its stdin does not want it.
            let _ = stdin.write_all(text.as_bytes()).await;
            let stdin: Stdin = Box::new(stdin);
            let _ = write.send(stdin);
        });
        kept = Some(written);
    }
    let pid = child.pid();
    let process = Process { child, guard, accepting };
    let mut running = Running::new(agents);
    running.process = Some(process);
    running.stdin = kept;
    Ok(if options.interrupt { running.on_cancel(move || interrupt(pid)) } else { running })
}

/// Takes connections of the agent's end until the client is done.
async fn accept(place: Place, starts: mpsc::UnboundedSender<AgentStart>) {
    let mut ends: Vec<mpsc::UnboundedSender<bool>> = Vec::new();
    while let Ok(mut stream) = place.accept().await {
        let Some(greeting) = place.greeted(&mut stream).await else { continue };
        if let Some(closed) = greeting.get("closed").and_then(Value::as_bool) {
            // Only the last agent is looked at.
            let _ = ends.last().map(|end| end.send(closed));
            continue;
        }
        let _ = stream.set_nodelay(true);
        let words = greeting.get("words").and_then(Value::as_array).into_iter().flatten();
        let words = words.filter_map(Value::as_str).map(str::to_owned).collect();
        let variable = greeting.get("variable").and_then(Value::as_str).map(str::to_owned);
        let (end, closed) = mpsc::unbounded_channel();
        ends.push(end);
        let start = AgentStart::new(ScriptedPeer::from_stream(stream)).login(words, variable);
        if starts.send(start.closed_by(closed)).is_err() {
            return;
        }
    }
}

/// Sends SIGINT to a process.
fn interrupt(pid: u32) {
    if cfg!(unix) {
        let _ = std::process::Command::new("kill").args(["-INT", &pid.to_string()]).status();
    }
}
