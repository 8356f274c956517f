//! The answer of an installed agent to `initialize`, as the lock file keeps it.

use std::collections::BTreeSet;

use acp_client::Agent;
use serde_json::Value;
use time::OffsetDateTime;
use toml::Table;

use super::error::InstallError;
use super::home::Home;
use super::lock::LockFile;

/// The most characters of a text of the agent that are kept.
const LONGEST: usize = 200;
/// The most bytes of an agent's first lines that are searched for its answer.
const SEARCHED: usize = 256 * 1024;

/// The facts of an answer to `initialize`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    /// The versions of the protocol that it was seen to speak.
    pub(super) protocols: BTreeSet<u16>,
    /// Its own name and version, which need not be those of the list.
    name: Option<String>,
    version: Option<String>,
    /// The day of its first answer.
    date: String,
}

impl Answered {
    /// Returns the answer of an agent that is connected.
    pub(crate) fn of(agent: &Agent) -> Self {
        let info = agent.info();
        Self::new(
            agent.protocol_version().0,
            info.map(|info| info.name.as_str()),
            info.map(|info| info.version.as_str()),
        )
    }

    /// Reads the answer in a line of an agent. Returns `None` for any other line.
    fn of_line(line: &[u8]) -> Option<Self> {
        let message: Value = serde_json::from_slice(line).ok()?;
        let result = message.get("result")?;
        let has = |name: &str| result.get(name).is_some_and(|member| !member.is_null());
        let protocol = match result.get("protocolVersion")?.as_u64()? {
            // Some agents repeat any number, and answer in the form of version 1.
            2 if has("agentInfo") || has("agentCapabilities") => 1,
            1 => 1,
            2 => 2,
            _ => return None,
        };
        let info = result.get("agentInfo").or_else(|| result.get("info"));
        let text = |name: &str| info.and_then(|info| info.get(name)).and_then(Value::as_str);
        Some(Self::new(protocol, text("name"), text("version")))
    }

    fn new(protocol: u16, name: Option<&str>, version: Option<&str>) -> Self {
        let bounded = |text: &str| text.chars().take(LONGEST).collect::<String>();
        Self {
            protocols: BTreeSet::from([protocol]),
            name: name.map(bounded),
            version: version.map(bounded),
            date: OffsetDateTime::now_utc().date().to_string(),
        }
    }

    /// Writes the answer down, if it is the first one of this installation or in this version of the
    /// protocol. A failure is not told, because the agent works all the same: a later start tries
    /// it again.
    pub(crate) async fn keep(self, id: String) {
        // The file is on a disk, which may be slow.
        let _ = tokio::task::spawn_blocking(move || self.write(&id)).await;
    }

    fn write(self, id: &str) -> Result<(), InstallError> {
        let home = Home::find()?;
        let is_known = |lock: &LockFile| {
            let there = lock.get(id);
            there.is_none_or(|there| there.answered.as_ref().is_some_and(|known| known.has(&self)))
        };
        if is_known(&LockFile::read(&home)?) {
            return Ok(());
        }
        // Nobody waits for this: another process may be writing.
        LockFile::try_change(&home, |lock| {
            if let Some(there) = lock.get_mut(id) {
                match &mut there.answered {
                    Some(known) => known.protocols.extend(&self.protocols),
                    answered => *answered = Some(self),
                }
            }
        })
    }

    fn has(&self, other: &Self) -> bool {
        self.protocols.is_superset(&other.protocols)
    }

    /// Returns the answer as a line for people.
    pub(crate) fn line(&self) -> String {
        let names = [&self.name, &self.version].into_iter().flatten().map(String::as_str);
        let protocols: Vec<_> = self.protocols.iter().map(u16::to_string).collect();
        let protocols = format!("protocol {}", protocols.join(" and "));
        let names = names.collect::<Vec<_>>().join(" ");
        let parts = [names, protocols, self.date.clone()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn table(&self) -> Table {
        let mut table = Table::new();
        let protocols: Vec<_> = self.protocols.iter().map(|version| i64::from(*version)).collect();
        table.insert("protocols".to_owned(), protocols.into());
        for (name, text) in [("name", &self.name), ("version", &self.version)] {
            if let Some(text) = text {
                table.insert(name.to_owned(), text.clone().into());
            }
        }
        table.insert("date".to_owned(), self.date.clone().into());
        table
    }

    /// Reads the answer. One that cannot be read is none: it only informs.
    pub(super) fn read(table: &Table) -> Option<Self> {
        let text = |name: &str| table.get(name).and_then(toml::Value::as_str).map(str::to_owned);
        let protocols = table.get("protocols")?.as_array()?.iter();
        let protocols = protocols.map(|version| u16::try_from(version.as_integer()?).ok());
        Some(Self {
            protocols: protocols.collect::<Option<_>>()?,
            name: text("name"),
            version: text("version"),
            date: text("date")?,
        })
    }
}

/// Searches the first lines of an agent for its answer, while they pass.
#[derive(Debug)]
pub(crate) struct Listener {
    line: Vec<u8>,
    searched: usize,
}

impl Listener {
    pub(crate) const fn new() -> Self {
        Self { line: Vec::new(), searched: 0 }
    }

    /// Hears bytes of the agent. Returns its answer once.
    pub(crate) fn hear(&mut self, bytes: &[u8]) -> Option<Answered> {
        if self.searched > SEARCHED {
            return None;
        }
        self.searched += bytes.len();
        let mut found = None;
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                found = found.or_else(|| Answered::of_line(&self.line));
                self.line.clear();
            }
        }
        if found.is_some() || self.searched > SEARCHED {
            *self = Self { line: Vec::new(), searched: SEARCHED + 1 };
        }
        found
    }
}
