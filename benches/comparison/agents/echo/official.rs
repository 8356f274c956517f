//! Says what it is told.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, Implementation, InitializeRequest, InitializeResponse, NewSessionRequest,
    NewSessionResponse, PromptRequest, PromptResponse, SessionId, SessionNotification, SessionUpdate,
    StopReason,
};
use agent_client_protocol::{Agent, Client, Error, ErrorCode, Result, Stdio, on_receive_request};
use serde_json::json;

#[derive(Default)]
struct Sessions(Mutex<HashSet<SessionId>>);

impl Sessions {
    fn open(&self, request: &NewSessionRequest) -> Result<SessionId> {
        if !request.cwd.is_absolute() {
            return Err(Error::invalid_params().data("`cwd`: expected an absolute path"));
        }
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let id = SessionId::new(format!("echo-{}", sessions.len() + 1));
        sessions.insert(id.clone());
        Ok(id)
    }

    fn check(&self, request: &PromptRequest) -> Result<()> {
        let id = &request.session_id;
        if !self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(id) {
            let error = Error::new(ErrorCode::RESOURCE_NOT_FOUND, "no such session");
            return Err(error.data(json!({ "sessionId": id })));
        }
        for block in &request.prompt {
            if !matches!(block, ContentBlock::Text(_) | ContentBlock::ResourceLink(_)) {
                return Err(Error::invalid_params().data("`prompt`: only text and links are taken"));
            }
        }
        Ok(())
    }
}

fn echo(request: PromptRequest, client: &ConnectionTo<Client>) -> Result<PromptResponse> {
    for block in request.prompt {
        let update = SessionUpdate::AgentMessageChunk(ContentChunk::new(block));
        client.send_notification(SessionNotification::new(request.session_id.clone(), update))?;
    }
    Ok(PromptResponse::new(StopReason::EndTurn))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let sessions = Arc::new(Sessions::default());
    let for_new = sessions.clone();
    Agent
        .v1()
        .name("echo")
        .on_receive_request(
            async move |_: InitializeRequest, responder, _client| {
                let info = Implementation::new("echo", "1.0.0");
                responder.respond(InitializeResponse::new(ProtocolVersion::V1).agent_info(info))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, _client| {
                responder.respond_with_result(for_new.open(&request).map(NewSessionResponse::new))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, client: ConnectionTo<Client>| {
                let answer = sessions.check(&request).and_then(|()| echo(request, &client));
                responder.respond_with_result(answer)
            },
            on_receive_request!(),
        )
        .connect_to(Stdio::new())
        .await
}
