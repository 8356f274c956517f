//! A scripted client of version 2 on the official Rust SDK: `client-v2 <scenario> -- <agent>`
//! (see ../../../README.md).

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v2::schema::{
    CancelSessionNotification, CancelledPermissionOutcome, CloseSessionRequest, Implementation,
    InitializeRequest, ListSessionsRequest, NewSessionRequest, PromptRequest, ReplayFrom, ReplayFromStart,
    RequestPermissionRequest, RequestPermissionResponse, ResumeSessionRequest, SelectedPermissionOutcome,
    SessionId, SessionUpdate, StateUpdate, UpdateSessionNotification,
};
use agent_client_protocol::v2::{ConnectionTo, Responder, schema::RequestPermissionOutcome};
use agent_client_protocol::{
    AcpAgent, Agent, Client, Error, Result, on_receive_notification, on_receive_request,
};
use rust_sdk_peer::{Report, run_client};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

#[tokio::main]
async fn main() -> Result<()> {
    let report = Report::new(&["turns", "permissions", "late"]);
    run_client(&report, async |agent, scenario| connect(agent, scenario, &report).await).await
}

type Link = ConnectionTo<Agent>;

/// Messages to the client, in the order of the wire.
enum Seen {
    Update(SessionUpdate),
    Asked(RequestPermissionRequest, Responder<RequestPermissionResponse>),
}

async fn connect(agent: AcpAgent, scenario: Value, report: &Report) -> Result<()> {
    let (updates, seen) = unbounded_channel();
    let asked = updates.clone();
    Client
        .v2()
        .name("interop-client-v2")
        .on_receive_notification(
            async move |notification: UpdateSessionNotification, _: Link| {
                pass(&updates, Seen::Update(notification.update))
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest,
                        responder: Responder<RequestPermissionResponse>,
                        _: Link| { pass(&asked, Seen::Asked(request, responder)) },
            on_receive_request!(),
        )
        .connect_with(agent, async |agent: Link| converse(&scenario, agent, seen, report).await)
        .await
}

fn pass(to: &UnboundedSender<Seen>, seen: Seen) -> Result<()> {
    to.send(seen).map_err(|_| Error::internal_error().data("the conversation is over"))
}

async fn converse(
    scenario: &Value,
    agent: Link,
    mut seen: UnboundedReceiver<Seen>,
    report: &Report,
) -> Result<()> {
    let info = Implementation::new("rust-sdk-client", "5.0.0");
    let initialize = InitializeRequest::new(ProtocolVersion::V2, info);
    let initialized = agent.send_request(initialize).block_task().await?;
    report.set("initialize", json!(initialized));
    let cwd = scenario["cwd"].as_str().unwrap_or_default().to_owned();
    let opened = agent.send_request(NewSessionRequest::new(cwd.as_str())).block_task().await?;
    report.set("session", json!(opened));
    let session = opened.session_id;
    for wanted in scenario["turns"].as_array().into_iter().flatten() {
        run_turn(wanted, &session, &agent, &mut seen, report).await?;
    }
    for step in scenario["then"].as_array().into_iter().flatten() {
        match step.as_str().unwrap_or_default() {
            "list" => {
                let listed = agent.send_request(ListSessionsRequest::new()).block_task().await?;
                report.set("list", json!(listed.sessions));
            }
            "close" => {
                agent.send_request(CloseSessionRequest::new(session.clone())).block_task().await?;
                report.set("close", json!(true));
            }
            step => {
                // What came before belongs to no replay.
                drain(&mut seen);
                let mut resume = ResumeSessionRequest::new(session.clone(), cwd.as_str());
                if step == "replay" {
                    resume = resume.replay_from(ReplayFrom::from(ReplayFromStart::new()));
                }
                agent.send_request(resume).block_task().await?;
                report.set(step, json!(drain(&mut seen)));
            }
        }
    }
    // A round trip: all that either side sent before has arrived then.
    agent.send_request(NewSessionRequest::new(cwd.as_str())).block_task().await?;
    Ok(())
}

/// Takes the updates that are there.
fn drain(seen: &mut UnboundedReceiver<Seen>) -> Vec<SessionUpdate> {
    let mut updates = Vec::new();
    while let Ok(Seen::Update(update)) = seen.try_recv() {
        updates.push(update);
    }
    updates
}

/// Prompts, and follows the turn to its end: the first change to idle.
async fn run_turn(
    wanted: &Value,
    session: &SessionId,
    agent: &Link,
    seen: &mut UnboundedReceiver<Seen>,
    report: &Report,
) -> Result<()> {
    if wanted["cancelBefore"] == true {
        agent.send_notification(CancelSessionNotification::new(session.clone()))?;
    }
    drain(seen);
    let text = wanted["prompt"].as_str().unwrap_or_default();
    let request = PromptRequest::new(session.clone(), vec![text.into()]);
    let accepted = agent.send_request(request).block_task().await?;
    let mut turn = Turn { wanted, session, agent, cancelled: false };
    let (mut updates, mut active, mut held) = (Vec::new(), false, Vec::new());
    let stop = loop {
        match seen.recv().await.ok_or_else(|| Error::internal_error().data("the agent is gone"))? {
            Seen::Asked(request, responder) => {
                report.note("permissions", json!(request));
                let answer = turn.answer(&request)?;
                if turn.cancelled && wanted["holdAnswer"] == true {
                    held.push((responder, answer));
                } else {
                    responder.respond(answer)?;
                }
            }
            Seen::Update(update) => {
                turn.happened(json!(update)["sessionUpdate"].as_str().unwrap_or_default())?;
                updates.push(json!(update));
                match update {
                    SessionUpdate::StateUpdate(StateUpdate::Idle(_)) if active => {
                        break json!(update)["stopReason"].clone();
                    }
                    SessionUpdate::StateUpdate(StateUpdate::Idle(_)) => {}
                    SessionUpdate::StateUpdate(_) => active = true,
                    _ => {}
                }
            }
        }
    };
    report.note("turns", json!({ "messageId": accepted.message_id, "stopReason": stop, "updates": updates }));
    Ok(())
}

/// A turn's place in the scenario.
struct Turn<'a> {
    wanted: &'a Value,
    session: &'a SessionId,
    agent: &'a Link,
    cancelled: bool,
}

impl Turn<'_> {
    fn answer(&mut self, request: &RequestPermissionRequest) -> Result<RequestPermissionResponse> {
        self.happened("permission")?;
        if self.cancelled {
            return Ok(RequestPermissionResponse::new(CancelledPermissionOutcome::new().into()));
        }
        let chosen = request.options.iter().find(|option| json!(option.kind) == self.wanted["permission"]);
        let chosen = chosen.ok_or_else(|| Error::invalid_params().data("no option of the wanted kind"))?;
        let chosen = SelectedPermissionOutcome::new(chosen.option_id.clone());
        Ok(RequestPermissionResponse::new(RequestPermissionOutcome::Selected(chosen)))
    }

    /// Sends `session/cancel` once, at the first event that the turn names in `cancelOn`.
    fn happened(&mut self, event: &str) -> Result<()> {
        if self.cancelled || self.wanted["cancelOn"] != event {
            return Ok(());
        }
        self.cancelled = true;
        self.agent.send_notification(CancelSessionNotification::new(self.session.clone()))
    }
}
