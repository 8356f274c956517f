//! The client on `acp-client`, with its agent.

use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use acp_client::method::Request;
use acp_client::tap::Tap;
use acp_client::v1::methods::{
    FsReadTextFile, FsWriteTextFile, SessionRequestPermission, TerminalCreate, TerminalKill, TerminalOutput,
    TerminalRelease, TerminalWaitForExit,
};
use acp_client::v1::{ReadTextFileRequest, ReadTextFileResponse};
use acp_client::{Command, Context, Event, Handlers, Options, ProtocolVersion, RpcError, Session, Transport};
use anyhow::Result;
use futures::future::try_join_all;
use tokio::runtime::Runtime;

use super::{Client, Connected, MEMORY_PIPE, Over};
use crate::agents::Agent;
use crate::script::file;

pub(super) struct Connection {
    sessions: Vec<Session>,
    /// The number of updates that the handler has seen.
    handled: Arc<AtomicUsize>,
    client: Client,
    runtime: Rc<Runtime>,
}

/// Serves one file, from memory.
struct Files {
    text: String,
}

impl Files {
    async fn read(
        self: Arc<Self>,
        _: ReadTextFileRequest,
        _: Context,
    ) -> Result<ReadTextFileResponse, RpcError> {
        Ok(ReadTextFileResponse::new(self.text.as_str()))
    }
}

impl acp_client::Client for Files {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        handlers.request::<FsReadTextFile, _, _>(&self, Self::read);
    }
}

/// Refuses every request of an agent, method by method.
struct Everything;

impl Everything {
    fn refuse<M: Request>(self: &Arc<Self>, handlers: &mut Handlers) {
        handlers.request::<M, _, _>(self, |_, _, _| async { Err(RpcError::method_not_found(M::NAME)) });
    }
}

impl acp_client::Client for Everything {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        self.refuse::<FsReadTextFile>(handlers);
        self.refuse::<FsWriteTextFile>(handlers);
        self.refuse::<SessionRequestPermission>(handlers);
        self.refuse::<TerminalCreate>(handlers);
        self.refuse::<TerminalKill>(handlers);
        self.refuse::<TerminalOutput>(handlers);
        self.refuse::<TerminalRelease>(handlers);
        self.refuse::<TerminalWaitForExit>(handlers);
    }
}

impl Connection {
    pub(super) fn open(
        runtime: Rc<Runtime>,
        agent: Agent,
        over: Over,
        sessions: usize,
        client: Client,
    ) -> Result<Self> {
        let handled = Arc::new(AtomicUsize::new(0));
        let opened = runtime.block_on(async {
            let connect = match over {
                Over::Memory => {
                    let (here, there) = tokio::io::duplex(MEMORY_PIPE);
                    tokio::spawn(agent.serve(there));
                    acp_client::connect(Transport::from_stream(here))
                }
                Over::Pipes => {
                    let command = agent.command()?;
                    acp_client::spawn(Command::new(&command[0]).args(&command[1..]))
                }
            };
            let counter = Arc::clone(&handled);
            let connect =
                if client == Client::OursV2 { connect.versions([ProtocolVersion::V2]) } else { connect };
            let agent = match client {
                Client::Handler => connect.on_update(move |update| {
                    black_box(update);
                    counter.fetch_add(1, Relaxed);
                    std::future::ready(())
                }),
                Client::EveryMethod => connect.client(Everything),
                Client::Tapped => {
                    let tap = Tap::new(|traffic| {
                        black_box(traffic);
                    });
                    connect.client(Files { text: file() }).options(Options::default().tap(tap))
                }
                _ => connect.client(Files { text: file() }),
            };
            let agent = agent.await?;
            let mut opened = Vec::new();
            for _ in 0..sessions {
                opened.push(agent.new_session("/project").await?);
            }
            anyhow::Ok(opened)
        })?;
        Ok(Connection { sessions: opened, handled, client, runtime })
    }
}

impl Connected for Connection {
    fn turns(&self, prompts: &[&str]) -> Result<usize> {
        let turns = self.sessions.iter().zip(prompts).map(|(session, &prompt)| turn(session, prompt));
        let before = self.handled.load(Relaxed);
        let updates = self.runtime.block_on(async {
            // A user with one session would write it like this.
            if let ([prompt], Some(session)) = (prompts, self.sessions.first()) {
                return turn(session, prompt).await;
            }
            Ok(try_join_all(turns).await?.into_iter().sum())
        })?;
        let handled = self.handled.load(Relaxed) - before;
        Ok(if self.client == Client::Handler { handled } else { updates })
    }
}

async fn turn(session: &Session, prompt: &str) -> Result<usize> {
    let mut turn = session.prompt(prompt).await?;
    let mut updates = 0;
    while let Some(event) = turn.next().await {
        // In version 2 there are states and the prompt itself, too.
        updates += usize::from(matches!(event, Event::Message(_) | Event::ToolCallUpdate(_)));
        black_box(event);
    }
    turn.finish().await?;
    Ok(updates)
}
