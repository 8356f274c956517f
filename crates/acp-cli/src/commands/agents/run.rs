//! `acp agents run`: an installed agent in the place of this program.

use std::ffi::OsString;

use acp_client::Command;

use crate::named::installed::error::InstallError;
use crate::named::installed::guard::Guard;
use crate::named::installed::home::Home;
use crate::named::installed::lock::LockFile;
use crate::named::installed::start::{self, Environment};
use crate::outcome::Failure;

/// Runs the agent, and returns its exit code where this program cannot be replaced by it. The
/// variables of `env` are inherited, or all.
pub(super) async fn run(
    home: &Home,
    id: &str,
    args: Vec<OsString>,
    env: Option<&[String]>,
) -> Result<u8, Failure> {
    // With the lock the version stays that is read.
    let guard = Guard::share(home, id)?;
    let lock = LockFile::read(home)?;
    let there = lock.get(id).ok_or_else(|| InstallError::NotInstalled { id: id.to_owned() })?;
    let command = start::command(home, there, env.map_or(Environment::All, Environment::And))?.args(args);
    there.way.works(&there.agent()?).map_err(|problem| InstallError::NoWay { id: id.to_owned(), problem })?;
    replaced(id, &command, guard, there.way).await
}

#[cfg(unix)]
async fn replaced(
    id: &str,
    command: &Command,
    guard: Guard,
    way: crate::named::installed::way::Way,
) -> Result<u8, Failure> {
    use std::io::{ErrorKind, IsTerminal};
    use std::os::unix::process::CommandExt;
    use std::path::Path;

    use crate::named::installed::way::Way;

    if way == Way::Npx && !std::io::stdin().is_terminal() {
        return super::npx::run(id, command, guard).await;
    }
    guard.keep_over_exec()?;
    // It returns only if that fails.
    let error = command.to_std().exec();
    let is_there = Path::new(command.program()).is_file();
    let problem = match error.kind() {
        ErrorKind::NotFound if is_there => format!(
            "{} is there, but not the interpreter or dynamic linker that it needs; `acp agents show {id}` shows the \
             other ways to run it",
            command.program().display()
        ),
        _ => format!("{}: {error}", command.program().display()),
    };
    Err(InstallError::Start { id: id.to_owned(), problem }.into())
}

/// Runs the agent beside this program: there it cannot be replaced.
#[cfg(not(unix))]
async fn replaced(
    id: &str,
    command: &Command,
    guard: Guard,
    _: crate::named::installed::way::Way,
) -> Result<u8, Failure> {
    let ended = tokio::process::Command::from(command.to_std()).status().await;
    drop(guard);
    let ended =
        ended.map_err(|error| InstallError::Start { id: id.to_owned(), problem: error.to_string() })?;
    Ok(crate::passing::signals::code(ended))
}
