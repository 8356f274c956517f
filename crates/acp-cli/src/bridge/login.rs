//! Logins of the agent in a terminal, which a client runs with the program of the bridge.
//!
//! The client starts the program of its agent once more, with the arguments and variables of the
//! login. That program is the bridge's. So the list that the client gets has one variable, which
//! tells the program to run the agent's instead.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::process;

use acp_agent::types::{AuthMethod, AuthMethodTerminal, InitializeRequest};
use acp_client::{Command, Map, Value};
use acp_json::Node;

/// The variable that has the agent's arguments and variables, as JSON.
const VARIABLE: &str = "ACP_BRIDGE_LOGIN";
/// The name in `_meta` by which agents describe a login that is of no kind of its own.
const IN_META: &str = "terminal-auth";

/// A login of the agent in the terminal of this process, in place of a bridge.
///
/// A client that runs a login in a terminal starts the program of the bridge for it. So a program
/// that calls [`Bridge::terminal_logins`](super::Bridge::terminal_logins) begins with this:
///
/// ```no_run
/// # fn start() -> Result<(), Box<dyn std::error::Error>> {
/// use acp_cli::bridge::Login;
/// use acp_client::Command;
///
/// let agent = Command::new("my-agent");
/// if let Some(login) = Login::asked()? {
///     let ended = login.command(&agent).status()?;
///     std::process::exit(ended.code().unwrap_or(1));
/// }
/// // Serve the bridge.
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    args: Vec<String>,
    env: Vec<(String, String)>,
}

/// The failure to read the login that this process is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoginError;

impl fmt::Display for LoginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the variable {VARIABLE} does not hold a login: only a bridge sets it, so unset it")
    }
}

impl std::error::Error for LoginError {}

impl Login {
    /// Returns the login that this process was started for, if it was.
    ///
    /// # Errors
    /// The variable that tells so has another form.
    pub fn asked() -> Result<Option<Self>, LoginError> {
        env::var_os(VARIABLE).map(|text| Self::read(&text).ok_or(LoginError)).transpose()
    }

    /// Returns the command of the login, for an agent that is started with `agent`. It uses the
    /// stdin, stdout and stderr of this process.
    #[must_use]
    pub fn command(&self, agent: &Command) -> process::Command {
        let mut command = agent.to_std();
        command.env_remove(VARIABLE).args(&self.args);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    fn read(text: &OsStr) -> Option<Self> {
        Self::of(&text.to_str()?.parse().ok()?)
    }

    fn of(value: &Value) -> Option<Self> {
        let args = match value.get("args") {
            Some(Node::Seq(args)) => {
                args.iter().map(|arg| arg.as_str().map(str::to_owned)).collect::<Option<_>>()?
            }
            _ => return None,
        };
        let env = match value.get("env") {
            Some(Node::Map(env)) => {
                let text = |value: &Node<'_>| value.as_str().map(str::to_owned);
                env.iter()
                    .map(|(name, value)| Some((name.to_string(), text(value)?)))
                    .collect::<Option<_>>()?
            }
            _ => return None,
        };
        Some(Self { args, env })
    }

    /// Returns the one variable that stands for this login.
    fn variable(&self) -> Map<String> {
        let args: Vec<Value> = self.args.iter().map(|arg| Value::from(arg.as_str())).collect();
        let env: Map =
            self.env.iter().map(|(name, value)| (name.as_str(), Value::from(value.as_str()))).collect();
        let login = Map::from([("args", Value::from(args)), ("env", Value::from(env))]);
        Map::from([(VARIABLE, Value::from(login).to_string())])
    }
}

/// Returns true if the client can run logins in a terminal.
pub(super) fn is_offered(asked: &InitializeRequest) -> bool {
    let offered = &asked.client_capabilities;
    let of_meta = offered.meta.as_ref().and_then(|meta| meta.get(IN_META)).and_then(Value::as_bool);
    offered.auth.terminal || of_meta == Some(true)
}

/// Returns a way to log in as the client can use it, or nothing for one that runs in a terminal
/// unless the bridge `has_logins`.
pub(super) fn listed(method: &AuthMethod, has_logins: bool) -> Option<AuthMethod> {
    let mut method = method.clone();
    match &mut method {
        AuthMethod::Terminal(_) if !has_logins => return None,
        AuthMethod::Terminal(terminal) => {
            let env = terminal.env.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
            let login = Login { args: std::mem::take(&mut terminal.args), env };
            terminal.env = login.variable();
        }
        AuthMethod::Agent(agent) if has_logins => {
            if let Some(login) = agent.meta.as_ref().and_then(|meta| described(meta.get(IN_META)?)) {
                let mut terminal = AuthMethodTerminal::new(agent.id.clone(), &agent.name);
                terminal.description = agent.description.take();
                return Some(terminal.env(login.variable()).into());
            }
        }
        _ => {}
    }
    Some(method)
}

/// Reads a login with the agent's own program that `_meta` describes. One that names a program
/// needs no bridge.
fn described(meta: &Value) -> Option<Login> {
    if meta.get("command").is_some_and(|command| !command.is_null()) {
        return None;
    }
    let member = |name: &str, otherwise: Node<'static>| {
        Value::from(meta.get(name).filter(|value| !value.is_null()).cloned().unwrap_or(otherwise))
    };
    let args = member("args", Node::Seq(Vec::new()));
    let whole = Map::from([("args", args), ("env", member("env", Node::Map(Vec::new())))]);
    let login = Login::of(&Value::from(whole))?;
    (!login.args.is_empty()).then_some(login)
}
