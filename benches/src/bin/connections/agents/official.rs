//! The agent on the official Rust SDK.

use std::sync::atomic::{AtomicUsize, Ordering};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, Diff, InitializeRequest, InitializeResponse, NewSessionRequest,
    NewSessionResponse, PromptRequest, PromptResponse, ReadTextFileRequest, SessionNotification,
    SessionUpdate, StopReason, TextContent, ToolCallContent, ToolCallUpdate, ToolCallUpdateFields,
};
use agent_client_protocol::{Agent, ByteStreams, Client, ConnectTo, Result, Stdio, on_receive_request};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use tokio::io::DuplexStream;
use tokio::net::unix::pipe;
use tokio_util::compat::{TokioAsyncReadCompatExt as _, TokioAsyncWriteCompatExt as _};

use crate::script::{CHUNK, FILE, Script, code};

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

async fn serve(transport: impl ConnectTo<Agent> + 'static) -> Result<()> {
    let sessions = AtomicUsize::new(0);
    Agent
        .v1()
        .name("bench")
        .on_receive_request(
            async move |_: InitializeRequest, responder, _client| {
                responder.respond(InitializeResponse::new(ProtocolVersion::V1))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: NewSessionRequest, responder, _client| {
                let number = sessions.fetch_add(1, Ordering::Relaxed);
                responder.respond(NewSessionResponse::new(format!("sess_{number:011}")))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, client: ConnectionTo<Client>| {
                // A handler that awaits the client here would stop the SDK's dispatch loop.
                client
                    .clone()
                    .spawn(async move { responder.respond_with_result(turn(&request, &client).await) })
            },
            on_receive_request!(),
        )
        .connect_to(transport)
        .await
}

async fn turn(request: &PromptRequest, client: &ConnectionTo<Client>) -> Result<PromptResponse> {
    let text = match request.prompt.first() {
        Some(ContentBlock::Text(text)) => text.text.as_str(),
        _ => "",
    };
    let update =
        |update| client.send_notification(SessionNotification::new(request.session_id.clone(), update));
    match Script::parse(text) {
        Script::Say(count) => {
            for _ in 0..count {
                let block = ContentBlock::Text(TextContent::new(CHUNK));
                update(SessionUpdate::AgentMessageChunk(ContentChunk::new(block)))?;
            }
        }
        Script::Diffs(count) => {
            let (old, new) = (code("settings"), code("options"));
            for _ in 0..count {
                let diff = Diff::new(FILE, new.as_str()).old_text(old.as_str());
                let fields = ToolCallUpdateFields::new().content(vec![ToolCallContent::Diff(diff)]);
                update(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new("call_0017", fields)))?;
            }
        }
        Script::Read { count, wide } => {
            let read = || ReadTextFileRequest::new(request.session_id.clone(), FILE);
            let reads = stream::iter(0..count).map(|_| client.send_request(read()).block_task());
            reads.buffer_unordered(wide).try_for_each(|_| async { Ok(()) }).await?;
        }
        _ => {}
    }
    Ok(PromptResponse::new(StopReason::EndTurn))
}
