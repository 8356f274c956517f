//! The process of a server, which ends together with everything that it has started.

use std::time::Duration;

use acp_process::{Child, ChildGuard, Command, Spawned};
use acp_types::v1::McpServerStdio;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::options::StdioOptions;
use crate::error::McpError;

/// The pipes of the process.
pub(super) type Pipes = (ChildStdin, ChildStdout);

/// A running process. Dropping this ends the process in a task, as [`end`](Self::end) does.
pub(super) struct Process {
    child: Child,
    /// Cancelled when the process is to end.
    closing: CancellationToken,
    /// Runs until nothing is left of the process.
    supervised: Option<JoinHandle<()>>,
    _closes: DropGuard,
}

/// Waits for the end of a process.
#[derive(Clone)]
pub(super) struct Exiting(Child);

impl Exiting {
    /// Returns the reason of the end, if the process ends within this time.
    pub(super) async fn exited(&mut self, within: Duration) -> Option<McpError> {
        let exit = timeout(within, self.0.wait()).await.ok()?;
        Some(McpError::Exited { status: exit.status, signal: exit.signal, stderr_tail: exit.stderr_tail })
    }
}

impl Process {
    pub(super) fn spawn(
        server: &McpServerStdio,
        options: &StdioOptions,
        grace: Duration,
    ) -> Result<(Self, Pipes), McpError> {
        let spawned = command(server, options).grace(grace).spawn();
        let Spawned { stdin, stdout, child, guard, .. } = spawned.map_err(|error| McpError::Spawn {
            program: server.command.clone(),
            problem: error.to_string(),
        })?;
        let closing = CancellationToken::new();
        let supervised = Some(tokio::spawn(supervise(guard, closing.clone())));
        let process = Self { child, supervised, _closes: closing.clone().drop_guard(), closing };
        Ok((process, (stdin, stdout)))
    }

    pub(super) fn exiting(&self) -> Exiting {
        Exiting(self.child.clone())
    }

    /// Ends the process and everything that it started. Its stdin has been closed already (rule
    /// `mcp-neg-36`).
    pub(super) async fn end(&mut self) {
        self.closing.cancel();
        if let Some(supervised) = &mut self.supervised {
            let _ = supervised.await;
            self.supervised = None;
        }
    }
}

fn command(server: &McpServerStdio, options: &StdioOptions) -> Command {
    let mut command = Command::new(&server.command).args(&server.args).stderr_tail(options.stderr_tail);
    if let Some(names) = options.env.names() {
        command = command.env_inherit(names);
    }
    for variable in &server.env {
        command = command.env(&variable.name, &variable.value);
    }
    if let Some(cwd) = &options.cwd {
        command = command.current_dir(cwd);
    }
    if let Some(on_line) = options.on_stderr.clone() {
        let name = server.name.clone();
        command = command.on_stderr(move |line| on_line(&name, line));
    }
    command
}

/// Ends the process when that is wanted. When it exits by itself, ends the processes that it has
/// left behind: wrappers such as `npx` start the server as a child, which would keep the pipe open.
async fn supervise(guard: ChildGuard, closing: CancellationToken) {
    tokio::select! {
        _ = guard.exited() => {}
        () = closing.cancelled() => {}
    }
    guard.end().await;
}
