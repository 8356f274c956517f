//! The answer of an installed agent to `initialize`, as the lock file keeps it.

use std::collections::BTreeSet;

use acp_client::Agent;
use time::OffsetDateTime;
use toml::Table;

use super::error::InstallError;
use super::home::Home;
use super::lock::LockFile;

/// The most characters of a text of the agent that are kept.
const LONGEST: usize = 200;

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

    pub(super) fn new(protocol: u16, name: Option<&str>, version: Option<&str>) -> Self {
        let bounded = |text: &str| text.chars().take(LONGEST).collect::<String>();
        Self {
            protocols: BTreeSet::from([protocol]),
            name: name.map(bounded),
            version: version.map(bounded),
            date: OffsetDateTime::now_utc().date().to_string(),
        }
    }

    /// Writes the answer down, if it is the first one of this installation or in this version of
    /// the protocol. A failure is not told, because the agent works all the same: a later start
    /// tries it again.
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
