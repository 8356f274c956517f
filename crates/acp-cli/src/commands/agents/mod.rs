//! `acp agents`: agents of lists, which are installed, run and updated.

mod listing;
mod login;
#[cfg(unix)]
mod npx;
mod run;

use crate::args::agents::{Action, AgentsArgs};
use crate::named::installed::error::InstallError;
use crate::named::installed::home::Home;
use crate::named::installed::install::{self, Done, Network};
use crate::named::installed::list::{Entry, Lists};
use crate::named::installed::lock::{Installed, LockFile};
use crate::outcome::{Failure, exit, tell};
use crate::output::Output;

/// Does what is asked for, and returns the exit code.
pub(crate) async fn run(args: AgentsArgs) -> Result<u8, Failure> {
    let home = Home::find()?;
    let from = From { home: &home, named: args.lists, offline: args.offline };
    match args.action {
        Action::List { all, json } => say(&listing::list(&from, all, json).await?).await,
        Action::Show { id, json } => say(&listing::show(&from, &id, json).await?).await,
        Action::Install { id, version, way, env } => {
            let entry = from.entry(&id, version.as_deref()).await?;
            let done = install::install(&home, &entry, way, &env, from.network()).await?;
            say(&told(&done, &entry)).await
        }
        Action::Run { .. } => Ok(exit::USAGE),
        Action::Update { id, dry_run } => update(&from, id.as_deref(), dry_run).await,
        Action::Remove { id } => {
            let there = install::remove(&home, &id).await?;
            say(&format!("{id} {} is removed\n", there.version)).await
        }
        Action::Login { id, method } => login::run(&home, &id, method.as_deref()).await,
    }
}

/// Runs an agent in the place of this program, or beside it, and returns its exit code. An agent
/// that is not installed is installed first.
pub(crate) async fn run_agent(args: AgentsArgs) -> Result<u8, Failure> {
    let home = Home::find()?;
    let from = From { home: &home, named: args.lists, offline: args.offline };
    let Action::Run { id, args, env, all_env } = args.action else { return Ok(exit::USAGE) };
    if LockFile::read(&home)?.get(&id).is_none() {
        let entry = from.entry(&id, None).await?;
        let done = install::install(&home, &entry, None, &[], from.network()).await?;
        note(told(&done, &entry).trim_end());
    }
    let environment = if all_env { None } else { Some(&*env) };
    run::run(&home, &id, args, environment).await
}

/// The places of the lists.
struct From<'a> {
    home: &'a Home,
    named: Vec<String>,
    offline: bool,
}

impl From<'_> {
    /// Reads the lists, and tells of copies.
    async fn lists(&self) -> Result<Lists, InstallError> {
        let lists = Lists::read(self.home, &self.named, self.offline).await?;
        lists.0.iter().filter_map(|list| list.note.as_deref()).for_each(note);
        Ok(lists)
    }

    fn network(&self) -> Network<'_> {
        Network { is_off: self.offline, tell: &note }
    }

    async fn entry(&self, id: &str, version: Option<&str>) -> Result<Entry, InstallError> {
        let entry = self.lists().await?.find(id)?;
        match version.filter(|version| *version != entry.version) {
            None => Ok(entry),
            Some(asked) => Err(InstallError::Version {
                id: id.to_owned(),
                asked: asked.to_owned(),
                listed: entry.version,
            }),
        }
    }
}

async fn update(from: &From<'_>, id: Option<&str>, dry_run: bool) -> Result<u8, Failure> {
    let lock = LockFile::read(from.home)?;
    let chosen: Vec<&Installed> = match id {
        Some(id) => vec![lock.get(id).ok_or_else(|| InstallError::NotInstalled { id: id.to_owned() })?],
        None => lock.agents.iter().collect(),
    };
    if chosen.is_empty() {
        return say("no agent is installed\n").await;
    }
    let lists = from.lists().await?;
    let mut code = exit::DONE;
    for there in chosen {
        // One that fails does not keep the others from their updates.
        match update_one(from, &lists, there, dry_run).await {
            Ok(told) => {
                say(&told).await?;
            }
            Err(error) => {
                tell(&format!("acp: {error}"));
                code = exit::ERROR;
            }
        }
    }
    Ok(code)
}

async fn update_one(
    from: &From<'_>,
    lists: &Lists,
    there: &Installed,
    dry_run: bool,
) -> Result<String, InstallError> {
    let entry = lists.find(&there.id)?;
    if entry.list != there.list {
        let (recorded, found) = (there.list.clone(), entry.list);
        return Err(InstallError::OtherList { id: there.id.clone(), recorded, found });
    }
    let is_same = entry.version == there.version && entry.agent == there.agent()?;
    if is_same {
        return Ok(format!("{} {} is up to date\n", there.id, there.version));
    }
    let note_on_entry = if entry.version == there.version { " (its entry has changed)" } else { "" };
    let step = format!("{} {} → {}{note_on_entry}", there.id, there.version, entry.version);
    if dry_run {
        return Ok(format!("{step}\n"));
    }
    note(&step);
    let now = install::update(from.home, &entry, there, from.network()).await?;
    Ok(format!("{} {} is installed\n", now.id, now.version))
}

/// Returns the sentence about an installation.
fn told(done: &Done, entry: &Entry) -> String {
    match done {
        Done::Installed(now) => {
            let (id, version, way) = (&now.id, &now.version, now.way.name());
            match &now.sha256 {
                Some(sha256) => format!("{id} {version} is installed ({way}, SHA-256 {sha256})\n"),
                None => format!("{id} {version} is installed ({way})\n"),
            }
        }
        Done::Already(there) => format!("{} {} is installed already\n", there.id, there.version),
        Done::Other(there) => format!(
            "{} {} is installed, and stays: `acp agents update {}` replaces it by {}\n",
            there.id, there.version, there.id, entry.version
        ),
    }
}

fn note(line: &str) {
    tell(&format!("acp: {line}"));
}

/// Writes the answer.
async fn say(text: &str) -> Result<u8, Failure> {
    let mut output = Output::new();
    output.add(&mut text.as_bytes().to_vec());
    output.flush().await?;
    Ok(exit::DONE)
}
