//! The arguments of `acp chat`.

use std::path::PathBuf;
use std::time::Duration;

use acp_client::v1::McpServer;
use clap::{ArgMatches, Command, value_parser};

use crate::args::agent;
use crate::args::prompt::{self, Form, PromptArgs, option};

const AFTER_HELP: &str = "\
It needs a terminal on stdin and stdout; `acp prompt` does without one. Ctrl-C cancels the turn, and pressed again while \
the turn is being cancelled ends the chat. Ctrl-D ends it at its prompt. Text that is typed while a turn runs is kept for \
the next prompt, and never answers a question.

`/help` lists the commands: /mode, /config, /cancel, /new, /load, /sessions, /usage and /quit. The agent's own commands \
follow the same `/`, and `//` begins a text that starts with a slash. `@path` adds a file of the session's directory. Tab \
completes all of them. Alt-Enter, or a backslash before Enter, begins another line.

Examples:
  acp chat -- my-agent --acp
  acp chat --load s-123 --mode plan --agent my-agent

exit status:
  0    the user ended the chat
  1    error: the agent failed, ended, could not be started or does not have what was asked for
  2    usage, or no terminal
  124  the agent did not start in time
  130  a signal ended the chat, or Ctrl-C while a turn was being cancelled
  141  nobody reads the output";

/// The options of `acp prompt` that a chat has, too.
const SHARED: [&str; 11] = [
    "protocol",
    "cwd",
    "allow",
    "mcp",
    "missing-as-empty",
    "no-terminals",
    "mode",
    "config",
    "init-timeout",
    "record",
    "verbose",
];

pub(super) const ABOUT: &str = "Talks with an agent, turn after turn";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    let shared = prompt::options().filter(|option| SHARED.contains(&option.get_id().as_str()));
    let command = command
        .override_usage(
            "acp chat [OPTIONS] -- AGENT [ARGS…]\n       acp chat [OPTIONS] --agent ID|FILE\n       acp chat \
             [OPTIONS] --url URL",
        )
        .after_help(AFTER_HELP)
        .args(shared)
        .arg(option("load", "ID", value_parser!(String)).help(
            "go on with this session of an earlier time: it is loaded and its conversation shown, or resumed",
        ));
    agent::define(command)
}

/// Returns the arguments as those of a prompt whose text comes later.
pub(super) fn read(matches: &ArgMatches) -> Result<PromptArgs, String> {
    let text = |name| matches.get_one::<String>(name).cloned();
    let path = |name| matches.get_one::<PathBuf>(name).cloned();
    Ok(PromptArgs {
        text: String::new(),
        agent: agent::read(matches)?,
        protocol: matches.get_one("protocol").copied().unwrap_or_default(),
        cwd: path("cwd"),
        allow: matches.get_one("allow").copied(),
        mcp: matches.get_many::<McpServer>("mcp").into_iter().flatten().cloned().collect(),
        session: text("load"),
        missing_as_empty: matches.get_flag("missing-as-empty"),
        no_terminals: matches.get_flag("no-terminals"),
        mode: text("mode"),
        timeout: None,
        init_timeout: matches.get_one::<Duration>("init-timeout").copied(),
        idle_timeout: None,
        record: path("record"),
        verbose: matches.get_flag("verbose"),
        files: Vec::new(),
        images: Vec::new(),
        config: matches.get_many::<(String, String)>("config").into_iter().flatten().cloned().collect(),
        form: Form::Text,
    })
}
