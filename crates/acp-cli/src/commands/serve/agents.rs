//! The processes of agents: one for each connection, some of them started before it comes.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use acp_client::{Command, Exit, Transport};
use acp_http::server::Principal;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::commands::serve::metrics::Metrics;
use crate::outcome::tell;

/// The time between two attempts to start a process that does not stay.
const PAUSE: Duration = Duration::from_secs(1);

/// A process that serves one connection, and no other.
pub(super) struct Started {
    pub(super) transport: Transport,
    pub(super) child: acp_client::Child,
}

/// The processes of a server.
pub(super) struct Agents {
    command: Mutex<Command>,
    /// The variable that has the name of the client.
    principal_env: Option<OsString>,
    /// Started processes that no connection has yet.
    waiting: Mutex<VecDeque<Started>>,
    wanted: usize,
    /// Fires when one of them is taken.
    taken: Notify,
    pub(super) metrics: Arc<Metrics>,
}

impl Agents {
    pub(super) fn new(
        command: Command,
        principal_env: Option<OsString>,
        wanted: usize,
        metrics: Arc<Metrics>,
    ) -> Arc<Self> {
        let (waiting, taken) = (Mutex::default(), Notify::new());
        Arc::new(Self { command: Mutex::new(command), principal_env, waiting, wanted, taken, metrics })
    }

    /// Returns a process for a connection of this principal.
    pub(super) fn take(&self, principal: &Principal) -> io::Result<Started> {
        if let Some(name) = &self.principal_env {
            return self.start(|command| command.env(name, principal.name()));
        }
        while let Some(started) = self.pop() {
            self.taken.notify_one();
            if has_exited(&started).is_none() {
                return Ok(started);
            }
        }
        self.start(|command| command)
    }

    fn start(&self, prepare: impl FnOnce(Command) -> Command) -> io::Result<Started> {
        let command = prepare(lock(&self.command).share());
        match Transport::process(command) {
            Ok((transport, child)) => {
                self.metrics.started.add(1);
                Ok(Started { transport, child })
            }
            Err(error) => {
                self.metrics.not_started.add(1);
                Err(error)
            }
        }
    }

    /// Keeps the wanted number of processes started.
    pub(super) async fn keep_started(self: Arc<Self>) {
        // One that exits is replaced after a while, so that a broken one is not started on and on.
        let mut exits = JoinSet::new();
        loop {
            while lock(&self.waiting).len() < self.wanted {
                match self.start(|command| command) {
                    Ok(started) => {
                        let child = started.child.clone();
                        exits.spawn(async move { (child.pid(), child.wait().await) });
                        let mut waiting = lock(&self.waiting);
                        waiting.push_back(started);
                        self.metrics.waiting.set(waiting.len());
                    }
                    Err(error) => {
                        tell(&format!("acp: {error}"));
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
            tokio::select! {
                () = self.taken.notified() => {}
                Some(Ok((pid, exit))) = exits.join_next() => {
                    if self.forget(pid) {
                        tell(&format!("acp: an agent ended before it had a client: {exit}"));
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
        }
    }

    /// Removes a process that waits. Returns false if it does not.
    fn forget(&self, pid: u32) -> bool {
        let mut waiting = lock(&self.waiting);
        let before = waiting.len();
        waiting.retain(|started| started.child.pid() != pid);
        self.metrics.waiting.set(waiting.len());
        waiting.len() < before
    }

    fn pop(&self) -> Option<Started> {
        let mut waiting = lock(&self.waiting);
        let started = waiting.pop_front();
        self.metrics.waiting.set(waiting.len());
        started
    }

    /// Ends the processes that wait.
    pub(super) async fn end(&self) {
        let mut ending = JoinSet::new();
        while let Some(started) = self.pop() {
            let parts = started.transport.into_parts();
            ending.spawn(async move {
                drop(parts.writer);
                if let Some(process) = parts.process {
                    process.end().await;
                }
            });
        }
        ending.join_all().await;
    }
}

fn has_exited(started: &Started) -> Option<Exit> {
    let waiting = pin!(started.child.wait());
    match waiting.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(exit) => Some(exit),
        Poll::Pending => None,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
