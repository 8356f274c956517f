//! Starts an agent of either version, prompts it once and prints its answer:
//! `one_shot_both "What is here?" -- my-agent --acp`

use std::fs;
use std::io::{Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::{
    AcpAgent, AcpAgentConfig, Agent, Client, ConnectTo, Error, Result, on_receive_notification,
    on_receive_request, v1, v2,
};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The prompt, and the folder whose files the agent may read and write.
#[derive(Clone)]
struct Work {
    prompt: String,
    folder: PathBuf,
}

/// The half of version 1.
struct Version1(Work);

/// The half of version 2.
struct Version2(Work);

fn internal(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::into_internal_error(error)
}

fn show(text: &str) -> Result<()> {
    write!(stdout(), "{text}").map_err(internal)?;
    stdout().flush().map_err(internal)
}

fn end(reason: &str) -> Result<()> {
    writeln!(stdout(), "\n[{reason}]").map_err(internal)
}

impl Work {
    /// Returns the target of the path, if it is below the folder.
    fn inside(&self, path: &Path) -> Result<PathBuf> {
        let path = match (path.canonicalize(), path.parent(), path.file_name()) {
            (Ok(path), ..) => path,
            (Err(_), Some(folder), Some(name)) => folder.canonicalize().map_err(internal)?.join(name),
            _ => return Err(Error::invalid_params().data("`path`: expected that of a file")),
        };
        if !path.starts_with(&self.folder) {
            return Err(Error::invalid_params().data("`path`: outside of the session's folder"));
        }
        Ok(path)
    }

    fn read(&self, request: &v1::schema::ReadTextFileRequest) -> Result<v1::schema::ReadTextFileResponse> {
        let text = fs::read_to_string(self.inside(&request.path)?).map_err(internal)?;
        let skipped = request.line.map_or(0, |line| line.saturating_sub(1) as usize);
        let limit = request.limit.map_or(usize::MAX, |limit| limit as usize);
        let lines: String = text.split_inclusive('\n').skip(skipped).take(limit).collect();
        Ok(v1::schema::ReadTextFileResponse::new(lines))
    }

    fn write(&self, request: &v1::schema::WriteTextFileRequest) -> Result<v1::schema::WriteTextFileResponse> {
        fs::write(self.inside(&request.path)?, &request.content).map_err(internal)?;
        Ok(v1::schema::WriteTextFileResponse::new())
    }
}

impl ConnectTo<Agent> for Version1 {
    async fn connect_to(self, agent: impl ConnectTo<Client>) -> Result<()> {
        use v1::schema::{
            ContentBlock, ContentChunk, PermissionOptionKind, ReadTextFileRequest, RequestPermissionOutcome,
            RequestPermissionRequest, RequestPermissionResponse, SelectedPermissionOutcome,
            SessionNotification, SessionUpdate, WriteTextFileRequest,
        };
        let for_reads = Arc::new(self.0.clone());
        let for_writes = Arc::clone(&for_reads);
        Client
            .v1()
            .on_receive_notification(
                async move |notification: SessionNotification, _agent| match notification.update {
                    SessionUpdate::AgentMessageChunk(ContentChunk {
                        content: ContentBlock::Text(text),
                        ..
                    }) => show(&text.text),
                    _ => Ok(()),
                },
                on_receive_notification!(),
            )
            .on_receive_request(
                async move |request: RequestPermissionRequest, responder, _agent| {
                    let mut options = request.options.into_iter();
                    let chosen = options.find(|option| option.kind == PermissionOptionKind::AllowOnce);
                    let outcome = chosen.map_or(RequestPermissionOutcome::Cancelled, |option| {
                        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id))
                    });
                    responder.respond(RequestPermissionResponse::new(outcome))
                },
                on_receive_request!(),
            )
            .on_receive_request(
                async move |request: ReadTextFileRequest, responder, _agent| {
                    responder.respond_with_result(for_reads.read(&request))
                },
                on_receive_request!(),
            )
            .on_receive_request(
                async move |request: WriteTextFileRequest, responder, _agent| {
                    responder.respond_with_result(for_writes.write(&request))
                },
                on_receive_request!(),
            )
            .connect_with(agent, async move |agent| self.turn(agent).await)
            .await
    }
}

impl Version1 {
    async fn turn(self, agent: v1::ConnectionTo<Agent>) -> Result<()> {
        use v1::schema::{ClientCapabilities, FileSystemCapabilities, InitializeRequest};
        use v1::schema::{ContentBlock, NewSessionRequest, PromptRequest, TextContent};
        let files = FileSystemCapabilities::new().read_text_file(true).write_text_file(true);
        let capabilities = ClientCapabilities::new().fs(files);
        let initialize = InitializeRequest::new(ProtocolVersion::V1).client_capabilities(capabilities);
        let initialized = agent.send_request(initialize).block_task().await?;
        if initialized.protocol_version != ProtocolVersion::V1 {
            return Err(Error::internal_error().data("the agent speaks another version"));
        }
        let session = agent.send_request(NewSessionRequest::new(self.0.folder)).block_task().await?;
        let prompt = vec![ContentBlock::Text(TextContent::new(self.0.prompt))];
        let done = agent.send_request(PromptRequest::new(session.session_id, prompt)).block_task().await?;
        let reason = serde_json::to_value(done.stop_reason).map_err(internal)?;
        end(reason.as_str().unwrap_or_default())
    }
}

impl ConnectTo<Agent> for Version2 {
    async fn connect_to(self, agent: impl ConnectTo<Client>) -> Result<()> {
        use v2::schema::{
            CancelledPermissionOutcome, PermissionOptionKind, RequestPermissionOutcome,
            RequestPermissionRequest, RequestPermissionResponse, SelectedPermissionOutcome,
            UpdateSessionNotification,
        };
        let (tell, updates) = unbounded_channel();
        Client
            .v2()
            .on_receive_notification(
                async move |notification: UpdateSessionNotification, _: v2::ConnectionTo<Agent>| {
                    tell.send(notification.update).map_err(internal)
                },
                on_receive_notification!(),
            )
            .on_receive_request(
                async move |request: RequestPermissionRequest,
                            responder: v2::Responder<RequestPermissionResponse>,
                            _: v2::ConnectionTo<Agent>| {
                    let mut options = request.options.into_iter();
                    let chosen = options.find(|option| option.kind == PermissionOptionKind::AllowOnce);
                    let outcome = match chosen {
                        Some(option) => RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(
                            option.option_id,
                        )),
                        None => CancelledPermissionOutcome::new().into(),
                    };
                    responder.respond(RequestPermissionResponse::new(outcome))
                },
                on_receive_request!(),
            )
            .connect_with(agent, async move |agent| self.turn(agent, updates).await)
            .await
    }
}

impl Version2 {
    async fn turn(
        self,
        agent: v2::ConnectionTo<Agent>,
        mut updates: UnboundedReceiver<v2::schema::SessionUpdate>,
    ) -> Result<()> {
        use v2::schema::{ContentBlock, Implementation, InitializeRequest, NewSessionRequest, PromptRequest};
        use v2::schema::{SessionUpdate, StateUpdate};
        let initialize =
            InitializeRequest::new(ProtocolVersion::V2, Implementation::new("one_shot_both", "1.0.0"));
        let initialized = agent.send_request(initialize).block_task().await?;
        if initialized.capabilities.session.is_none() {
            return Err(Error::internal_error().data("the agent has no sessions"));
        }
        let session = agent.send_request(NewSessionRequest::new(self.0.folder)).block_task().await?;
        let prompt = PromptRequest::new(session.session_id, vec![ContentBlock::from(self.0.prompt)]);
        agent.send_request(prompt).block_task().await?;
        // The turn ends when the state changes to idle, which may be the state from the start on.
        let mut is_active = false;
        while let Some(update) = updates.recv().await {
            match update {
                SessionUpdate::AgentMessageChunk(chunk) => {
                    if let ContentBlock::Text(text) = chunk.content {
                        show(&text.text)?;
                    }
                }
                SessionUpdate::StateUpdate(StateUpdate::Idle(idle)) if is_active => {
                    let reason = serde_json::to_value(idle.stop_reason).map_err(internal)?;
                    return end(reason["stopReason"].as_str().unwrap_or_default());
                }
                SessionUpdate::StateUpdate(StateUpdate::Idle(_)) => {}
                SessionUpdate::StateUpdate(_) => is_active = true,
                _ => {}
            }
        }
        Err(Error::internal_error().data("the agent is gone"))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if let Err(error) = run().await {
        let _ = writeln!(stderr(), "{error}");
        std::process::exit(1);
    }
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let given = args.next().zip(args.nth(1));
    let (prompt, program) = given.ok_or("usage: one_shot_both PROMPT -- AGENT [ARGS…]")?;
    let work = Work { prompt, folder: std::env::current_dir()?.canonicalize()? };
    let (for_v1, arguments) = (work.clone(), args.collect::<Vec<_>>());
    Client
        .protocol_connector()
        .with_v1(move || Version1(for_v1.clone()))
        .with_v2(move || Version2(work.clone()))
        .connect_to(move || AcpAgent::new(AcpAgentConfig::new(&program).args(arguments.clone())))
        .await?;
    Ok(())
}
