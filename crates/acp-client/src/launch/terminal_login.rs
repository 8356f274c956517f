//! Logins that run in a terminal, as agents describe them.

use std::collections::BTreeMap;
use std::process;

use acp_json::Node;
use acp_rpc::Command;
use acp_types::v1::{AuthMethod, AuthMethodId};

use crate::launch::members::{environment, text, texts};

/// The name in `_meta` by which agents describe such a login and clients offer to run it.
pub(crate) const IN_META: &str = "terminal-auth";

/// A login that runs in a terminal: see [`Agent::terminal_logins`](crate::Agent::terminal_logins).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TerminalLogin {
    /// The id of the method, for [`Agent::terminal_login`](crate::Agent::terminal_login).
    pub id: AuthMethodId,
    /// Its name for people.
    pub label: String,
}

/// A login, and the way to start it.
#[derive(Debug)]
pub(crate) struct Described {
    pub(crate) login: TerminalLogin,
    /// The program; `None` stands for the agent's own.
    program: Option<String>,
    args: Vec<String>,
    env: BTreeMap<String, String>,
}

impl Described {
    /// Reads a login. Returns `None` for a method that does not run in a terminal, or has no
    /// readable description.
    pub(crate) fn of(method: &AuthMethod) -> Option<Self> {
        if let AuthMethod::Terminal(method) = method {
            let login = TerminalLogin { id: method.id.clone(), label: method.name.clone() };
            let env = method.env.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
            return Some(Self { login, program: None, args: method.args.clone(), env });
        }
        let method = method.as_agent()?;
        let meta = method.meta.as_ref()?.get(IN_META)?.as_node();
        let Node::Map(_) = meta else { return None };
        let program = match meta.get("command") {
            None | Some(Node::Null) => None,
            Some(command) => Some(command.as_str().filter(|command| !command.is_empty())?.to_owned()),
        };
        let args = texts(meta, "args").ok()?;
        if program.is_none() && args.is_empty() {
            // It would start the agent once more, and the agent would wait for a client.
            return None;
        }
        let label = text(meta, "label").unwrap_or(method.name);
        Some(Self {
            login: TerminalLogin { id: method.id, label },
            program,
            args,
            env: environment(meta).ok()?,
        })
    }

    /// Returns the command of the login, for an agent that was started with `agent`.
    pub(crate) fn command(&self, agent: &Command) -> process::Command {
        let mut login = match &self.program {
            Some(program) => agent.of_program(program).to_std(),
            None => agent.to_std(),
        };
        login.args(&self.args).envs(&self.env);
        login
    }
}
