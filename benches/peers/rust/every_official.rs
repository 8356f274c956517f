use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AuthenticateRequest, AuthenticateResponse, CancelNotification, CloseSessionRequest, CloseSessionResponse,
    ContentBlock, ContentChunk, DeleteSessionRequest, DeleteSessionResponse, InitializeRequest,
    InitializeResponse, ListSessionsRequest, ListSessionsResponse, LoadSessionRequest, LoadSessionResponse,
    LogoutRequest, LogoutResponse, NewSessionRequest, NewSessionResponse, PromptRequest, PromptResponse,
    ResumeSessionRequest, ResumeSessionResponse, SessionNotification, SessionUpdate,
    SetSessionConfigOptionRequest, SetSessionConfigOptionResponse, SetSessionModeRequest,
    SetSessionModeResponse, StopReason, TextContent,
};
use agent_client_protocol::{Agent, ByteStreams, Client, Result, on_receive_notification, on_receive_request};
use tokio_util::compat::{TokioAsyncReadCompatExt as _, TokioAsyncWriteCompatExt as _};

async fn serve(stream: tokio::io::DuplexStream) -> Result<()> {
    macro_rules! answer {
        ($agent:expr $(, $request:ty => $response:expr)*) => {
            $agent$(.on_receive_request(
                async move |_: $request, responder, _client| responder.respond($response),
                on_receive_request!(),
            ))*
        };
    }
    let (reader, writer) = tokio::io::split(stream);
    answer!(
        Agent.v1().name("every"),
        LoadSessionRequest => LoadSessionResponse::new(),
        ResumeSessionRequest => ResumeSessionResponse::new(),
        ListSessionsRequest => ListSessionsResponse::new(Vec::new()),
        CloseSessionRequest => CloseSessionResponse::new(),
        DeleteSessionRequest => DeleteSessionResponse::new(),
        SetSessionModeRequest => SetSessionModeResponse::new(),
        SetSessionConfigOptionRequest => SetSessionConfigOptionResponse::new(Vec::new()),
        AuthenticateRequest => AuthenticateResponse::new(),
        LogoutRequest => LogoutResponse::new(),
        NewSessionRequest => NewSessionResponse::new("one")
    )
    .on_receive_notification(async move |_: CancelNotification, _client| Ok(()), on_receive_notification!())
    .on_receive_request(
        async move |initialize: InitializeRequest, responder, _client| {
            responder.respond(InitializeResponse::new(initialize.protocol_version))
        },
        on_receive_request!(),
    )
    .on_receive_request(
        async move |request: PromptRequest, responder, client: ConnectionTo<Client>| {
            let block = ContentBlock::Text(TextContent::new("hello"));
            let update = SessionUpdate::AgentMessageChunk(ContentChunk::new(block));
            client.send_notification(SessionNotification::new(request.session_id.clone(), update))?;
            responder.respond(PromptResponse::new(StopReason::EndTurn))
        },
        on_receive_request!(),
    )
    .connect_to(ByteStreams::new(writer.compat_write(), reader.compat()))
    .await
}
