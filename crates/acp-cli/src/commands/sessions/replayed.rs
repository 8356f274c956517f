//! The conversation of a session, as the agent replays it.

use std::io::Write;
use std::path::Path;

use acp_client::{LoadSession, Session, Transcript};
use serde_json::json;

use crate::outcome::Failure;
use crate::output::{Output, Written};
use crate::render::inert::inert;
use crate::render::update::update;

/// The place where an export is written.
pub(super) enum Sink<'a> {
    Stdout(&'a mut Output),
    File { file: Written, name: String },
}

impl<'a> Sink<'a> {
    pub(super) const fn stdout(output: &'a mut Output) -> Self {
        Self::Stdout(output)
    }

    pub(super) fn file(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        match Written::begin(path) {
            Ok(file) => Ok(Self::File { file, name }),
            Err(error) => Err(format!("`--output {name}`: {error}").into()),
        }
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Stdout(output) => {
                output.add(&mut bytes.to_vec());
                output.flush().await?;
            }
            Self::File { file, name } => {
                file.write_all(bytes).map_err(|error| format!("`--output {name}`: {error}"))?;
            }
        }
        Ok(())
    }

    pub(super) fn end(self) -> Result<(), Failure> {
        if let Self::File { file, name } = self {
            file.finish().map_err(|error| format!("`--output {name}`: {error}"))?;
        }
        Ok(())
    }
}

/// Writes each update as a line: the params of `session/update`.
pub(super) async fn replayed(id: &str, load: LoadSession, mut sink: Sink<'_>) -> Result<(), Failure> {
    let mut replay = load.replay().await?;
    while let Some(event) = replay.next().await {
        if let Some(update) = update(&event) {
            let params = json!({"sessionId": id, "update": update});
            sink.write(format!("{}\n", inert(&params.to_string())).as_bytes()).await?;
        }
    }
    replay.finish().await?;
    sink.end()
}

/// Loads a session into a transcript.
pub(super) async fn transcript(load: LoadSession) -> Result<(Transcript, Session), Failure> {
    let mut transcript = Transcript::new();
    let mut replay = load.replay().await?;
    while let Some(event) = replay.next().await {
        transcript.fold(event);
    }
    Ok((transcript, replay.finish().await?))
}
