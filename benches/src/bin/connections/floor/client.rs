//! The client of the floor.

use std::hint::black_box;

use acp_types::v1::{
    ClientCapabilities, ContentBlock, FileSystemCapabilities, InitializeRequest, InitializeResponse,
    LoadSessionRequest, LoadSessionResponse, NewSessionRequest, NewSessionResponse, PromptRequest,
    PromptResponse, ProtocolVersion, ReadTextFileRequest, ReadTextFileResponse, SessionId,
    SessionNotification,
};
use agent_client_protocol::v1::schema as official;
use anyhow::{Context as _, Result, bail};
use tokio::io::{AsyncRead, AsyncWrite};

use super::wire::{Line, RawLine, Wire};
use crate::script::file;

/// A connected client with its sessions.
pub(crate) struct FloorClient<R, W> {
    wire: Wire<R, W>,
    sessions: Vec<SessionId>,
    file: String,
    reading: Reading,
}

/// The form of updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Values of `acp-types`.
    Ours,
    /// Values of the official types, which serde reads.
    Derived,
    /// No form at all.
    Skip,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> FloorClient<R, W> {
    /// Initializes and opens the sessions.
    pub(crate) async fn connect(reader: R, writer: W, sessions: usize, reading: Reading) -> Result<Self> {
        let mut wire = Wire::new(reader, writer);
        let fs = FileSystemCapabilities::new().read_text_file(true);
        let request = InitializeRequest::new(ProtocolVersion::LATEST)
            .client_capabilities(ClientCapabilities::new().fs(fs));
        let _: InitializeResponse = wire.call("initialize", &request).await?;
        let mut opened = Vec::new();
        for _ in 0..sessions {
            let request = NewSessionRequest::new("/project", []);
            let session: NewSessionResponse = wire.call("session/new", &request).await?;
            opened.push(session.session_id);
        }
        Ok(FloorClient { wire, sessions: opened, file: file(), reading })
    }

    /// Sends a prompt and leaves the turn to itself.
    pub(crate) async fn prompt(&mut self, session: usize, prompt: &str) -> Result<()> {
        let session = self.sessions.get(session).context("too few sessions")?;
        let request = PromptRequest::new(session.clone(), [ContentBlock::text(prompt)]);
        self.wire.request("session/prompt", &request)
    }

    /// Sends what is waiting.
    pub(crate) async fn flush(&mut self) -> Result<()> {
        self.wire.flush().await
    }

    /// Runs one turn for each prompt, in parallel sessions. Returns the number of updates.
    pub(crate) async fn turns(&mut self, prompts: &[&str]) -> Result<usize> {
        for (session, prompt) in prompts.iter().enumerate() {
            self.prompt(session, prompt).await?;
        }
        self.finish(prompts.len()).await
    }

    /// Loads a session and returns the number of replayed updates, which are dropped.
    pub(crate) async fn load(&mut self, session: usize) -> Result<usize> {
        let session = self.sessions.get(session).context("too few sessions")?;
        let request = LoadSessionRequest::new([], "/project", session.clone());
        self.wire.request("session/load", &request)?;
        let mut updates = 0;
        loop {
            let Some(line) = self.wire.next().await? else { bail!("the agent is gone") };
            let line = &self.wire.input[line];
            if is_update(line) {
                updates += 1;
                continue;
            }
            let Line { result, .. } = Line::parse(line)?;
            black_box(acp_json::read::<LoadSessionResponse>(result)?);
            return Ok(updates);
        }
    }

    /// Reads until this number of turns are over.
    pub(crate) async fn finish(&mut self, mut turns: usize) -> Result<usize> {
        let mut updates = 0;
        while turns > 0 {
            let Some(line) = self.wire.next().await? else { bail!("the agent is gone") };
            let line = &self.wire.input[line];
            let is_done = match self.reading {
                Reading::Ours => false,
                Reading::Derived => read_derived(line)?,
                Reading::Skip => is_update(line),
            };
            if is_done {
                updates += 1;
                continue;
            }
            let Line { id, method, params, result } = Line::parse(line)?;
            match method.as_deref() {
                Some("session/update") => {
                    black_box(acp_json::read::<SessionNotification>(params)?);
                    updates += 1;
                }
                Some("fs/read_text_file") => {
                    black_box(acp_json::read::<ReadTextFileRequest>(params)?);
                    self.wire.answer(id.as_ref(), &ReadTextFileResponse::new(self.file.as_str()))?;
                }
                Some(_) => {}
                None => {
                    black_box(acp_json::read::<PromptResponse>(result)?);
                    turns -= 1;
                }
            }
        }
        Ok(updates)
    }
}

/// Reads an update with serde. Returns false for anything else.
fn read_derived(line: &[u8]) -> Result<bool> {
    let RawLine { method: Some("session/update"), params: Some(params) } = serde_json::from_slice(line)?
    else {
        return Ok(false);
    };
    black_box(serde_json::from_str::<official::SessionNotification>(params.get())?);
    Ok(true)
}

/// Returns true if the line begins like an update of any writer.
fn is_update(line: &[u8]) -> bool {
    let head = &line[..line.len().min(64)];
    memchr::memmem::find(head, br#""session/update""#).is_some()
}
