//! The agent of version 2 on the official Rust SDK.

use std::sync::atomic::{AtomicUsize, Ordering};

use agent_client_protocol::v2::schema::{
    AgentCapabilities, ContentBlock, ContentChunk, IdleStateUpdate, Implementation, InitializeRequest,
    InitializeResponse, MessageId, NewSessionRequest, NewSessionResponse, PromptRequest, PromptResponse,
    RunningStateUpdate, SessionCapabilities, SessionUpdate, StateUpdate, StopReason,
    UpdateSessionNotification, UserMessage,
};
use agent_client_protocol::v2::{ConnectionTo, Responder};
use agent_client_protocol::{Agent, ByteStreams, Client, ConnectTo, Result, Stdio, on_receive_request};
use tokio::io::DuplexStream;
use tokio::net::unix::pipe;
use tokio_util::compat::{TokioAsyncReadCompatExt as _, TokioAsyncWriteCompatExt as _};

use crate::script::{CHUNK, Script};

pub(super) async fn serve_stdio() -> anyhow::Result<()> {
    Ok(serve(Stdio::new()).await?)
}

pub(super) async fn serve_stream(stream: DuplexStream) -> anyhow::Result<()> {
    let (reader, writer) = tokio::io::split(stream);
    Ok(serve(ByteStreams::new(writer.compat_write(), reader.compat())).await?)
}

pub(super) async fn serve_pipes(reader: pipe::Receiver, writer: pipe::Sender) -> anyhow::Result<()> {
    Ok(serve(ByteStreams::new(writer.compat_write(), reader.compat())).await?)
}

type Link = ConnectionTo<Client>;

async fn serve(transport: impl ConnectTo<Agent> + 'static) -> Result<()> {
    let sessions = AtomicUsize::new(0);
    let messages = AtomicUsize::new(0);
    Agent
        .v2()
        .name("bench")
        .on_receive_request(
            async move |request: InitializeRequest, responder: Responder<InitializeResponse>, _: Link| {
                let info = Implementation::new("bench", "0");
                let capabilities = AgentCapabilities::new().session(SessionCapabilities::new());
                let answer = InitializeResponse::new(request.protocol_version, info);
                responder.respond(answer.capabilities(capabilities))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: NewSessionRequest, responder: Responder<NewSessionResponse>, _: Link| {
                let number = sessions.fetch_add(1, Ordering::Relaxed);
                responder.respond(NewSessionResponse::new(format!("sess_{number:032}")))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder: Responder<PromptResponse>, client: Link| {
                let number = messages.fetch_add(2, Ordering::Relaxed);
                let id = |number: usize| MessageId::new(format!("msg_0123456789abcdef_{number}"));
                responder.respond(PromptResponse::new(id(number)))?;
                // The turn goes on when the prompt is answered.
                client.clone().spawn(async move { turn(request, [id(number), id(number + 1)], &client) })
            },
            on_receive_request!(),
        )
        .connect_to(transport)
        .await
}

fn turn(request: PromptRequest, [prompt, answer]: [MessageId; 2], client: &Link) -> Result<()> {
    let script = match request.prompt.first() {
        Some(ContentBlock::Text(text)) => Script::parse(&text.text),
        _ => Script::Nothing,
    };
    let session = request.session_id;
    let update = |update| client.send_notification(UpdateSessionNotification::new(session.clone(), update));
    update(SessionUpdate::UserMessage(UserMessage::new(prompt).content(request.prompt)))?;
    update(SessionUpdate::StateUpdate(StateUpdate::Running(RunningStateUpdate::new())))?;
    if let Script::Say(count) = script {
        for _ in 0..count {
            let chunk = ContentChunk::new(ContentBlock::from(CHUNK), answer.clone());
            update(SessionUpdate::AgentMessageChunk(chunk))?;
        }
    }
    let idle = IdleStateUpdate::new().stop_reason(StopReason::EndTurn);
    update(SessionUpdate::StateUpdate(StateUpdate::Idle(idle)))
}
