//! `acp agents`: agents of lists, which are installed, run and updated.

mod listing;
mod login;
#[cfg(unix)]
mod npx;
mod run;

use crate::args::agents::{Action, AgentsArgs, Manage, RunArgs};
use crate::interrupt::until_told;
use crate::named::installed::error::InstallError;
use crate::named::installed::home::Home;
use crate::named::installed::install::{self, Done, Network};
use crate::named::installed::list::{Entry, Lists};
use crate::named::installed::lock::{Installed, LockFile};
use crate::outcome::{Failure, exit, tell};
use crate::output::Output;

/// Does what is asked for, and returns the exit code. A signal ends it, but
/// one to an agent that runs is the agent's.
pub(crate) async fn run(args: AgentsArgs) -> Result<u8, Failure> {
    let home = Home::find()?;
    let places = Places { home: &home, named: args.lists, offline: args.offline };
    match args.action {
        Action::Manage(action) => until_told(manage(&places, action)).await,
        Action::Run(args) => run_agent(&places, args).await,
    }
}

async fn manage(places: &Places<'_>, action: Manage) -> Result<u8, Failure> {
    match action {
        Manage::List { all, json } => say(&listing::list(places, all, json).await?).await,
        Manage::Show { id, json } => say(&listing::show(places, &id, json).await?).await,
        Manage::Install { id, version, way, env } => {
            let entry = places.entry(&id, version.as_deref()).await?;
            let done = install::install(places.home, &entry, way, &env, places.network()).await?;
            say(&told(&done, &entry)).await
        }
        Manage::Update { id, dry_run } => update(places, id.as_deref(), dry_run).await,
        Manage::Remove { id } => {
            let there = install::remove(places.home, &id).await?;
            say(&format!("{id} {} is removed\n", there.version)).await
        }
        Manage::Login { id, method } => login::run(places.home, &id, method.as_deref()).await,
    }
}

/// Runs an agent in the place of this program, or beside it, and returns its exit code. An agent
/// that is not installed is installed first.
async fn run_agent(places: &Places<'_>, run: RunArgs) -> Result<u8, Failure> {
    let id = &run.id;
    if LockFile::read(places.home)?.get(id).is_none() {
        let entry = places.entry(id, None).await?;
        let done = install::install(places.home, &entry, None, &[], places.network()).await?;
        note(told(&done, &entry).trim_end());
    }
    let environment = if run.all_env { None } else { Some(&*run.env) };
    run::run(places.home, id, run.args, environment).await
}

/// The places of the lists.
struct Places<'a> {
    home: &'a Home,
    named: Vec<String>,
    offline: bool,
}

impl Places<'_> {
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

async fn update(places: &Places<'_>, id: Option<&str>, dry_run: bool) -> Result<u8, Failure> {
    let lock = LockFile::read(places.home)?;
    let chosen: Vec<&Installed> = match id {
        Some(id) => vec![lock.get(id).ok_or_else(|| InstallError::NotInstalled { id: id.to_owned() })?],
        None => lock.agents.iter().collect(),
    };
    if chosen.is_empty() {
        return say("no agent is installed\n").await;
    }
    let lists = places.lists().await?;
    let mut code = exit::DONE;
    for there in chosen {
        // One that fails does not keep the others from their updates.
        match update_one(places, &lists, there, dry_run).await {
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
    places: &Places<'_>,
    lists: &Lists,
    there: &Installed,
    dry_run: bool,
) -> Result<String, InstallError> {
    let entry = lists.find(&there.id)?;
    if install::is_current(&entry, there)? {
        return Ok(format!("{} {} is up to date\n", there.id, there.version));
    }
    let note_on_entry = if entry.version == there.version { " (its entry has changed)" } else { "" };
    let step = format!("{} {} → {}{note_on_entry}", there.id, there.version, entry.version);
    if dry_run {
        return Ok(format!("{step}\n"));
    }
    note(&step);
    let now = install::update(places.home, &entry, places.network()).await?;
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
