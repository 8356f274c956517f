//! A scripted client on the official Rust SDK: `client <scenario> -- <agent command>`
//! (see ../../../README.md).

use std::sync::{Arc, Mutex};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CancelNotification, ClientCapabilities, ContentBlock, FileSystemCapabilities, Implementation,
    InitializeRequest, NewSessionRequest, PromptRequest, ReadTextFileRequest, ReadTextFileResponse,
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse, SelectedPermissionOutcome,
    SessionId, SessionNotification, TextContent, WriteTextFileRequest, WriteTextFileResponse,
};
use agent_client_protocol::{
    AcpAgent, Agent, Client, Error, Result, on_receive_notification, on_receive_request,
};
use rust_sdk_peer::{Report, lock, run_client};
use serde_json::{Value, json};
use tokio::sync::watch;

#[tokio::main]
async fn main() -> Result<()> {
    let observer = Arc::new(Observer::default());
    run_client(&observer.report, async |agent, scenario| connect(agent, scenario, observer.clone()).await)
        .await
}

async fn connect(agent: AcpAgent, scenario: Value, observer: Arc<Observer>) -> Result<()> {
    let (updates, permissions, reads, writes) =
        (observer.clone(), observer.clone(), observer.clone(), observer.clone());
    Client
        .v1()
        .on_receive_notification(
            async move |notification: SessionNotification, agent: ConnectionTo<Agent>| {
                updates.update(&notification, &agent)
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, agent: ConnectionTo<Agent>| {
                let outcome = permissions.clone().permission(request, &agent)?;
                // Spawned, because a held answer would stop the SDK's dispatch loop.
                let permissions = permissions.clone();
                agent.spawn(async move {
                    let answer = outcome.await.map(RequestPermissionResponse::new);
                    let sent = responder.respond_with_result(answer);
                    permissions.open.send_modify(|open| *open -= 1);
                    sent
                })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ReadTextFileRequest, responder, agent: ConnectionTo<Agent>| {
                reads.report.note("reads", json!(request.path));
                reads.happened("read", &agent)?;
                let text = std::fs::read_to_string(&request.path).map_err(Error::into_internal_error);
                responder.respond_with_result(text.map(ReadTextFileResponse::new))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: WriteTextFileRequest, responder, agent: ConnectionTo<Agent>| {
                writes.report.note("writes", json!(request.path));
                writes.happened("write", &agent)?;
                let written =
                    std::fs::write(&request.path, request.content).map_err(Error::into_internal_error);
                responder.respond_with_result(written.map(|()| WriteTextFileResponse::new()))
            },
            on_receive_request!(),
        )
        .connect_with(agent, async |agent: ConnectionTo<Agent>| observer.converse(&scenario, &agent).await)
        .await
}

/// The client's observations, and its place in the scenario.
struct Observer {
    report: Report,
    turn: Mutex<Option<Turn>>,
    /// Counts finished turns, for answers that are held until their turn is over.
    finished: watch::Sender<usize>,
    /// Counts permission requests without an answer. The handler answers the other requests itself.
    open: watch::Sender<usize>,
}

struct Turn {
    session: SessionId,
    wanted: Value,
    updates: Vec<Value>,
    cancel_sent: bool,
}

impl Default for Observer {
    fn default() -> Self {
        Self {
            report: Report::new(&["turns", "permissions", "reads", "writes", "late"]),
            turn: Mutex::new(None),
            finished: watch::Sender::new(0),
            open: watch::Sender::new(0),
        }
    }
}

impl Observer {
    async fn converse(&self, scenario: &Value, agent: &ConnectionTo<Agent>) -> Result<()> {
        let version = match scenario.get("protocolVersion") {
            Some(version) => serde_json::from_value(version.clone()).map_err(Error::into_internal_error)?,
            None => ProtocolVersion::V1,
        };
        let served = scenario["fs"] == true;
        let fs = FileSystemCapabilities::new().read_text_file(served).write_text_file(served);
        let initialize = InitializeRequest::new(version)
            .client_capabilities(ClientCapabilities::new().fs(fs))
            .client_info(Implementation::new("rust-sdk-client", "5.0.0"));
        let initialized = agent.send_request(initialize).block_task().await?;
        self.report.set("initialize", json!(initialized));

        let cwd = scenario["cwd"].as_str().unwrap_or_default();
        let session = agent.send_request(NewSessionRequest::new(cwd)).block_task().await?;
        self.report.set("session", json!(session));
        for wanted in scenario["turns"].as_array().into_iter().flatten() {
            self.run_turn(wanted, &session.session_id, agent).await?;
        }
        self.settle(cwd, agent).await
    }

    /// A round trip after the last answer: all that either side sent before has arrived then.
    async fn settle(&self, cwd: &str, agent: &ConnectionTo<Agent>) -> Result<()> {
        self.open.subscribe().wait_for(|open| *open == 0).await.map_err(Error::into_internal_error)?;
        agent.send_request(NewSessionRequest::new(cwd)).block_task().await?;
        Ok(())
    }

    async fn run_turn(&self, wanted: &Value, session: &SessionId, agent: &ConnectionTo<Agent>) -> Result<()> {
        let (session, wanted) = (session.clone(), wanted.clone());
        if wanted["cancelBefore"] == true {
            agent.send_notification(CancelNotification::new(session.clone()))?;
        }
        let text = wanted["prompt"].as_str().unwrap_or_default().to_owned();
        let request = PromptRequest::new(session.clone(), vec![ContentBlock::Text(TextContent::new(text))]);
        *lock(&self.turn) = Some(Turn { session, wanted, updates: Vec::new(), cancel_sent: false });
        let response = agent.send_request(request).block_task().await?;
        let turn = lock(&self.turn).take();
        let updates = turn.map(|turn| turn.updates).unwrap_or_default();
        self.report.note("turns", json!({ "stopReason": response.stop_reason, "updates": updates }));
        self.finished.send_modify(|turns| *turns += 1);
        Ok(())
    }

    fn update(&self, notification: &SessionNotification, agent: &ConnectionTo<Agent>) -> Result<()> {
        let update = json!(notification.update);
        let kind = update["sessionUpdate"].as_str().unwrap_or_default().to_owned();
        let late = match lock(&self.turn).as_mut() {
            Some(turn) => {
                turn.updates.push(update);
                None
            }
            None => Some(update),
        };
        if let Some(update) = late {
            self.report.note("late", update);
        }
        self.happened(&kind, agent)
    }

    /// Notes the request at once; the future resolves when the answer is due.
    fn permission(
        self: Arc<Self>,
        request: RequestPermissionRequest,
        agent: &ConnectionTo<Agent>,
    ) -> Result<impl Future<Output = Result<RequestPermissionOutcome>> + Send + 'static> {
        self.report.note("permissions", json!(request));
        self.happened("permission", agent)?;
        self.open.send_modify(|open| *open += 1);
        let turn = lock(&self.turn);
        let (wanted, cancel_sent) =
            turn.as_ref().map_or((Value::Null, true), |turn| (turn.wanted.clone(), turn.cancel_sent));
        let mut finished = self.finished.subscribe();
        drop(turn);
        Ok(async move {
            if cancel_sent {
                if wanted["holdAnswer"] == true {
                    finished.changed().await.map_err(Error::into_internal_error)?;
                }
                return Ok(RequestPermissionOutcome::Cancelled);
            }
            let chosen = request.options.iter().find(|option| json!(option.kind) == wanted["permission"]);
            let chosen =
                chosen.ok_or_else(|| Error::invalid_params().data("no option of the wanted kind"))?;
            Ok(RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(chosen.option_id.clone())))
        })
    }

    /// Sends `session/cancel` once, at the first event that the turn names in `cancelOn`.
    fn happened(&self, event: &str, agent: &ConnectionTo<Agent>) -> Result<()> {
        let mut turn = lock(&self.turn);
        let Some(turn) = turn.as_mut().filter(|turn| !turn.cancel_sent && turn.wanted["cancelOn"] == event)
        else {
            return Ok(());
        };
        turn.cancel_sent = true;
        agent.send_notification(CancelNotification::new(turn.session.clone()))
    }
}
