//! The process of a server: it leads a session and a group of its own, and all of the group goes
//! with it.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use acp_types::v1::McpServerStdio;
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::options::StdioOptions;
use super::stderr::{self, Tail};
use crate::error::McpError;

/// How long the stderr of an exited process is read on, should something it started keep it open.
const LAST_STDERR: Duration = Duration::from_millis(250);

/// What the process is talked to with.
pub(super) type Pipes = (ChildStdin, ChildStdout);

#[derive(Clone, Copy, Debug)]
enum Order {
    Terminate,
    Kill,
}

/// A hold on a process: when it goes, the process goes, at once.
pub(super) struct Process {
    orders: mpsc::UnboundedSender<Order>,
    exit: watch::Receiver<Option<McpError>>,
    grace: Duration,
}

/// Knows how a process ended.
#[derive(Clone)]
pub(super) struct Exiting(watch::Receiver<Option<McpError>>);

impl Exiting {
    /// How it ended, if it does within this time.
    pub(super) async fn exited(&mut self, within: Duration) -> Option<McpError> {
        timeout(within, self.0.wait_for(Option::is_some)).await.ok()?.ok()?.clone()
    }
}

impl Process {
    pub(super) fn spawn(
        server: &McpServerStdio,
        options: &StdioOptions,
        grace: Duration,
    ) -> Result<(Self, Pipes), McpError> {
        let failed = |problem: String| McpError::Spawn { program: server.command.clone(), problem };
        let mut wrap = CommandWrap::from(command(server, options));
        #[cfg(unix)]
        wrap.wrap(process_wrap::tokio::ProcessSession);
        #[cfg(windows)]
        wrap.wrap(process_wrap::tokio::JobObject);
        wrap.wrap(KillOnDrop);
        let mut group = Group(wrap.spawn().map_err(|error| failed(error.to_string()))?);
        let child = &mut group.0;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin().take(), child.stdout().take(), child.stderr().take())
        else {
            return Err(failed("it has no pipes".to_owned()));
        };
        let tail = Tail::new(options.stderr_tail);
        let (name, on_line) = (server.name.clone(), options.on_stderr.clone());
        let on_line = on_line.map(|on_line| move |line: &str| on_line(&name, line));
        let stderr = tokio::spawn(stderr::drain(stderr, tail.clone(), on_line));
        let (orders, received) = mpsc::unbounded_channel();
        let (report, exit) = watch::channel(None);
        tokio::spawn(supervise(group, received, stderr, tail, report));
        Ok((Self { orders, exit, grace }, (stdin, stdout)))
    }

    pub(super) fn exiting(&self) -> Exiting {
        Exiting(self.exit.clone())
    }

    /// Ends the process and all it started; its stdin has been closed already (rule `mcp-neg-36`).
    pub(super) async fn end(&self) {
        for order in [Order::Terminate, Order::Kill] {
            if self.exiting().exited(self.grace).await.is_some() {
                return;
            }
            let _ = self.orders.send(order);
        }
        let _ = self.exiting().exited(self.grace).await;
    }
}

fn command(server: &McpServerStdio, options: &StdioOptions) -> Command {
    let mut command = Command::new(&server.command);
    command.args(&server.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_clear().envs(options.env.apply(std::env::vars_os()));
    command.envs(server.env.iter().map(|variable| (&variable.name, &variable.value)));
    if let Some(cwd) = &options.cwd {
        command.current_dir(cwd);
    }
    command
}

/// Carries out orders until the process is gone, and then ends what it left behind.
async fn supervise(
    mut group: Group,
    mut orders: mpsc::UnboundedReceiver<Order>,
    stderr: JoinHandle<()>,
    tail: Tail,
    report: watch::Sender<Option<McpError>>,
) {
    let status = loop {
        let order = tokio::select! {
            status = group.leader().wait() => break status.ok(),
            // Nobody holds the process any more.
            order = orders.recv() => order.unwrap_or(Order::Kill),
        };
        group.obey(order);
        if matches!(order, Order::Kill) {
            break group.leader().wait().await.ok();
        }
    };
    // Children of the server live on in its group, and wrappers such as `npx` start it as one.
    drop(group);
    let _ = timeout(LAST_STDERR, stderr).await;
    let (status, signal) = status.map_or((None, None), |status| (status.code(), signal_of(status)));
    report.send_replace(Some(McpError::Exited { status, signal, stderr_tail: tail.text() }));
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

/// A process group, or a job on Windows, killed when dropped.
struct Group(Box<dyn ChildWrapper>);

impl Group {
    /// The process that was started. Its group's own `wait` would wait for everything the process
    /// left behind.
    fn leader(&mut self) -> &mut dyn ChildWrapper {
        self.0.inner_mut()
    }

    fn obey(&mut self, order: Order) {
        match order {
            // There is no way to ask on Windows.
            #[cfg(unix)]
            Order::Terminate => drop(self.0.signal(15)),
            #[cfg(not(unix))]
            Order::Terminate => {}
            Order::Kill => drop(self.0.start_kill()),
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = self.0.start_kill();
    }
}
