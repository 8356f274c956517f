//! The lock file: the agents that are installed, and the archives that were seen.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use acp_client::RegistryAgent;
use tempfile::NamedTempFile;
use toml::{Table, Value};

use super::answered::Answered;
use super::entry;
use super::error::InstallError;
use super::guard::Guard;
use super::home::Home;
use super::way::Way;
use crate::named::folders::is_name;

/// The version of the file's form.
const FORM: i64 = 1;
const HEAD: &str =
    "# Written by `acp agents`: see docs/AGENTS.md. `seen` has the archive of each version that was here.\n";

/// The content of the lock file.
#[derive(Debug, Default)]
pub(crate) struct LockFile {
    /// The agents, in the order of their ids.
    pub(crate) agents: Vec<Installed>,
    seen: Vec<Seen>,
}

/// An agent that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Installed {
    pub(crate) id: String,
    pub(crate) version: String,
    pub(crate) way: Way,
    /// The SHA-256 of the archive, for a binary.
    pub(crate) sha256: Option<String>,
    /// The folder of the archive's files, for a binary: a name below the agent's folder.
    pub(crate) folder: Option<String>,
    pub(crate) date: String,
    /// The list that the entry is from.
    pub(crate) list: String,
    /// The variables of the user's environment that it gets, beside the usual ones.
    pub(crate) env: Vec<String>,
    /// Its entry of the list, in JSON.
    pub(crate) entry: String,
    /// Its answer to `initialize`, once it was seen.
    pub(crate) answered: Option<Answered>,
}

/// The archive of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    id: String,
    version: String,
    platform: String,
    sha256: String,
    date: String,
}

impl LockFile {
    /// Reads the file. A missing one is empty.
    pub(crate) fn read(home: &Home) -> Result<Self, InstallError> {
        let file = home.lock();
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(InstallError::File { file, error }),
        };
        parse(&text).map_err(|problem| InstallError::Content { file, problem })
    }

    /// Changes the file, in one step for its readers.
    pub(crate) fn change(home: &Home, change: impl FnOnce(&mut Self)) -> Result<(), InstallError> {
        Self::change_with(&Guard::lock_file(home)?, home, change)
    }

    /// Changes the file, unless another process is about to.
    pub(super) fn try_change(home: &Home, change: impl FnOnce(&mut Self)) -> Result<(), InstallError> {
        Self::change_with(&Guard::try_lock_file(home)?, home, change)
    }

    fn change_with(_: &Guard, home: &Home, change: impl FnOnce(&mut Self)) -> Result<(), InstallError> {
        let mut content = Self::read(home)?;
        change(&mut content);
        content.agents.sort_by(|a, b| a.id.cmp(&b.id));
        let file = home.lock();
        replace(&file, format!("{HEAD}{}", content.table()).as_bytes()).map_err(InstallError::file(&file))
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Installed> {
        self.agents.iter().find(|agent| agent.id == id)
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Installed> {
        self.agents.iter_mut().find(|agent| agent.id == id)
    }

    /// Returns the SHA-256 that the archive of a version had on this platform.
    pub(super) fn seen(&self, id: &str, version: &str, platform: &str) -> Option<&str> {
        let is_it = |seen: &&Seen| seen.id == id && seen.version == version && seen.platform == platform;
        self.seen.iter().find(is_it).map(|seen| &*seen.sha256)
    }

    /// Puts an agent in the place of its earlier version.
    pub(super) fn put(&mut self, agent: Installed, platform: &str) {
        if let Some(sha256) = agent.sha256.clone()
            && self.seen(&agent.id, &agent.version, platform).is_none()
        {
            let (id, version, date) = (agent.id.clone(), agent.version.clone(), agent.date.clone());
            self.seen.push(Seen { id, version, platform: platform.to_owned(), sha256, date });
        }
        self.remove(&agent.id);
        self.agents.push(agent);
    }

    pub(super) fn remove(&mut self, id: &str) {
        self.agents.retain(|agent| agent.id != id);
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        table.insert("version".to_owned(), FORM.into());
        table.insert("agent".to_owned(), self.agents.iter().map(Installed::table).collect::<Vec<_>>().into());
        table.insert("seen".to_owned(), self.seen.iter().map(Seen::table).collect::<Vec<_>>().into());
        table
    }
}

impl Installed {
    /// Returns the agent as its list has described it.
    pub(crate) fn agent(&self) -> Result<RegistryAgent, InstallError> {
        self.entry.parse().map_err(|error: acp_client::RegistryError| InstallError::Entry {
            id: self.id.clone(),
            list: "the lock file".to_owned(),
            problem: error.to_string(),
        })
    }

    fn table(&self) -> Table {
        let mut table = texts([
            ("id", &self.id),
            ("version", &self.version),
            ("way", &self.way.name().to_owned()),
            ("date", &self.date),
            ("list", &self.list),
            ("entry", &self.entry),
        ]);
        for (name, text) in [("sha256", &self.sha256), ("folder", &self.folder)] {
            if let Some(text) = text {
                table.insert(name.to_owned(), text.clone().into());
            }
        }
        if !self.env.is_empty() {
            table.insert("env".to_owned(), self.env.clone().into());
        }
        if let Some(answered) = &self.answered {
            table.insert("answered".to_owned(), answered.table().into());
        }
        table
    }

    fn read(table: &Table) -> Result<Self, String> {
        let optional = |name: &str| table.get(name).map(|_| text(table, name)).transpose();
        let (id, version, way) = (text(table, "id")?, text(table, "version")?, text(table, "way")?);
        entry::check_names(&id, &version)?;
        let folder = optional("folder")?;
        if folder.as_deref().is_some_and(|folder| !is_name(folder)) {
            return Err(format!("the `folder` of `{id}` must be a name"));
        }
        let way = Way::of(&way).ok_or_else(|| format!("the `way` of `{id}` must be binary, npx or uvx"))?;
        let env = table.get("env").and_then(Value::as_array).into_iter().flatten();
        Ok(Self {
            id,
            version,
            way,
            sha256: optional("sha256")?,
            folder,
            date: text(table, "date")?,
            list: text(table, "list")?,
            env: env.filter_map(|name| name.as_str().map(str::to_owned)).collect(),
            entry: text(table, "entry")?,
            answered: table.get("answered").and_then(Value::as_table).and_then(Answered::read),
        })
    }
}

impl Seen {
    fn table(&self) -> Table {
        texts([
            ("id", &self.id),
            ("version", &self.version),
            ("platform", &self.platform),
            ("sha256", &self.sha256),
            ("date", &self.date),
        ])
    }

    fn read(table: &Table) -> Result<Self, String> {
        let text = |name| text(table, name);
        Ok(Self {
            id: text("id")?,
            version: text("version")?,
            platform: text("platform")?,
            sha256: text("sha256")?,
            date: text("date")?,
        })
    }
}

fn parse(content: &str) -> Result<LockFile, String> {
    let table: Table = content.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    match table.get("version").and_then(Value::as_integer) {
        Some(FORM) => {}
        Some(_) => return Err("a newer `acp` has written it: use that one".to_owned()),
        None => return Err("`version` is missing".to_owned()),
    }
    Ok(LockFile {
        agents: tables(&table, "agent")?.into_iter().map(Installed::read).collect::<Result<_, _>>()?,
        seen: tables(&table, "seen")?.into_iter().map(Seen::read).collect::<Result<_, _>>()?,
    })
}

fn tables<'a>(table: &'a Table, name: &str) -> Result<Vec<&'a Table>, String> {
    let items = table.get(name).and_then(Value::as_array).into_iter().flatten();
    let tables: Option<_> = items.map(Value::as_table).collect();
    tables.ok_or_else(|| format!("`{name}` must be a list of tables"))
}

fn text(table: &Table, name: &str) -> Result<String, String> {
    let text = table.get(name).and_then(Value::as_str);
    text.map(str::to_owned).ok_or_else(|| format!("`{name}` must be a text"))
}

fn texts<const N: usize>(members: [(&str, &String); N]) -> Table {
    members.into_iter().map(|(name, text)| (name.to_owned(), text.clone().into())).collect()
}

/// Replaces a file in one step.
pub(super) fn replace(file: &Path, content: &[u8]) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut new = NamedTempFile::new_in(folder)?;
    new.write_all(content)?;
    new.as_file().sync_all()?;
    new.persist(file).map_err(|error| error.error)?;
    Ok(())
}
