//! The server of `agent-client-protocol-http`, with agents of its SDK.

use std::sync::atomic::{AtomicUsize, Ordering};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, InitializeRequest, InitializeResponse, NewSessionRequest, NewSessionResponse,
    PromptRequest, PromptResponse, SessionNotification, SessionUpdate, StopReason, TextContent,
};
use agent_client_protocol::{Agent, Client, ConnectTo, Result, on_receive_request};
use agent_client_protocol_http::AcpHttpServer;
use axum::serve::ListenerExt as _;
use tokio::net::TcpListener;

use crate::messages::{CHUNK, UPDATES};

pub(super) async fn serve(listener: TcpListener) -> anyhow::Result<()> {
    let listener = listener.tap_io(|socket| drop(socket.set_nodelay(true)));
    Ok(axum::serve(listener, AcpHttpServer::new(agent).into_router()).await?)
}

fn agent() -> impl ConnectTo<Client> {
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
                responder.respond(NewSessionResponse::new(format!("sess_{number:032}")))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, client: ConnectionTo<Client>| {
                // A handler that awaits the client here would stop the SDK's dispatch loop.
                client.clone().spawn(async move { responder.respond_with_result(turn(&request, &client)) })
            },
            on_receive_request!(),
        )
}

fn turn(request: &PromptRequest, client: &ConnectionTo<Client>) -> Result<PromptResponse> {
    for _ in 0..UPDATES {
        let block = ContentBlock::Text(TextContent::new(CHUNK));
        let update = SessionUpdate::AgentMessageChunk(ContentChunk::new(block));
        client.send_notification(SessionNotification::new(request.session_id.clone(), update))?;
    }
    Ok(PromptResponse::new(StopReason::EndTurn))
}
