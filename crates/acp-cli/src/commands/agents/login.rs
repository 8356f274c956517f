//! `acp agents login`: a login of an installed agent, in the terminal.

use acp_client::TerminalLogin;

use crate::named::Named;
use crate::named::installed::error::InstallError;
use crate::named::installed::home::Home;
use crate::named::installed::lock::LockFile;
use crate::outcome::{Failure, exit, tell};

/// Starts the agent, and runs its login. Returns the exit code of the login.
pub(super) async fn run(home: &Home, id: &str, method: Option<&str>) -> Result<u8, Failure> {
    if LockFile::read(home)?.get(id).is_none() {
        return Err(InstallError::NotInstalled { id: id.to_owned() }.into());
    }
    let named = Named::Listed { id: id.to_owned(), registry: None };
    let (connect, outcome) = named.find()?.connect(false);
    let connect = connect.info("acp", env!("CARGO_PKG_VERSION")).terminal_logins();
    let agent = outcome.settle(connect.await).await?;
    let logins = agent.terminal_logins();
    let login = match choose(&logins, method) {
        Ok(login) => login,
        Err(problem) => {
            agent.close().await;
            return Err(format!("the agent `{id}` {problem}").into());
        }
    };
    let mut command = agent.terminal_login(login.id.clone())?;
    agent.close().await;
    tell(&format!("acp: {}", login.label));
    // The terminal is the agent's, and so is Ctrl-C.
    let ended =
        command.status().map_err(|error| format!("the login of `{id}` cannot be started: {error}"))?;
    Ok(ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(exit::ERROR))
}

/// Chooses a login. The error is the end of a sentence about the agent.
fn choose<'a>(logins: &'a [TerminalLogin], method: Option<&str>) -> Result<&'a TerminalLogin, String> {
    let ids = || logins.iter().map(|login| login.id.to_string()).collect::<Vec<_>>().join(", ");
    match (logins, method) {
        ([], _) => Err("has no login for a terminal: it logs in when it is used, or needs none".to_owned()),
        ([login], None) => Ok(login),
        (_, None) => Err(format!("has more than one login: choose with `--method`: {}", ids())),
        (_, Some(method)) => logins
            .iter()
            .find(|login| login.id.as_str() == method)
            .ok_or_else(|| format!("has no login `{method}` for a terminal: it has {}", ids())),
    }
}
