//! Settings of a check.

use std::path::PathBuf;
use std::time::Duration;

use super::never::Never;
use super::verdict::Stop;
use super::version::Version;

/// Settings of a check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The version of the protocol. Default 1.
    pub version: Version,
    /// Only these rules, by id. Empty for all.
    pub only: Vec<String>,
    /// The working directory of sessions, an absolute path. Default: the folder for temporary
    /// files.
    pub cwd: PathBuf,
    /// The time that an answer may take. Default 20 seconds.
    pub limit: Duration,
    /// The time that a turn may take. Default 120 seconds.
    pub turn_limit: Duration,
    /// The text of a prompt that is answered with a few words.
    pub prompt: String,
    /// The text of a prompt whose turn lasts until it is cancelled. Without it, a turn that ends
    /// before its cancellation is not a failure.
    pub endless_prompt: Option<String>,
    /// The text of a prompt for which the agent asks for permission before it runs a tool.
    pub permission_prompt: Option<String>,
    /// More prompts, which make the agent show what it can: plans, tools, files, terminals, forms.
    pub more_prompts: Vec<String>,
    /// The id of a method for `authenticate`.
    pub login: Option<String>,
    /// The command of a program that runs [`mcp_side`](super::mcp_side) with its last three words.
    /// They are added to it. Agents start it as an MCP server. Without it, rules about servers stay
    /// open.
    pub mcp_server: Vec<String>,
    /// Things that the agent never does. Rules about them do not apply.
    pub never: Vec<Never>,
    /// Rules that cannot be seen on the way to the agent, by id, and why. They are not applicable.
    pub unseen: Vec<(&'static str, &'static str)>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            version: Version::V1,
            only: Vec::new(),
            cwd: std::env::temp_dir(),
            limit: Duration::from_secs(20),
            turn_limit: Duration::from_secs(120),
            prompt: "Reply with the word hello.".to_owned(),
            endless_prompt: None,
            permission_prompt: None,
            more_prompts: Vec::new(),
            login: None,
            mcp_server: Vec::new(),
            never: Vec::new(),
            unseen: Vec::new(),
        }
    }
}

impl Options {
    /// Returns the end of a scenario that did not get to a thing that the agent may never do.
    pub(super) fn without(&self, never: Never, reason: &str) -> Stop {
        never.stop(&self.never, reason)
    }

    /// Returns the options as words of a command that repeats the check.
    pub(super) fn shown(&self) -> Vec<String> {
        let usual = Self::default();
        let mut words = Vec::new();
        if self.version != usual.version {
            words.push(format!("--protocol={}", self.version.number()));
        }
        let mut add = |name: &str, value: &str| words.push(format!("--{name}={value}"));
        if self.cwd != usual.cwd {
            add("cwd", &self.cwd.to_string_lossy());
        }
        if self.prompt != usual.prompt {
            add("prompt", &self.prompt);
        }
        let prompts = [("endless", &self.endless_prompt), ("permission", &self.permission_prompt)];
        let named = prompts.into_iter().chain([("login", &self.login)]);
        named.for_each(|(name, value)| value.iter().for_each(|value| add(name, value)));
        self.more_prompts.iter().for_each(|prompt| add("show", prompt));
        self.never.iter().for_each(|never| add("never", never.name()));
        let limits =
            [("timeout", self.limit, usual.limit), ("turn-timeout", self.turn_limit, usual.turn_limit)];
        for (name, limit, _) in limits.iter().filter(|(_, limit, usual)| limit != usual) {
            add(name, &limit.as_secs_f64().to_string());
        }
        words
    }
}
