//! The agent of the floor.

use acp_types::v1::{
    AgentCapabilities, ContentBlock, ContentChunk, Diff, InitializeRequest, InitializeResponse,
    NewSessionRequest, NewSessionResponse, PromptRequest, PromptResponse, ProtocolVersion,
    ReadTextFileRequest, ReadTextFileResponse, SessionId, SessionNotification, SessionUpdate, StopReason,
    ToolCallContent, ToolCallUpdate,
};
use anyhow::{Result, bail};
use tokio::io::{AsyncRead, AsyncWrite};

use super::prepared;
use super::wire::{Line, Wire};
use crate::script::{CHUNK, FILE, Script, code};

/// Serves one client until it closes its side.
pub(crate) async fn serve(reader: impl AsyncRead + Unpin, writer: impl AsyncWrite + Unpin) -> Result<()> {
    let mut agent =
        FloorAgent { wire: Wire::new(reader, writer), sessions: 0, prepared: (Script::Nothing, Vec::new()) };
    while let Some(line) = agent.wire.next().await? {
        let Line { id, method, params, .. } = Line::parse(&agent.wire.input[line])?;
        match method.as_deref() {
            Some("initialize") => {
                let _: InitializeRequest = acp_json::read(params)?;
                let answer = InitializeResponse::new(ProtocolVersion::LATEST)
                    .agent_capabilities(AgentCapabilities::new());
                agent.wire.answer(id.as_ref(), &answer)?;
            }
            Some("session/new") => {
                let _: NewSessionRequest = acp_json::read(params)?;
                agent.sessions += 1;
                let session = format!("sess_{:011}", agent.sessions);
                agent.wire.answer(id.as_ref(), &NewSessionResponse::new(session))?;
            }
            Some("session/prompt") => {
                let prompt: PromptRequest = acp_json::read(params)?;
                agent.turn(&prompt).await?;
                agent.wire.answer(id.as_ref(), &PromptResponse::new(StopReason::EndTurn))?;
            }
            Some(_) => {}
            None => bail!("an answer to no request"),
        }
    }
    Ok(())
}

struct FloorAgent<R, W> {
    wire: Wire<R, W>,
    sessions: usize,
    /// The updates that were last written beforehand.
    prepared: (Script, Vec<u8>),
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> FloorAgent<R, W> {
    async fn turn(&mut self, prompt: &PromptRequest) -> Result<()> {
        let text = prompt.prompt.first().and_then(ContentBlock::as_text).unwrap_or_default();
        let session = &prompt.session_id;
        let script = Script::parse(text);
        match script {
            Script::Nothing => {}
            Script::Chunks(_) | Script::ToolCalls(_) | Script::Long(_) => {
                if self.prepared.0 != script {
                    self.prepared = (script, prepared::updates(script, session));
                }
                self.wire.write(&self.prepared.1).await?;
            }
            Script::Say(count) => {
                for _ in 0..count {
                    let update = SessionUpdate::AgentMessageChunk(ContentChunk::text(CHUNK));
                    self.wire.notify("session/update", &SessionNotification::new(session, update))?;
                    self.wire.make_room().await?;
                }
            }
            Script::Diffs(count) => {
                let (old, new) = (code("settings"), code("options"));
                for _ in 0..count {
                    let diff = Diff::new(FILE, new.as_str()).old_text(old.as_str());
                    let update =
                        ToolCallUpdate::new("call_0017").content([ToolCallContent::Diff(diff.into())]);
                    let update = SessionUpdate::ToolCallUpdate(update.into());
                    self.wire.notify("session/update", &SessionNotification::new(session, update))?;
                    self.wire.make_room().await?;
                }
            }
            Script::Read { count, wide } => self.read(session, count, wide).await?,
        }
        Ok(())
    }

    async fn read(&mut self, session: &SessionId, count: usize, wide: usize) -> Result<()> {
        let (mut asked, mut answered) = (0, 0);
        while answered < count {
            while asked < count && asked - answered < wide {
                let request = ReadTextFileRequest::new(session, FILE);
                self.wire.request("fs/read_text_file", &request)?;
                asked += 1;
            }
            let Some(line) = self.wire.next().await? else { bail!("the client is gone") };
            let Line { result, .. } = Line::parse(&self.wire.input[line])?;
            let _: ReadTextFileResponse = acp_json::read(result)?;
            answered += 1;
        }
        Ok(())
    }
}
