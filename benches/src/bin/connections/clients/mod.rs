//! The clients of the comparison, each connected to an agent.

mod floor_client;
mod official;
mod official_v2;
mod ours;

use std::rc::Rc;

use anyhow::Result;
use tokio::runtime::Runtime;

pub(crate) use self::floor_client::{Reaped, connect_to, spawn};
use crate::agents::Agent;
use crate::floor::Reading;

/// The maker of the client, and its way to take updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    /// The floor.
    Floor,
    /// The floor with the official types.
    Derived,
    /// The floor without reading updates.
    Drain,
    /// `acp-client`: the turn's events are read.
    Ours,
    /// `acp-client`: a handler of updates.
    Handler,
    /// `acp-client` like `Ours`, with a handler for every method.
    EveryMethod,
    /// `acp-client` like `Ours`, with a tap that looks at every line. All others have none.
    Tapped,
    /// The official crate: a handler of updates.
    Official,
    /// The official crate over its byte streams, on pipes that do not block.
    OfficialStreams,
    /// The official crate behind nine other handlers.
    OfficialBehindNine,
    /// The floor of version 2.
    FloorV2,
    /// The floor of version 2 without reading updates.
    DrainV2,
    /// `acp-client` like `Ours`, asking for version 2.
    OursV2,
    /// The official crate's client of version 2: a handler of updates.
    OfficialV2,
    OfficialV2Streams,
}

/// The transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// A child process and its stdin and stdout.
    Pipes,
    /// One process and thread, and a buffer of 64 KiB in each direction.
    Memory,
}

/// The size of a pipe in memory.
pub(crate) const MEMORY_PIPE: usize = 64 * 1024;

/// A client, its agent and their sessions.
pub(crate) trait Connected {
    /// Runs one turn for each prompt, in parallel sessions. Returns the number of updates.
    fn turns(&self, prompts: &[&str]) -> Result<usize>;
}

impl Client {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Client::Floor | Client::FloorV2 => "floor",
            Client::Derived => "floor, serde types",
            Client::Drain | Client::DrainV2 => "reads nothing",
            Client::Ours | Client::OursV2 => "ours",
            Client::Handler => "ours, handler",
            Client::EveryMethod => "ours, every method",
            Client::Tapped => "ours, with a tap",
            Client::Official | Client::OfficialV2 => "Rust SDK",
            Client::OfficialStreams | Client::OfficialV2Streams => "Rust SDK, ByteStreams",
            Client::OfficialBehindNine => "Rust SDK, ten handlers",
        }
    }

    /// Its name on the command line of this program.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Client::Ours => "ours",
            Client::Official => "official",
            _ => "floor",
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        [Client::Floor, Client::Ours, Client::Official].into_iter().find(|client| client.word() == word)
    }

    /// Connects, initializes and opens this number of sessions.
    pub(crate) fn connect(
        self,
        runtime: &Rc<Runtime>,
        agent: Agent,
        over: Over,
        sessions: usize,
    ) -> Result<Box<dyn Connected>> {
        let runtime = Rc::clone(runtime);
        let floor = |reading| floor_client::connect(Rc::clone(&runtime), agent, over, sessions, reading);
        Ok(match self {
            Client::Floor => floor(Reading::Ours)?,
            Client::Derived => floor(Reading::Derived)?,
            Client::Drain => floor(Reading::Skip)?,
            Client::FloorV2 => floor_client::connect_v2(runtime, agent, over, Reading::Ours)?,
            Client::DrainV2 => floor_client::connect_v2(runtime, agent, over, Reading::Skip)?,
            Client::OfficialV2 | Client::OfficialV2Streams => {
                Box::new(official_v2::Connection::open(runtime, agent, over, self)?)
            }
            Client::Ours | Client::OursV2 | Client::Handler | Client::EveryMethod | Client::Tapped => {
                Box::new(ours::Connection::open(runtime, agent, over, sessions, self)?)
            }
            Client::Official | Client::OfficialStreams | Client::OfficialBehindNine => {
                Box::new(official::Connection::open(runtime, agent, over, sessions, self)?)
            }
        })
    }
}
