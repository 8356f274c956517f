//! A scripted agent on the official Rust SDK, over HTTP and WebSocket (see ../../../README.md).
//! Prints its address.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, CancelNotification, ContentBlock, ContentChunk, InitializeRequest, InitializeResponse,
    LoadSessionRequest, LoadSessionResponse, NewSessionRequest, NewSessionResponse, PermissionOption,
    PermissionOptionKind, PromptRequest, PromptResponse, RequestPermissionOutcome, RequestPermissionRequest,
    SessionId, SessionNotification, SessionUpdate, StopReason, TextContent, ToolCallUpdate,
    ToolCallUpdateFields,
};
use agent_client_protocol::{
    Agent, Client, ConnectTo, Error, Result, on_receive_notification, on_receive_request,
};
use agent_client_protocol_http::AcpHttpServer;
use tokio::sync::watch;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let state = Arc::new(State::default());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, AcpHttpServer::new(move || agent(&state)).into_router()).await
}

fn agent(state: &Arc<State>) -> impl ConnectTo<Client> + use<> {
    let (for_new, for_load, for_prompt, for_cancel) =
        (state.clone(), state.clone(), state.clone(), state.clone());
    Agent
        .v1()
        .name("interop-agent")
        .on_receive_request(
            async move |_: InitializeRequest, responder, _client| {
                let capabilities = AgentCapabilities::new().load_session(true);
                let response = InitializeResponse::new(ProtocolVersion::V1).agent_capabilities(capabilities);
                responder.respond(response)
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: NewSessionRequest, responder, _client| {
                responder.respond(NewSessionResponse::new(for_new.open()))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: LoadSessionRequest, responder, client: ConnectionTo<Client>| {
                let said = for_load.session(&request.session_id, |session| session.said.clone())?;
                for text in said {
                    say(&client, &request.session_id, &text)?;
                }
                responder.respond(LoadSessionResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, client: ConnectionTo<Client>| {
                let state = for_prompt.clone();
                let to = client.clone();
                // A handler that awaits the client here would stop the SDK's dispatch loop.
                client.spawn(async move {
                    let stop_reason = state.prompt(request, &to).await;
                    responder.respond_with_result(stop_reason.map(PromptResponse::new))
                })
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |request: CancelNotification, _client| {
                for_cancel.session(&request.session_id, |session| session.cancel.send_replace(true))?;
                Ok(())
            },
            on_receive_notification!(),
        )
}

/// The sessions of all connections.
#[derive(Default)]
struct State {
    sessions: Mutex<HashMap<SessionId, Session>>,
}

#[derive(Default)]
struct Session {
    said: Vec<String>,
    cancel: watch::Sender<bool>,
}

impl State {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> SessionId {
        let mut sessions = self.lock();
        let id = SessionId::new(format!("rs-{}", sessions.len() + 1));
        sessions.insert(id.clone(), Session::default());
        id
    }

    fn session<T>(&self, id: &SessionId, see: impl FnOnce(&mut Session) -> T) -> Result<T> {
        self.lock().get_mut(id).map(see).ok_or_else(|| Error::invalid_params().data("no such session"))
    }

    async fn prompt(&self, request: PromptRequest, client: &ConnectionTo<Client>) -> Result<StopReason> {
        let id = &request.session_id;
        let mut cancelled = self.session(id, |session| {
            session.cancel.send_replace(false);
            session.cancel.subscribe()
        })?;
        let say = |text: &str| {
            self.session(id, |session| session.said.push(text.to_owned()))?;
            say(client, id, text)
        };
        let word = match request.prompt.first() {
            Some(ContentBlock::Text(text)) => text.text.as_str(),
            _ => "",
        };
        match word {
            "stream" => ["one ", "two ", "three"].into_iter().try_for_each(say)?,
            "permission" => say(&format!("answer: {}", ask(client, id).await?))?,
            "wait" => {
                say("waiting")?;
                cancelled.wait_for(|cancelled| *cancelled).await.map_err(Error::into_internal_error)?;
            }
            _ => return Err(Error::invalid_params().data("the prompt is not a known script word")),
        }
        let is_cancelled = *cancelled.borrow();
        Ok(if is_cancelled { StopReason::Cancelled } else { StopReason::EndTurn })
    }
}

fn say(client: &ConnectionTo<Client>, session: &SessionId, text: &str) -> Result<()> {
    let chunk = ContentChunk::new(ContentBlock::Text(TextContent::new(text)));
    client
        .send_notification(SessionNotification::new(session.clone(), SessionUpdate::AgentMessageChunk(chunk)))
}

async fn ask(client: &ConnectionTo<Client>, session: &SessionId) -> Result<String> {
    let options = vec![
        PermissionOption::new("opt-yes", "Yes", PermissionOptionKind::AllowOnce),
        PermissionOption::new("opt-no", "No", PermissionOptionKind::RejectOnce),
    ];
    let call = ToolCallUpdate::new("edit-1", ToolCallUpdateFields::new().title("Edit notes.txt"));
    let request = RequestPermissionRequest::new(session.clone(), call, options);
    Ok(match client.send_request(request).block_task().await?.outcome {
        RequestPermissionOutcome::Selected(selected) => selected.option_id.to_string(),
        _ => "cancelled".to_owned(),
    })
}
