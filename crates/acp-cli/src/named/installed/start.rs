//! The commands of installed agents.

use std::env;

use acp_client::Command;

use super::error::InstallError;
use super::home::{Home, VARIABLE};
use super::lock::{Installed, LockFile};
use super::way::Way;
use crate::named::environment::{INHERITED, OF_A_USER};

/// The variables of this process that an agent gets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Environment<'a> {
    All,
    /// The usual ones, those of the lock file, and these.
    And(&'a [String]),
}

/// Returns the command that starts an installed agent.
pub(crate) fn command(
    home: &Home,
    there: &Installed,
    environment: Environment<'_>,
) -> Result<Command, InstallError> {
    let agent = there.agent()?;
    let no_way = |problem: String| InstallError::NoWay { id: there.id.clone(), problem };
    let missing = || no_way(format!("its entry in the lock file has no `{}`", there.way.name()));
    if !is_whole(home, there) {
        return Err(no_way(format!("its folder is missing: `acp agents install {}` fetches it", there.id)));
    }
    let command = match (there.way, &there.folder) {
        (Way::Binary, Some(folder)) => {
            let command = agent.command(Some(&home.agent(&there.id).join(folder)));
            command.map_err(|error| no_way(error.to_string()))?
        }
        (Way::Binary, None) => return Err(missing()),
        (Way::Npx, _) => agent.distribution.npx.as_ref().ok_or_else(missing)?.npx(),
        (Way::Uvx, _) => agent.distribution.uvx.as_ref().ok_or_else(missing)?.uvx(),
    };
    Ok(match environment {
        Environment::All => command,
        Environment::And(names) => inherit(command, there).env_inherit(names.iter().map(String::as_str)),
    })
}

/// Returns the command of an agent that `npx` runs, with the package from its cache if it is there.
#[cfg(unix)]
pub(crate) fn prefer_offline(command: &Command) -> Command {
    let mut words = command.words().skip(1).map(ToOwned::to_owned);
    let runner = command.of_program(command.program());
    // The first one is `--yes`.
    runner.args(words.next()).arg("--prefer-offline").args(words)
}

/// Returns true if nothing of the agent is missing.
pub(super) fn is_whole(home: &Home, there: &Installed) -> bool {
    match (&there.folder, there.way) {
        (Some(folder), _) => home.agent(&there.id).join(folder).is_dir(),
        (None, way) => way != Way::Binary,
    }
}

/// Returns the command that starts an installed agent by `acp agents run`, which holds its lock.
/// Returns `None` if no agent of this id is installed. With a version it must be this one.
pub(in crate::named) fn through(id: &str, version: Option<&str>) -> Result<Option<Command>, InstallError> {
    let home = match Home::find() {
        Ok(home) => home,
        Err(InstallError::NoHome) => return Ok(None),
        Err(error) => return Err(error),
    };
    let lock = LockFile::read(&home)?;
    let there = lock.get(id).filter(|there| version.is_none_or(|version| version == there.version));
    let Some(there) = there else { return Ok(None) };
    // What is missing is told here, and not by another process.
    command(&home, there, Environment::All)?;
    there.way.works(&there.agent()?).map_err(|problem| InstallError::NoWay { id: id.to_owned(), problem })?;
    let program = env::current_exe()
        .map_err(|error| InstallError::Start { id: id.to_owned(), problem: error.to_string() })?;
    let run = Command::new(program).args(["agents", "run", "--all-env", id, "--"]);
    Ok(Some(inherit(run, there).env(VARIABLE, home.folder())))
}

/// Lets a command inherit the usual variables, and those that the user has chosen.
fn inherit(command: Command, there: &Installed) -> Command {
    command.env_inherit(INHERITED).env_inherit(OF_A_USER).env_inherit(there.env.iter().map(String::as_str))
}
