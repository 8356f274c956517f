//! The agents of lists, as text and as JSON.

use acp_client::RegistryAgent;
use acp_client::sanitize;
use serde_json::{Value, json};

use super::Places;
use crate::named::installed::answered::Answered;
use crate::named::installed::error::InstallError;
use crate::named::installed::list::Lists;
use crate::named::installed::lock::{Installed, LockFile};
use crate::named::installed::way::Way;

/// Lists the agents, a line each.
pub(super) async fn list(places: &Places<'_>, all: bool, json: bool) -> Result<String, InstallError> {
    let lock = LockFile::read(places.home)?;
    let lists = match places.lists().await {
        Ok(lists) => lists,
        // Installed agents can be listed without a list.
        Err(InstallError::NoList { .. }) if !lock.agents.is_empty() => Lists(Vec::new()),
        Err(error) => return Err(error),
    };
    let kept: Vec<RegistryAgent> = lock.agents.iter().filter_map(|there| there.agent().ok()).collect();
    let listed = lists.agents();
    let unlisted = kept.iter().filter(|agent| listed.iter().all(|known| known.id != agent.id));
    let mut lines: Vec<Line<'_>> = listed
        .iter()
        .copied()
        .chain(unlisted)
        .map(|agent| Line::of(agent, lock.get(&agent.id)))
        .filter(|line| all || line.installed.is_some() || line.runs.is_ok())
        .collect();
    lines.sort_by(|a, b| a.agent.id.cmp(&b.agent.id));
    Ok(if json { lines.iter().map(Line::json).collect() } else { table(&lines) })
}

/// Shows an agent.
pub(super) async fn show(places: &Places<'_>, id: &str, json: bool) -> Result<String, InstallError> {
    let lock = LockFile::read(places.home)?;
    let (agent, text, list) = match places.entry(id, None).await {
        Ok(entry) => (entry.agent, entry.text, entry.list),
        Err(error @ (InstallError::NoList { .. } | InstallError::Unknown { .. })) => {
            let there = lock.get(id).ok_or(error)?;
            (there.agent()?, there.entry.clone(), there.list.clone())
        }
        Err(error) => return Err(error),
    };
    if json {
        return Ok(format!("{text}\n"));
    }
    let line = Line::of(&agent, lock.get(id));
    let mut members = vec![
        ("id", Some(agent.id.clone())),
        ("name", Some(agent.name.clone())),
        ("version", agent.version.clone()),
        ("about", agent.description.clone()),
        ("licence", agent.license.clone()),
        ("website", agent.website.clone()),
        ("source", agent.repository.clone()),
        ("list", Some(list)),
        ("ways", Some(line.ways())),
        ("runs here", Some(line.here())),
    ];
    if let Some(binary) = agent.binary() {
        members.push(("archive", Some(binary.archive.clone())));
        members
            .push(("SHA-256", Some(binary.sha256.clone().unwrap_or_else(|| "not in the list".to_owned()))));
    }
    if let Some(there) = lock.get(id) {
        members
            .push(("installed", Some(format!("{} ({}), {}", there.version, there.way.name(), there.date))));
        members.push(("answered", there.answered.as_ref().map(Answered::line)));
        members.push(("variables", Some(there.env.join(" ")).filter(|names| !names.is_empty())));
    }
    let lines = members.into_iter().filter_map(|(name, text)| Some((name, text?)));
    Ok(lines.map(|(name, text)| format!("{name:<10} {}\n", sanitize::text(&text))).collect())
}

struct Line<'a> {
    agent: &'a RegistryAgent,
    installed: Option<&'a Installed>,
    /// The way that is chosen here, or the reason why there is none.
    runs: Result<Way, String>,
}

impl<'a> Line<'a> {
    fn of(agent: &'a RegistryAgent, installed: Option<&'a Installed>) -> Self {
        let runs = Way::choose(agent, None).map_err(|error| match error {
            InstallError::NoWay { problem, .. } => problem,
            error => error.to_string(),
        });
        Self { agent, installed, runs }
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        Way::ALL.into_iter().filter(|way| way.is_of(self.agent)).map(Way::name)
    }

    fn ways(&self) -> String {
        self.names().collect::<Vec<_>>().join(" ")
    }

    fn here(&self) -> String {
        match &self.runs {
            Ok(way) => format!("yes ({})", way.name()),
            Err(problem) => format!("no: {problem}"),
        }
    }

    fn version(&self) -> &str {
        self.agent.version.as_deref().unwrap_or("-")
    }

    /// Returns the last column: the installed version, or the reason why it does not run here.
    fn state(&self) -> String {
        match (self.installed, &self.runs) {
            (Some(there), _) if there.version == self.version() => "installed".to_owned(),
            (Some(there), _) => format!("{} is installed", there.version),
            (None, Ok(_)) => String::new(),
            (None, Err(problem)) => format!("does not run here: {problem}"),
        }
    }

    fn json(&self) -> String {
        let line: Value = json!({
            "id": self.agent.id,
            "name": self.agent.name,
            "version": self.agent.version,
            "description": self.agent.description,
            "ways": self.names().collect::<Vec<_>>(),
            "runsHere": self.runs.as_ref().ok().map(|way| way.name()),
            "problem": self.runs.as_ref().err(),
            "installed": self.installed.map(|there| &there.version),
        });
        format!("{line}\n")
    }
}

fn table(lines: &[Line<'_>]) -> String {
    let width = |column: fn(&Line<'_>) -> usize| lines.iter().map(column).max().unwrap_or(0);
    let id = width(|line| line.agent.id.chars().count());
    let version = width(|line| line.version().chars().count());
    let ways = width(|line| line.ways().len());
    let line = |line: &Line<'_>| {
        let text = format!(
            "{:<id$}  {:<version$}  {:<ways$}  {}",
            line.agent.id,
            line.version(),
            line.ways(),
            line.state()
        );
        // Lists are other people's texts.
        format!("{}\n", sanitize::text(text.trim_end()))
    };
    lines.iter().map(line).collect()
}
