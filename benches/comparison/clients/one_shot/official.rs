//! Starts an agent, prompts it once and prints its answer:
//! `one_shot_client "What is here?" -- my-agent --acp`

use std::fs;
use std::io::{Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ClientCapabilities, ContentBlock, ContentChunk, FileSystemCapabilities, InitializeRequest,
    NewSessionRequest, PermissionOptionKind, PromptRequest, ReadTextFileRequest, ReadTextFileResponse,
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse, SelectedPermissionOutcome,
    SessionNotification, SessionUpdate, TextContent, WriteTextFileRequest, WriteTextFileResponse,
};
use agent_client_protocol::{
    AcpAgent, AcpAgentConfig, Agent, Client, Error, Result, on_receive_notification, on_receive_request,
};

/// The folder whose files the agent may read and write.
struct Files(PathBuf);

impl Files {
    fn new(folder: &Path) -> Result<Self> {
        Ok(Self(folder.canonicalize().map_err(Error::into_internal_error)?))
    }

    /// Returns the target of the path, if it is below the folder.
    fn inside(&self, path: &Path) -> Result<PathBuf> {
        let path = match (path.canonicalize(), path.parent(), path.file_name()) {
            (Ok(path), ..) => path,
            (Err(_), Some(folder), Some(name)) => {
                folder.canonicalize().map_err(Error::into_internal_error)?.join(name)
            }
            _ => return Err(Error::invalid_params().data("`path`: expected that of a file")),
        };
        if !path.starts_with(&self.0) {
            return Err(Error::invalid_params().data("`path`: outside of the session's folder"));
        }
        Ok(path)
    }

    fn read(&self, request: &ReadTextFileRequest) -> Result<ReadTextFileResponse> {
        let text = fs::read_to_string(self.inside(&request.path)?).map_err(Error::into_internal_error)?;
        let skipped = request.line.map_or(0, |line| line.saturating_sub(1) as usize);
        let limit = request.limit.map_or(usize::MAX, |limit| limit as usize);
        let lines: String = text.split_inclusive('\n').skip(skipped).take(limit).collect();
        Ok(ReadTextFileResponse::new(lines))
    }

    fn write(&self, request: &WriteTextFileRequest) -> Result<WriteTextFileResponse> {
        fs::write(self.inside(&request.path)?, &request.content).map_err(Error::into_internal_error)?;
        Ok(WriteTextFileResponse::new())
    }
}

/// Allows the call this time, if that is offered.
fn allow_once(request: &RequestPermissionRequest) -> RequestPermissionResponse {
    let option = request.options.iter().find(|option| option.kind == PermissionOptionKind::AllowOnce);
    RequestPermissionResponse::new(match option {
        Some(option) => {
            RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone()))
        }
        None => RequestPermissionOutcome::Cancelled,
    })
}

fn show(update: &SessionUpdate) -> Result<()> {
    if let SessionUpdate::AgentMessageChunk(ContentChunk { content: ContentBlock::Text(text), .. }) = update {
        write!(stdout(), "{}", text.text).map_err(Error::into_internal_error)?;
        stdout().flush().map_err(Error::into_internal_error)?;
    }
    Ok(())
}

async fn turn(agent: ConnectionTo<Agent>, cwd: PathBuf, prompt: String) -> Result<()> {
    let files = FileSystemCapabilities::new().read_text_file(true).write_text_file(true);
    let capabilities = ClientCapabilities::new().fs(files);
    let initialize = InitializeRequest::new(ProtocolVersion::V1).client_capabilities(capabilities);
    let initialized = agent.send_request(initialize).block_task().await?;
    if initialized.protocol_version != ProtocolVersion::V1 {
        return Err(Error::internal_error().data("the agent speaks another version"));
    }
    let session = agent.send_request(NewSessionRequest::new(cwd)).block_task().await?;
    let prompt = vec![ContentBlock::Text(TextContent::new(prompt))];
    let done = agent.send_request(PromptRequest::new(session.session_id, prompt)).block_task().await?;
    let reason = serde_json::to_value(done.stop_reason).map_err(Error::into_internal_error)?;
    writeln!(stdout(), "\n[{}]", reason.as_str().unwrap_or_default()).map_err(Error::into_internal_error)
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
    let (prompt, program) = given.ok_or("usage: one_shot_client PROMPT -- AGENT [ARGS…]")?;
    let cwd = std::env::current_dir()?;
    let for_reads = Arc::new(Files::new(&cwd)?);
    let for_writes = Arc::clone(&for_reads);
    Client
        .v1()
        .on_receive_notification(
            async move |notification: SessionNotification, _agent| show(&notification.update),
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _agent| {
                responder.respond(allow_once(&request))
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
        .connect_with(AcpAgent::new(AcpAgentConfig::new(program).args(args)), async move |agent| {
            turn(agent, cwd, prompt).await
        })
        .await?;
    Ok(())
}
