//! The arguments of `acp prompt`.

use std::path::PathBuf;
use std::time::Duration;

use acp_client::v1::McpServer;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::args::agent;
use crate::args::mcp_server;
use crate::args::value::{self, Allow, Protocol};
use crate::named::Named;

#[derive(Debug)]
pub(crate) struct PromptArgs {
    pub(crate) text: String,
    pub(crate) agent: Named,
    pub(crate) protocol: Protocol,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) allow: Option<Allow>,
    pub(crate) mcp: Vec<McpServer>,
    pub(crate) session: Option<String>,
    pub(crate) missing_as_empty: bool,
    pub(crate) no_terminals: bool,
    pub(crate) mode: Option<String>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) init_timeout: Option<Duration>,
    pub(crate) idle_timeout: Option<Duration>,
    pub(crate) record: Option<PathBuf>,
    pub(crate) verbose: bool,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) images: Vec<PathBuf>,
    pub(crate) config: Vec<(String, String)>,
    pub(crate) form: Form,
}

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The whole turn, for people.
    Text,
    /// The answer alone.
    Quiet,
    /// A line of JSON for each event.
    Json,
}

const AFTER_HELP: &str = "\
The id of the session is written to stderr, for `--session`. Forms and pages of the agent are asked on the terminal, and \
declined where there is none. Ctrl-C cancels the turn, and pressed again ends the program. At any other time it ends \
the program at once.

Examples:
  acp prompt \"What is in this folder?\" -- my-agent --acp
  git diff | acp prompt - --file notes.md --quiet -- my-agent --acp > review.md
  acp prompt Hello --json -- my-agent --acp | jq -r 'select(.type == \"result\").stopReason'

exit status:
  0    the agent answered
  1    error: the agent failed, ended, could not be started or does not have what was asked for
  2    usage
  3    the agent refused
  4    a limit of the agent was reached (tokens, requests)
  124  the time was up
  130  cancelled
  141  nobody reads the output";

pub(super) const ABOUT: &str = "Runs one turn with an agent";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    let command = command
        .override_usage(
            "acp prompt TEXT [OPTIONS] -- AGENT [ARGS…]\n       acp prompt TEXT [OPTIONS] --agent ID|FILE\n       acp prompt TEXT [OPTIONS] --url URL\n       acp prompt --schema",
        )
        .after_help(AFTER_HELP)
        .arg(
            Arg::new("text")
                .value_name("TEXT")
                .help("the text of the prompt, or `-` for that of stdin")
                .required(true),
        )
        .args(content_options())
        .args(options());
    agent::define(command)
}

/// Returns the options of a session, of its limits and of the output.
pub(super) fn options() -> impl Iterator<Item = Arg> {
    session_options().into_iter().chain(limit_options()).chain(output_options())
}

fn content_options() -> [Arg; 2] {
    [
        option("file", "PATH", value_parser!(PathBuf)).action(ArgAction::Append).help(
            "add a file to the prompt: its contents if the agent takes them and they have 1 MiB at most, else a \
             link; can be given several times",
        ),
        option("image", "PATH", value_parser!(PathBuf))
            .action(ArgAction::Append)
            .help("add an image (PNG, JPEG, GIF, WebP) for an agent that takes images; can be given several times"),
    ]
}

fn output_options() -> [Arg; 5] {
    [
        switch("quiet").short('q').conflicts_with_all(["json", "verbose"]).help(
            "write the answer alone to stdout. Plan, tools and diffs go to stderr, unless stdout is a terminal",
        ),
        switch("json").help(
            "write a line of JSON for each event: see `--schema`. Nobody is asked, except with `--allow ask`",
        ),
        switch("schema").exclusive(true).help("write the JSON Schema of the lines of `--json`, and end"),
        option("record", "FILE", value_parser!(PathBuf))
            .help("write every message to this file, one JSON object a line, with secrets redacted"),
        switch("verbose").short('v').help("show the agent's stderr, other updates, and what was skipped"),
    ]
}

fn session_options() -> [Arg; 9] {
    [
        option("protocol", "VERSION", value::protocol).help(
            "the version of the protocol: 1, 2 (a draft), or auto, which is 2 if the agent speaks it \
             [default: 1]",
        ),
        option("cwd", "DIR", value_parser!(PathBuf))
            .help("the session's directory, and the one whose files are served [default: here]"),
        option("allow", "KIND", value::allow).help(
            "answer permission requests: once, always, reject or ask [default: ask when stdin and stdout \
             are a terminal, else reject]. Only a line that comes after a question was shown answers it; \
             with `ask` it may come through a pipe. The end of the input is a no",
        ),
        option("mcp", "NAME=CMD", mcp_server::server).action(ArgAction::Append).help(
            "give the session an MCP server: a command with its arguments, or an address (https://…); can \
             be given several times",
        ),
        option("session", "ID", value_parser!(String))
            .help("go on with this session of an earlier time: it is resumed, or loaded without being shown"),
        switch("missing-as-empty")
            .help("files that do not exist read as empty: some agents read every file before they create it"),
        switch("no-terminals").help("do not run commands for the agent"),
        option("mode", "MODE", value_parser!(String)).help("switch the session to this mode first: by its config option of category `mode`, or by `session/set_mode`"),
        option("config", "NAME=VALUE", value::setting).action(ArgAction::Append).help(
            "set a config option of the session first, after the mode; can be given several times",
        ),
    ]
}

fn limit_options() -> [Arg; 3] {
    [
        limit("timeout", "end the run after this time; a turn is cancelled and has ten seconds to stop"),
        limit(
            "init-timeout",
            "how long the agent may take to start and to answer `initialize` [default: 60]",
        ),
        limit(
            "idle-timeout",
            "end the run, as --timeout does, when the agent is silent for this long and waits for nothing",
        ),
    ]
}

/// Returns an option for a time limit. Below zero is a wrong number of seconds, not another option.
pub(super) fn limit(name: &'static str, help: &'static str) -> Arg {
    option(name, "SECS", value::seconds).allow_negative_numbers(true).help(help)
}

pub(super) fn option<P>(name: &'static str, value: &'static str, parser: P) -> Arg
where
    P: clap::builder::IntoResettable<clap::builder::ValueParser>,
{
    Arg::new(name).long(name).value_name(value).value_parser(parser)
}

pub(super) fn switch(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

pub(super) fn read(matches: &ArgMatches) -> Result<PromptArgs, String> {
    let text = |name| matches.get_one::<String>(name).cloned();
    let path = |name| matches.get_one::<PathBuf>(name).cloned();
    let limit = |name| matches.get_one::<Duration>(name).copied();
    let servers = matches.get_many::<McpServer>("mcp");
    let paths = |name| matches.get_many::<PathBuf>(name).into_iter().flatten().cloned().collect();
    let config = matches.get_many::<(String, String)>("config");
    Ok(PromptArgs {
        text: text("text").unwrap_or_default(),
        agent: agent::read(matches)?,
        protocol: matches.get_one("protocol").copied().unwrap_or_default(),
        cwd: path("cwd"),
        allow: matches.get_one("allow").copied(),
        mcp: servers.map(|servers| servers.cloned().collect()).unwrap_or_default(),
        session: text("session"),
        missing_as_empty: matches.get_flag("missing-as-empty"),
        no_terminals: matches.get_flag("no-terminals"),
        mode: text("mode"),
        timeout: limit("timeout"),
        init_timeout: limit("init-timeout"),
        idle_timeout: limit("idle-timeout"),
        record: path("record"),
        verbose: matches.get_flag("verbose"),
        files: paths("file"),
        images: paths("image"),
        config: config.into_iter().flatten().cloned().collect(),
        form: match (matches.get_flag("json"), matches.get_flag("quiet")) {
            (true, _) => Form::Json,
            (_, true) => Form::Quiet,
            _ => Form::Text,
        },
    })
}
