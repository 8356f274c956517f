//! The client of version 2 on the official Rust SDK, with its agent.

use std::future::pending;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v2::ConnectionTo;
use agent_client_protocol::v2::schema::{
    Implementation, InitializeRequest, NewSessionRequest, PromptRequest, SessionId, SessionUpdate,
    StateUpdate, UpdateSessionNotification,
};
use agent_client_protocol::{
    AcpAgent, Agent as AgentRole, ByteStreams, Client, ConnectTo, on_receive_notification,
};
use anyhow::{Context as _, Result};
use tokio::runtime::Runtime;
use tokio::sync::{Notify, oneshot};
use tokio_util::compat::{TokioAsyncReadCompatExt as _, TokioAsyncWriteCompatExt as _};

use super::{Client as Contender, Connected, MEMORY_PIPE, Over, Reaped, spawn};
use crate::agents::Agent;

pub(super) struct Connection {
    agent: ConnectionTo<AgentRole>,
    session: SessionId,
    seen: Arc<Seen>,
    runtime: Rc<Runtime>,
    /// The SDK's own way to start an agent keeps the process to itself, so it is not used.
    _child: Option<Reaped>,
}

/// The observations of the handler of updates.
#[derive(Default)]
struct Seen {
    chunks: AtomicUsize,
    is_active: AtomicBool,
    over: Notify,
}

impl Connection {
    pub(super) fn open(runtime: Rc<Runtime>, agent: Agent, over: Over, contender: Contender) -> Result<Self> {
        let seen = Arc::new(Seen::default());
        let mut child = None;
        let (agent, session) = runtime.block_on(async {
            let agent = match over {
                Over::Memory => {
                    let (here, there) = tokio::io::duplex(MEMORY_PIPE);
                    tokio::spawn(agent.serve(there));
                    let (reader, writer) = tokio::io::split(here);
                    connect(ByteStreams::new(writer.compat_write(), reader.compat()), &seen).await?
                }
                Over::Pipes if contender == Contender::OfficialV2Streams => {
                    let ((reader, writer), reaped) = spawn(&runtime, &agent.command()?)?;
                    child = Some(reaped);
                    connect(ByteStreams::new(writer.compat_write(), reader.compat()), &seen).await?
                }
                Over::Pipes => {
                    let command = agent.command()?;
                    let words: Vec<String> =
                        command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
                    connect(AcpAgent::from_args(words)?, &seen).await?
                }
            };
            let initialize = InitializeRequest::new(ProtocolVersion::V2, Implementation::new("bench", "0"));
            agent.send_request(initialize).block_task().await?;
            let opened = agent.send_request(NewSessionRequest::new("/project")).block_task().await?;
            anyhow::Ok((agent, opened.session_id))
        })?;
        Ok(Connection { agent, session, seen, runtime, _child: child })
    }

    /// Prompts, and waits for the change to idle.
    async fn turn(&self, prompt: &str) -> Result<()> {
        let request = PromptRequest::new(self.session.clone(), vec![prompt.into()]);
        black_box(self.agent.send_request(request).block_task().await?);
        self.seen.over.notified().await;
        Ok(())
    }
}

/// Connects. The connection lives as long as the runtime.
async fn connect(
    transport: impl ConnectTo<Client> + 'static,
    seen: &Arc<Seen>,
) -> Result<ConnectionTo<AgentRole>> {
    let (tell, connected) = oneshot::channel();
    let seen = Arc::clone(seen);
    let take = async move |notification: UpdateSessionNotification, _: ConnectionTo<AgentRole>| {
        match black_box(notification).update {
            SessionUpdate::AgentMessageChunk(_) => drop(seen.chunks.fetch_add(1, Relaxed)),
            SessionUpdate::StateUpdate(state) => {
                let is_active = !matches!(state, StateUpdate::Idle(_));
                if seen.is_active.swap(is_active, Relaxed) && !is_active {
                    seen.over.notify_one();
                }
            }
            _ => {}
        }
        Ok(())
    };
    let hand_over = async move |agent: ConnectionTo<AgentRole>| {
        let _ = tell.send(agent);
        pending::<agent_client_protocol::Result<()>>().await
    };
    let client = Client.v2().on_receive_notification(take, on_receive_notification!());
    tokio::spawn(client.connect_with(transport, hand_over));
    connected.await.context("the connection ended")
}

impl Connected for Connection {
    fn turns(&self, prompts: &[&str]) -> Result<usize> {
        let before = self.seen.chunks.load(Relaxed);
        self.runtime.block_on(async {
            for prompt in prompts {
                self.turn(prompt).await?;
            }
            anyhow::Ok(())
        })?;
        Ok(self.seen.chunks.load(Relaxed) - before)
    }
}
