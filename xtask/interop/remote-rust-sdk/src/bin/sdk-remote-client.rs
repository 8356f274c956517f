//! A scripted client on the official Rust SDK: `sdk-remote-client <ws or http> <url>`
//! (see ../../../README.md).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CancelNotification, ContentBlock, InitializeRequest, LoadSessionRequest, NewSessionRequest,
    PermissionOptionKind, PromptRequest, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome, SessionId, SessionNotification, SessionUpdate,
    StopReason, TextContent,
};
use agent_client_protocol::{Agent, Client, Error, Result, on_receive_notification, on_receive_request};
use agent_client_protocol_http::HttpClient;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

const LIMIT: Duration = Duration::from_secs(8);

#[tokio::main]
async fn main() {
    let url = std::env::args().nth(2).unwrap_or_default();
    let mut report = Map::new();
    for case in ["turn", "permission", "cancel", "two", "load"] {
        let outcome = match tokio::time::timeout(LIMIT * 2, run(case, &url)).await {
            Ok(Ok(())) => "ok".to_owned(),
            Ok(Err(error)) => {
                let data = error.data.map(|data| format!(" {data}")).unwrap_or_default();
                format!("{}{data}", error.message)
            }
            Err(_) => "the case does not end".to_owned(),
        };
        report.insert(case.to_owned(), json!(outcome));
    }
    println!("{}", Value::Object(report));
    // Whatever still hangs has been reported.
    std::process::exit(0);
}

async fn run(case: &str, url: &str) -> Result<()> {
    let streamed = "end_turn: one two three";
    if case == "load" {
        let id = connected(url, async |at| {
            let id = at.open().await?;
            at.prompt(&id, "stream").await?;
            Ok(id)
        })
        .await?;
        return connected(url, async |at| {
            expect(&at.load(&id).await?, "one two three")?;
            expect(&at.prompt(&id, "stream").await?, streamed)
        })
        .await;
    }
    connected(url, async |at| {
        let id = at.open().await?;
        match case {
            "turn" => expect(&at.prompt(&id, "stream").await?, streamed),
            "permission" => expect(&at.prompt(&id, "permission").await?, "end_turn: answer: opt-yes"),
            "cancel" => at.cancelled(&id, async || Ok(())).await,
            _ => {
                let other = at.open().await?;
                at.cancelled(&id, async || {
                    expect(&at.prompt(&other, "stream").await?, streamed)?;
                    expect(&at.prompt(&other, "permission").await?, "end_turn: answer: opt-yes")
                })
                .await
            }
        }
    })
    .await
}

/// A connection of its own.
async fn connected<T>(url: &str, converse: impl AsyncFnOnce(&Connection) -> Result<T>) -> Result<T> {
    let texts = Arc::new(Texts::default());
    let heard = texts.clone();
    let client = HttpClient::with_endpoint(url).map_err(Error::into_internal_error)?;
    Client
        .v1()
        .on_receive_notification(
            async move |notification: SessionNotification, _agent| {
                heard.add(notification);
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _agent| {
                let allows = |kind| matches!(kind, PermissionOptionKind::AllowOnce);
                let chosen = request.options.into_iter().find(|option| allows(option.kind));
                let chosen = chosen.ok_or_else(Error::invalid_params)?;
                let selected = SelectedPermissionOutcome::new(chosen.option_id);
                responder
                    .respond(RequestPermissionResponse::new(RequestPermissionOutcome::Selected(selected)))
            },
            on_receive_request!(),
        )
        .connect_with(client, async |agent: ConnectionTo<Agent>| {
            let initialize = agent.send_request(InitializeRequest::new(ProtocolVersion::V1)).block_task();
            in_time(initialize, "initialize").await?;
            converse(&Connection { agent, texts }).await
        })
        .await
}

/// The text of each session.
#[derive(Default)]
struct Texts {
    by_session: Mutex<HashMap<SessionId, String>>,
    heard: watch::Sender<()>,
}

impl Texts {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, String>> {
        self.by_session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, notification: SessionNotification) {
        if let SessionUpdate::AgentMessageChunk(chunk) = notification.update
            && let ContentBlock::Text(text) = chunk.content
        {
            self.lock().entry(notification.session_id).or_default().push_str(&text.text);
        }
        self.heard.send_replace(());
    }

    fn of(&self, session: &SessionId) -> String {
        self.lock().get(session).cloned().unwrap_or_default()
    }
}

struct Connection {
    agent: ConnectionTo<Agent>,
    texts: Arc<Texts>,
}

impl Connection {
    async fn open(&self) -> Result<SessionId> {
        let request = self.agent.send_request(NewSessionRequest::new("/")).block_task();
        Ok(in_time(request, "session/new").await?.session_id)
    }

    async fn load(&self, id: &SessionId) -> Result<String> {
        let request = self.agent.send_request(LoadSessionRequest::new(id.clone(), "/")).block_task();
        in_time(request, "session/load").await?;
        Ok(self.texts.of(id))
    }

    /// Returns the stop reason, and the text that was there when it came.
    async fn prompt(&self, id: &SessionId, text: &str) -> Result<String> {
        self.texts.lock().remove(id);
        let prompt = vec![ContentBlock::Text(TextContent::new(text))];
        let request = self.agent.send_request(PromptRequest::new(id.clone(), prompt)).block_task();
        let reason = match in_time(request, "session/prompt").await?.stop_reason {
            StopReason::EndTurn => "end_turn",
            StopReason::Cancelled => "cancelled",
            _ => "another reason",
        };
        Ok(format!("{reason}: {}", self.texts.of(id)))
    }

    /// Cancels a turn that waits for it, after something else was done.
    async fn cancelled(&self, id: &SessionId, meanwhile: impl AsyncFnOnce() -> Result<()>) -> Result<()> {
        let mut heard = self.texts.heard.subscribe();
        let turn = self.prompt(id, "wait");
        let cancel = async {
            while self.texts.of(id).is_empty() {
                heard.changed().await.map_err(Error::into_internal_error)?;
            }
            meanwhile().await?;
            self.agent.send_notification(CancelNotification::new(id.clone()))
        };
        let (turn, cancel) = tokio::join!(turn, cancel);
        cancel?;
        expect(&turn?, "cancelled: waiting")
    }
}

async fn in_time<T>(answer: impl Future<Output = Result<T>>, what: &str) -> Result<T> {
    let late = |_| Err(Error::internal_error().data(format!("{what} is not answered")));
    tokio::time::timeout(LIMIT, answer).await.unwrap_or_else(late)
}

fn expect(found: &str, wanted: &str) -> Result<()> {
    if found == wanted {
        return Ok(());
    }
    Err(Error::internal_error().data(format!("got `{found}` instead of `{wanted}`")))
}
