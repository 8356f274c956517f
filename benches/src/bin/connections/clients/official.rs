//! The client on the official Rust SDK, with its agent.

use std::future::pending;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    self, ClientCapabilities, ContentBlock, FileSystemCapabilities, InitializeRequest, NewSessionRequest,
    PromptRequest, ReadTextFileRequest, ReadTextFileResponse, SessionId, SessionNotification, TextContent,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{
    AcpAgent, Agent as AgentRole, ByteStreams, Client, ConnectTo, Error, on_receive_notification,
    on_receive_request,
};
use anyhow::{Context as _, Result};
use futures::future::try_join_all;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio_util::compat::{TokioAsyncReadCompatExt as _, TokioAsyncWriteCompatExt as _};

use super::{Client as Contender, Connected, MEMORY_PIPE, Over, Reaped, spawn};
use crate::agents::Agent;
use crate::script::file;

pub(super) struct Connection {
    agent: ConnectionTo<AgentRole>,
    sessions: Vec<SessionId>,
    updates: Arc<AtomicUsize>,
    runtime: Rc<Runtime>,
    /// The SDK's own way to start an agent keeps the process to itself, so it is not used.
    _child: Option<Reaped>,
}

impl Connection {
    pub(super) fn open(
        runtime: Rc<Runtime>,
        agent: Agent,
        over: Over,
        sessions: usize,
        contender: Contender,
    ) -> Result<Self> {
        let behind_nine = contender == Contender::OfficialBehindNine;
        let updates = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&updates);
        let mut child = None;
        let (agent, opened) = runtime.block_on(async {
            let agent = match over {
                Over::Memory => {
                    let (here, there) = tokio::io::duplex(MEMORY_PIPE);
                    tokio::spawn(agent.serve(there));
                    let (reader, writer) = tokio::io::split(here);
                    connect(ByteStreams::new(writer.compat_write(), reader.compat()), counter, behind_nine)
                        .await?
                }
                Over::Pipes if contender == Contender::OfficialStreams => {
                    let ((reader, writer), reaped) = spawn(&runtime, &agent.command()?)?;
                    child = Some(reaped);
                    let streams = ByteStreams::new(writer.compat_write(), reader.compat());
                    connect(streams, counter, behind_nine).await?
                }
                Over::Pipes => {
                    let command = agent.command()?;
                    let words: Vec<String> =
                        command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
                    connect(AcpAgent::from_args(words)?, counter, behind_nine).await?
                }
            };
            let fs = FileSystemCapabilities::new().read_text_file(true);
            let initialize = InitializeRequest::new(ProtocolVersion::V1)
                .client_capabilities(ClientCapabilities::new().fs(fs));
            agent.send_request(initialize).block_task().await?;
            let mut opened = Vec::new();
            for _ in 0..sessions {
                let session = agent.send_request(NewSessionRequest::new("/project")).block_task().await?;
                opened.push(session.session_id);
            }
            anyhow::Ok((agent, opened))
        })?;
        Ok(Connection { agent, sessions: opened, updates, runtime, _child: child })
    }

    async fn turn(&self, session: &SessionId, prompt: &str) -> Result<()> {
        let prompt = vec![ContentBlock::Text(TextContent::new(prompt))];
        let request = PromptRequest::new(session.clone(), prompt);
        black_box(self.agent.send_request(request).block_task().await?);
        Ok(())
    }
}

/// Connects. The connection lives as long as the runtime.
async fn connect(
    transport: impl ConnectTo<Client> + 'static,
    updates: Arc<AtomicUsize>,
    behind_nine: bool,
) -> Result<ConnectionTo<AgentRole>> {
    let text = file();
    let (tell, connected) = oneshot::channel();
    let count = async move |update: SessionNotification, _agent| {
        black_box(update);
        updates.fetch_add(1, Relaxed);
        Ok(())
    };
    let read = async move |_: ReadTextFileRequest, responder: Responder<ReadTextFileResponse>, _agent| {
        responder.respond(ReadTextFileResponse::new(text.as_str()))
    };
    let hand_over = async move |agent: ConnectionTo<AgentRole>| {
        let _ = tell.send(agent);
        pending::<agent_client_protocol::Result<()>>().await
    };
    if behind_nine {
        // Messages are offered to the handlers in the order in which they were registered.
        macro_rules! refuse {
            ($client:expr $(, $request:ty)*) => {
                $client$(.on_receive_request(
                    async move |_: $request, responder, _agent| {
                        responder.respond_with_result(Err(Error::method_not_found()))
                    },
                    on_receive_request!(),
                ))*
            };
        }
        let client = refuse!(
            Client.v1(),
            schema::WriteTextFileRequest,
            schema::RequestPermissionRequest,
            schema::CreateTerminalRequest,
            schema::TerminalOutputRequest,
            schema::ReleaseTerminalRequest,
            schema::WaitForTerminalExitRequest,
            schema::KillTerminalRequest,
            schema::CreateElicitationRequest
        );
        let client = client
            .on_receive_request(read, on_receive_request!())
            .on_receive_notification(count, on_receive_notification!());
        tokio::spawn(client.connect_with(transport, hand_over));
    } else {
        let client = Client
            .v1()
            .on_receive_notification(count, on_receive_notification!())
            .on_receive_request(read, on_receive_request!());
        tokio::spawn(client.connect_with(transport, hand_over));
    }
    connected.await.context("the connection ended")
}

impl Connected for Connection {
    fn turns(&self, prompts: &[&str]) -> Result<usize> {
        let before = self.updates.load(Relaxed);
        self.runtime.block_on(async {
            if let ([prompt], Some(session)) = (prompts, self.sessions.first()) {
                return self.turn(session, prompt).await;
            }
            let turns =
                self.sessions.iter().zip(prompts).map(|(session, &prompt)| self.turn(session, prompt));
            try_join_all(turns).await.map(drop)
        })?;
        Ok(self.updates.load(Relaxed) - before)
    }
}
