//! The agent of the floor of version 2.

use acp_types::v2::{
    AgentCapabilities, ContentBlock, ContentChunk, IdleReason, IdleStateUpdate, Implementation,
    InitializeRequest, InitializeResponse, NewSessionRequest, NewSessionResponse, PromptRequest,
    PromptResponse, ProtocolVersion, RunningStateUpdate, SessionCapabilities, SessionId, SessionUpdate,
    StateUpdate, UpdateSessionNotification, UserMessage,
};
use anyhow::{Result, bail};
use tokio::io::{AsyncRead, AsyncWrite};

use super::super::wire::{Line, Wire};
use crate::script::{CHUNK, Script};

/// Serves one client until it closes its side.
pub(crate) async fn serve(reader: impl AsyncRead + Unpin, writer: impl AsyncWrite + Unpin) -> Result<()> {
    let mut agent =
        FloorAgent { wire: Wire::new(reader, writer), sessions: 0, messages: 0, prepared: (0, Vec::new()) };
    while let Some(line) = agent.wire.next().await? {
        let Line { id, method, params, .. } = Line::parse(&agent.wire.input[line])?;
        match method.as_deref() {
            Some("initialize") => {
                let _: InitializeRequest = acp_json::read(params)?;
                let capabilities = AgentCapabilities::new().session(SessionCapabilities::new());
                let answer = InitializeResponse::new(ProtocolVersion::V2, Implementation::new("floor", "0"));
                agent.wire.answer(id.as_ref(), &answer.capabilities(capabilities))?;
            }
            Some("session/new") => {
                let _: NewSessionRequest = acp_json::read(params)?;
                agent.sessions += 1;
                let session = format!("sess_{:032}", agent.sessions);
                agent.wire.answer(id.as_ref(), &NewSessionResponse::new(session))?;
            }
            Some("session/prompt") => {
                let prompt: PromptRequest = acp_json::read(params)?;
                let message = agent.message();
                agent.wire.answer(id.as_ref(), &PromptResponse::new(message.as_str()))?;
                agent.turn(prompt, message).await?;
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
    messages: usize,
    /// The number of the updates that were last written beforehand, and these.
    prepared: (usize, Vec<u8>),
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> FloorAgent<R, W> {
    /// Returns the id of a new message, as long as ours.
    fn message(&mut self) -> String {
        self.messages += 1;
        format!("msg_0123456789abcdef_{}", self.messages)
    }

    async fn turn(&mut self, prompt: PromptRequest, message: String) -> Result<()> {
        let text = prompt.prompt.first().and_then(ContentBlock::as_text).unwrap_or_default();
        let script = Script::parse(text);
        let session = prompt.session_id;
        let echo = UserMessage::new(message).content(prompt.prompt);
        self.update(&session, echo)?;
        self.update(&session, StateUpdate::from(RunningStateUpdate::new()))?;
        let id = self.message();
        match script {
            Script::Nothing => {}
            Script::Chunks(count) => {
                if self.prepared.0 != count {
                    self.prepared = (count, prepared(count, &session, &id));
                }
                self.wire.write(&self.prepared.1).await?;
            }
            Script::Say(count) => {
                let id = acp_types::v2::MessageId::from(id);
                for _ in 0..count {
                    let chunk = ContentChunk::new(id.clone(), ContentBlock::text(CHUNK));
                    self.update(&session, SessionUpdate::AgentMessageChunk(Box::new(chunk)))?;
                    self.wire.make_room().await?;
                }
            }
            _ => bail!("the floor of version 2 has no script {script}"),
        }
        self.update(&session, StateUpdate::from(IdleStateUpdate::new(IdleReason::EndTurn)))
    }

    fn update(&mut self, session: &SessionId, update: impl Into<SessionUpdate>) -> Result<()> {
        self.wire.notify("session/update", &UpdateSessionNotification::new(session, update))
    }
}

/// The lines of text chunks in their form on the wire.
fn prepared(count: usize, session: &SessionId, message: &str) -> Vec<u8> {
    format!(
        concat!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{}","update":"#,
            r#"{{"sessionUpdate":"agent_message_chunk","messageId":"{}","content":{{"type":"text","text":"{}"}}}}}}}}"#,
            "\n"
        ),
        session, message, CHUNK
    )
    .repeat(count)
    .into_bytes()
}
