//! The floor's client with its agent.

use std::cell::RefCell;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;

use anyhow::{Context as _, Result};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::unix::pipe;
use tokio::runtime::Runtime;

use super::{Connected, MEMORY_PIPE, Over};
use crate::agents::Agent;
use crate::floor::{FloorClient, FloorClientV2, Reading};

struct Connection<R, W> {
    client: RefCell<FloorClient<R, W>>,
    runtime: Rc<Runtime>,
    _child: Option<Reaped>,
}

struct ConnectionV2<R, W> {
    client: RefCell<FloorClientV2<R, W>>,
    runtime: Rc<Runtime>,
    _child: Option<Reaped>,
}

/// The agent's process. The drop waits for it: with its stdin closed, an agent ends.
pub(crate) struct Reaped(Child);

impl Drop for Reaped {
    fn drop(&mut self) {
        // It fails only if the process is gone.
        let _ = self.0.wait();
    }
}

pub(super) fn connect(
    runtime: Rc<Runtime>,
    agent: Agent,
    over: Over,
    sessions: usize,
    reading: Reading,
) -> Result<Box<dyn Connected>> {
    match over {
        Over::Memory => {
            let (here, there) = tokio::io::duplex(MEMORY_PIPE);
            drop(runtime.spawn(agent.serve(there)));
            let (reader, writer) = tokio::io::split(here);
            open(runtime, (reader, writer), sessions, reading, None)
        }
        Over::Pipes => start(runtime, &agent.command()?, sessions, reading),
    }
}

/// The floor's client of version 2, with one session.
pub(super) fn connect_v2(
    runtime: Rc<Runtime>,
    agent: Agent,
    over: Over,
    reading: Reading,
) -> Result<Box<dyn Connected>> {
    match over {
        Over::Memory => {
            let (here, there) = tokio::io::duplex(MEMORY_PIPE);
            drop(runtime.spawn(agent.serve(there)));
            let (reader, writer) = tokio::io::split(here);
            open_v2(runtime, (reader, writer), reading, None)
        }
        Over::Pipes => {
            let (streams, child) = spawn(&runtime, &agent.command()?)?;
            open_v2(runtime, streams, reading, Some(child))
        }
    }
}

fn open_v2<R, W>(
    runtime: Rc<Runtime>,
    (reader, writer): (R, W),
    reading: Reading,
    child: Option<Reaped>,
) -> Result<Box<dyn Connected>>
where
    R: AsyncRead + Unpin + 'static,
    W: AsyncWrite + Unpin + 'static,
{
    let client = runtime.block_on(FloorClientV2::connect(reader, writer, reading))?;
    Ok(Box::new(ConnectionV2 { client: RefCell::new(client), runtime, _child: child }))
}

/// The floor's client with any agent, and one session.
pub(crate) fn connect_to(runtime: &Rc<Runtime>, command: &[OsString]) -> Result<Box<dyn Connected>> {
    start(Rc::clone(runtime), command, 1, Reading::Ours)
}

fn start(
    runtime: Rc<Runtime>,
    command: &[OsString],
    sessions: usize,
    reading: Reading,
) -> Result<Box<dyn Connected>> {
    let (streams, child) = spawn(&runtime, command)?;
    open(runtime, streams, sessions, reading, Some(child))
}

/// Starts an agent, and returns its stdout and its stdin.
pub(crate) fn spawn(
    runtime: &Runtime,
    command: &[OsString],
) -> Result<((pipe::Receiver, pipe::Sender), Reaped)> {
    let mut child = Command::new(&command[0]);
    child.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = child.spawn().with_context(|| format!("starting {:?}", command[0]))?;
    let stdin = child.stdin.take().context("no stdin")?;
    let stdout = child.stdout.take().context("no stdout")?;
    let _guard = runtime.enter();
    let writer = pipe::Sender::from_owned_fd(OwnedFd::from(stdin))?;
    let reader = pipe::Receiver::from_owned_fd(OwnedFd::from(stdout))?;
    Ok(((reader, writer), Reaped(child)))
}

fn open<R, W>(
    runtime: Rc<Runtime>,
    (reader, writer): (R, W),
    sessions: usize,
    reading: Reading,
    child: Option<Reaped>,
) -> Result<Box<dyn Connected>>
where
    R: AsyncRead + Unpin + 'static,
    W: AsyncWrite + Unpin + 'static,
{
    let client = runtime.block_on(FloorClient::connect(reader, writer, sessions, reading))?;
    Ok(Box::new(Connection { client: RefCell::new(client), runtime, _child: child }))
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Connected for Connection<R, W> {
    fn turns(&self, prompts: &[&str]) -> Result<usize> {
        self.runtime.block_on(self.client.borrow_mut().turns(prompts))
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Connected for ConnectionV2<R, W> {
    fn turns(&self, prompts: &[&str]) -> Result<usize> {
        self.runtime.block_on(self.client.borrow_mut().turns(prompts))
    }
}
