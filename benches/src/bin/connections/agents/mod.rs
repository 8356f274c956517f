//! The agents of the comparison: one script, on the floor, on our crate and on the official crate.

mod every;
mod official;
mod official_v2;
mod ours;

use std::ffi::OsString;

use acp_agent::Transport;
use anyhow::{Result, bail};
use benches::peers;
use tokio::io::DuplexStream;
use tokio::net::unix::pipe;

use self::every::Every;
use crate::floor;
use crate::run::runtime;

/// The maker of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agent {
    Floor,
    Ours,
    /// Ours, with a handler for every operation.
    EveryOperation,
    Official,
    /// The official crate over its byte streams, on pipes that do not block.
    OfficialStreams,
    /// The floor of version 2. Ours serves both versions.
    FloorV2,
    /// The official crate's agent of version 2.
    OfficialV2,
    OfficialV2Streams,
    TypeScript,
    Python,
}

impl Agent {
    /// Returns its name in the tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Agent::Floor | Agent::FloorV2 => "floor",
            Agent::Ours => "ours",
            Agent::EveryOperation => "ours, every operation",
            Agent::Official | Agent::OfficialV2 => "Rust SDK",
            Agent::OfficialStreams | Agent::OfficialV2Streams => "Rust SDK, ByteStreams",
            Agent::TypeScript => "TypeScript SDK",
            Agent::Python => "Python SDK",
        }
    }

    /// Its name on the command line of this program.
    pub(crate) fn word(self) -> Result<&'static str> {
        Ok(match self {
            Agent::Floor => "floor",
            Agent::Ours => "ours",
            Agent::EveryOperation => "every",
            Agent::Official => "official",
            Agent::OfficialStreams => "official-streams",
            Agent::FloorV2 => "floor-v2",
            Agent::OfficialV2 => "official-v2",
            Agent::OfficialV2Streams => "official-v2-streams",
            Agent::TypeScript | Agent::Python => bail!("{} is not a part of this program", self.name()),
        })
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        let all = [Agent::Floor, Agent::Ours, Agent::EveryOperation, Agent::Official, Agent::OfficialStreams];
        all.into_iter().find(|agent| agent.word().is_ok_and(|own| own == word))
    }

    /// Returns the command that runs it over stdin and stdout.
    pub(crate) fn command(self) -> Result<Vec<OsString>> {
        match self {
            Agent::TypeScript => peers::typescript(),
            Agent::Python => peers::python(),
            _ => Ok(vec![std::env::current_exe()?.into(), "agent".into(), self.word()?.into()]),
        }
    }

    /// Serves it in this process, over one stream.
    pub(crate) async fn serve(self, stream: DuplexStream) -> Result<()> {
        match self {
            Agent::Floor => {
                let (reader, writer) = tokio::io::split(stream);
                floor::serve(reader, writer).await
            }
            Agent::FloorV2 => {
                let (reader, writer) = tokio::io::split(stream);
                floor::serve_v2(reader, writer).await
            }
            Agent::OfficialV2 | Agent::OfficialV2Streams => official_v2::serve_stream(stream).await,
            Agent::Ours => ours::serve(Transport::from_stream(stream)).await,
            Agent::EveryOperation => Ok(acp_agent::serve(Every, Transport::from_stream(stream)).await?),
            Agent::Official | Agent::OfficialStreams => official::serve_stream(stream).await,
            Agent::TypeScript | Agent::Python => bail!("{} runs in no process of ours", self.name()),
        }
    }
}

/// The main function of a child process: an agent over stdin and stdout.
pub(crate) fn run(word: &str) -> Result<()> {
    let runtime = runtime()?;
    runtime.block_on(async {
        match word {
            "floor" => {
                let (reader, writer) = pipes()?;
                floor::serve(reader, writer).await
            }
            "floor-v2" => {
                let (reader, writer) = pipes()?;
                floor::serve_v2(reader, writer).await
            }
            "official-v2" => official_v2::serve_stdio().await,
            "official-v2-streams" => {
                let (reader, writer) = pipes()?;
                official_v2::serve_pipes(reader, writer).await
            }
            "ours" => ours::serve(Transport::stdio()?).await,
            "every" => Ok(acp_agent::serve_stdio(Every).await?),
            "official" => official::serve_stdio().await,
            "official-streams" => {
                let (reader, writer) = pipes()?;
                official::serve_pipes(reader, writer).await
            }
            other => bail!("no agent `{other}`"),
        }
    })
}

/// Opens stdin and stdout, so that they do not block.
pub(crate) fn pipes() -> Result<(pipe::Receiver, pipe::Sender)> {
    let reader = pipe::Receiver::from_file(std::fs::File::open("/dev/stdin")?)?;
    Ok((reader, pipe::OpenOptions::new().open_sender("/dev/stdout")?))
}
