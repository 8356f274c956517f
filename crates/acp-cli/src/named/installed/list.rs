//! Lists of agents: files, and addresses of which a copy is kept.

use std::env;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use acp_client::{Registry, RegistryAgent};
use reqwest::Url;
use serde_json::Value;
use toml::Table;

use super::download::{self, Limits};
pub(crate) use super::entry::Entry;
use super::entry::check_names;
use super::error::InstallError;
use super::home::Home;
use super::lock::replace;
use crate::named::folders;
use crate::nearest::nearest;

/// The most bytes of a list.
const LONGEST: u64 = 8 * 1024 * 1024;
/// The time that a server has for a list.
const PATIENCE: Duration = Duration::from_secs(10);

/// The place of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    File(PathBuf),
    Url(Url),
}

/// A list that was read.
#[derive(Debug)]
pub(crate) struct List {
    name: String,
    text: String,
    pub(crate) registry: Registry,
    /// A sentence about the copy, if it was used.
    pub(crate) note: Option<String>,
}

/// The lists, the one that wins first.
#[derive(Debug)]
pub(crate) struct Lists(pub(crate) Vec<List>);

impl Lists {
    /// Reads the lists that are named, or else those of the environment, of the settings, or the
    /// copy of the registry in the user's cache. With `offline` no server is asked.
    ///
    /// # Errors
    /// Nobody has named a list, or one cannot be read and has no copy. The lists behind it do not
    /// stand in for it: they may know other agents by its ids.
    pub(crate) async fn read(home: &Home, named: &[String], offline: bool) -> Result<Self, InstallError> {
        let mut lists = Vec::new();
        for source in sources(home, named)? {
            lists.push(match source {
                Source::File(file) => of_file(&file)?,
                Source::Url(url) => of_server(home, &url, offline).await?,
            });
        }
        Ok(Self(lists))
    }

    /// Returns the entry of an agent in the first list that has its id.
    pub(crate) fn find(&self, id: &str) -> Result<Entry, InstallError> {
        for list in &self.0 {
            if let Some(entry) = list.find(id)? {
                return Ok(entry);
            }
        }
        let ids = self.0.iter().flat_map(|list| &list.registry.agents).map(|agent| &*agent.id);
        Err(InstallError::Unknown {
            id: id.to_owned(),
            lists: self.0.iter().map(|list| list.name.clone()).collect(),
            near: nearest(id, ids).map(str::to_owned),
        })
    }

    /// Returns all agents, each from the first list that has its id.
    pub(crate) fn agents(&self) -> Vec<&RegistryAgent> {
        let mut agents: Vec<&RegistryAgent> = Vec::new();
        for agent in self.0.iter().flat_map(|list| &list.registry.agents) {
            if agents.iter().all(|known| known.id != agent.id) {
                agents.push(agent);
            }
        }
        agents.sort_by(|a, b| a.id.cmp(&b.id));
        agents
    }
}

impl List {
    fn of(name: String, text: String) -> Result<Self, InstallError> {
        match text.parse() {
            Ok(registry) => Ok(Self { name, text, registry, note: None }),
            Err(error) => Err(InstallError::List { list: name, problem: error.to_string() }),
        }
    }

    fn find(&self, id: &str) -> Result<Option<Entry>, InstallError> {
        let bad =
            |problem: String| InstallError::Entry { id: id.to_owned(), list: self.name.clone(), problem };
        let mark = format!("(`{id}`)");
        let Some(agent) = self.registry.get(id) else {
            let skipped = self.registry.skipped.iter().find(|problem| problem.contains(&mark));
            return skipped.map_or(Ok(None), |problem| Err(bad(problem.clone())));
        };
        let version = agent.version.clone().ok_or_else(|| bad("`version` is missing".to_owned()))?;
        check_names(id, &version).map_err(bad)?;
        let text = self.text_of(agent).ok_or_else(|| bad("it cannot be read again".to_owned()))?;
        Ok(Some(Entry { agent: agent.clone(), text, list: self.name.clone(), version }))
    }

    /// Returns the text of an entry.
    fn text_of(&self, agent: &RegistryAgent) -> Option<String> {
        let list: Value = serde_json::from_str(&self.text).ok()?;
        let entries = list.get("agents")?.as_array()?.iter().map(Value::to_string);
        entries.into_iter().find(|text| text.parse::<RegistryAgent>().is_ok_and(|read| read == *agent))
    }
}

/// Returns true if a list of an address has an agent, as far as the copies say. Nothing is fetched.
pub(in crate::named) fn is_in_a_copy(home: &Home, id: &str) -> bool {
    let sources = sources(home, &[]).unwrap_or_default();
    let mut copies = sources.iter().filter_map(|source| match source {
        Source::Url(url) => fs::read_to_string(home.copy(url.as_str())).ok(),
        Source::File(file) => fs::read_to_string(file).ok(),
    });
    copies.any(|text| text.parse::<Registry>().is_ok_and(|registry| registry.get(id).is_some()))
}

fn of_file(file: &Path) -> Result<List, InstallError> {
    let name = file.display().to_string();
    let failed = |problem| InstallError::List { list: file.display().to_string(), problem };
    let text = read(file).map_err(|error| failed(error.to_string()))?;
    List::of(name, text)
}

/// Reads a file within the limit of lists.
fn read(file: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    File::open(file)?.take(LONGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST {
        return Err(std::io::Error::other(format!("it is larger than {LONGEST} bytes")));
    }
    Ok(text)
}

async fn of_server(home: &Home, url: &Url, offline: bool) -> Result<List, InstallError> {
    let problem = if offline {
        "no server is asked with `--offline`".to_owned()
    } else {
        match fetch(url).await {
            Ok(list) => {
                let copy = home.copy(url.as_str());
                replace(&copy, list.text.as_bytes()).map_err(InstallError::file(&copy))?;
                return Ok(list);
            }
            Err(problem) => problem,
        }
    };
    let copy = home.copy(url.as_str());
    let text = match read(&copy) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let problem = format!("{problem}, and there is no copy of it");
            return Err(InstallError::List { list: url.to_string(), problem });
        }
        Err(error) => return Err(InstallError::File { file: copy, error }),
    };
    let note = format!("the list {url} is a copy of {}: {problem}", ago(age(&copy)));
    Ok(List { note: Some(note), ..List::of(url.to_string(), text)? })
}

async fn fetch(url: &Url) -> Result<List, String> {
    let mut bytes = Vec::new();
    let limits = Limits { bytes: LONGEST, pause: PATIENCE, whole: Some(PATIENCE) };
    download::get(url, limits, |piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    })
    .await?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    List::of(url.to_string(), text).map_err(|error| match error {
        InstallError::List { problem, .. } => problem,
        error => error.to_string(),
    })
}

fn age(file: &Path) -> Duration {
    let changed = fs::metadata(file).and_then(|data| data.modified());
    changed.ok().and_then(|changed| SystemTime::now().duration_since(changed).ok()).unwrap_or_default()
}

fn ago(age: Duration) -> String {
    let minutes = age.as_secs() / 60;
    let (number, unit) = match minutes {
        0 => return "less than a minute ago".to_owned(),
        1..60 => (minutes, "minute"),
        60..1440 => (minutes / 60, "hour"),
        _ => (minutes / 1440, "day"),
    };
    format!("{number} {unit}{} ago", if number == 1 { "" } else { "s" })
}

/// Returns the places of the lists.
fn sources(home: &Home, named: &[String]) -> Result<Vec<Source>, InstallError> {
    if !named.is_empty() {
        return named.iter().map(|text| Source::of(text)).collect();
    }
    let of_environment: Vec<String> = ["ACP_REGISTRY", "ACP_REGISTRY_URL"]
        .iter()
        .filter_map(|name| env::var(name).ok().filter(|text| !text.is_empty()))
        .collect();
    if !of_environment.is_empty() {
        return of_environment.iter().map(|text| Source::of(text)).collect();
    }
    let of_settings = of_settings(home)?;
    if !of_settings.is_empty() {
        return of_settings.iter().map(|text| Source::of(text)).collect();
    }
    let copy = folders::registry().filter(|file| file.is_file());
    let none = || InstallError::NoList { config: home.config().map(Path::to_owned) };
    Ok(vec![Source::File(copy.ok_or_else(none)?)])
}

/// Reads `registries` of the settings.
fn of_settings(home: &Home) -> Result<Vec<String>, InstallError> {
    let Some(file) = home.config() else { return Ok(Vec::new()) };
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(InstallError::File { file: file.to_owned(), error }),
    };
    let content = |problem: String| InstallError::Content { file: file.to_owned(), problem };
    let table: Table = text.parse().map_err(|error: toml::de::Error| content(error.message().to_owned()))?;
    let wrong = || content("`registries` must be a list of texts, files or addresses".to_owned());
    let Some(registries) = table.get("registries") else { return Ok(Vec::new()) };
    let texts = registries.as_array().ok_or_else(wrong)?.iter().map(|item| item.as_str().map(str::to_owned));
    texts.collect::<Option<Vec<_>>>().ok_or_else(wrong)
}

impl Source {
    fn of(text: &str) -> Result<Self, InstallError> {
        if !text.contains("://") {
            return Ok(Self::File(text.into()));
        }
        let url = download::address(text);
        url.map(Self::Url).map_err(|problem| {
            // It may have a password.
            let address = text.split_once('@').map_or(text, |(_, host)| host).to_owned();
            InstallError::Address { address, problem }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        for (seconds, told) in [
            (0, "less than a minute ago"),
            (60, "1 minute ago"),
            (3599, "59 minutes ago"),
            (7200, "2 hours ago"),
            (86_400 * 3, "3 days ago"),
        ] {
            assert_eq!(ago(Duration::from_secs(seconds)), told);
        }
    }
}
