use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentChunk, InitializeRequest, InitializeResponse, NewSessionRequest, NewSessionResponse, PromptRequest,
    PromptResponse, SessionNotification, SessionUpdate, StopReason,
};
use agent_client_protocol::{Agent, Client, Result, Stdio, on_receive_request};

#[tokio::main]
async fn main() -> Result<()> {
    Agent
        .v1()
        .name("echo")
        .on_receive_request(
            async move |initialize: InitializeRequest, responder, _client| {
                responder.respond(InitializeResponse::new(initialize.protocol_version))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: NewSessionRequest, responder, _client| {
                responder.respond(NewSessionResponse::new("one"))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, client: ConnectionTo<Client>| {
                for block in request.prompt {
                    let update = SessionUpdate::AgentMessageChunk(ContentChunk::new(block));
                    client.send_notification(SessionNotification::new(request.session_id.clone(), update))?;
                }
                responder.respond(PromptResponse::new(StopReason::EndTurn))
            },
            on_receive_request!(),
        )
        .connect_to(Stdio::new())
        .await
}
