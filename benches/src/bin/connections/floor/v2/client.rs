//! The client of the floor of version 2.

use std::hint::black_box;

use acp_types::v2::{
    ClientCapabilities, ContentBlock, Implementation, InitializeRequest, InitializeResponse,
    NewSessionRequest, NewSessionResponse, PromptRequest, PromptResponse, ProtocolVersion, SessionId,
    SessionUpdate, StateUpdate, UpdateSessionNotification,
};
use anyhow::{Result, bail};
use tokio::io::{AsyncRead, AsyncWrite};

use super::super::client::Reading;
use super::super::wire::{Line, Wire};

/// A connected client with its session.
pub(crate) struct FloorClientV2<R, W> {
    wire: Wire<R, W>,
    session: SessionId,
    reading: Reading,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> FloorClientV2<R, W> {
    /// Initializes and opens the session.
    pub(crate) async fn connect(reader: R, writer: W, reading: Reading) -> Result<Self> {
        let mut wire = Wire::new(reader, writer);
        let request = InitializeRequest::new(ProtocolVersion::V2, Implementation::new("floor", "0"))
            .capabilities(ClientCapabilities::new());
        let _: InitializeResponse = wire.call("initialize", &request).await?;
        let opened: NewSessionResponse =
            wire.call("session/new", &NewSessionRequest::new("/project")).await?;
        Ok(FloorClientV2 { wire, session: opened.session_id, reading })
    }

    /// Runs the turns, one after the other. Returns the number of chunks.
    pub(crate) async fn turns(&mut self, prompts: &[&str]) -> Result<usize> {
        let mut chunks = 0;
        for &prompt in prompts {
            let request = PromptRequest::new(self.session.clone(), [ContentBlock::text(prompt)]);
            self.wire.request("session/prompt", &request)?;
            chunks += self.finish().await?;
        }
        Ok(chunks)
    }

    /// Reads until the turn is over.
    async fn finish(&mut self) -> Result<usize> {
        let (mut chunks, mut is_active) = (0, false);
        loop {
            let Some(line) = self.wire.next().await? else { bail!("the agent is gone") };
            let line = &self.wire.input[line];
            if self.reading == Reading::Skip && is_chunk(line) {
                chunks += 1;
                continue;
            }
            let Line { method, params, result, .. } = Line::parse(line)?;
            if method.is_none() {
                black_box(acp_json::read::<PromptResponse>(result)?);
                continue;
            }
            match black_box(acp_json::read::<UpdateSessionNotification>(params)?).update {
                SessionUpdate::AgentMessageChunk(_) => chunks += 1,
                SessionUpdate::StateUpdate(state) => match *state {
                    StateUpdate::Idle(_) if is_active => return Ok(chunks),
                    StateUpdate::Idle(_) => {}
                    _ => is_active = true,
                },
                _ => {}
            }
        }
    }
}

/// Returns true if the line looks like a text chunk of any writer.
fn is_chunk(line: &[u8]) -> bool {
    memchr::memmem::find(line, br#""agent_message_chunk""#).is_some()
}
