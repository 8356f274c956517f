//! The arguments of `acp sessions`.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::args::connection::{self, ConnectionArgs, EXIT_STATUS};
use crate::args::prompt::{option, switch};

#[derive(Debug)]
pub(crate) struct SessionsArgs {
    pub(crate) action: Action,
    pub(crate) connection: ConnectionArgs,
}

/// The thing to do with sessions.
#[derive(Debug)]
pub(crate) enum Action {
    List { limit: Option<usize>, json: bool },
    Load { id: String, json: bool },
    Delete { ids: Vec<String> },
    Export { id: String, form: ExportForm, output: Option<PathBuf> },
}

/// The form of an exported session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExportForm {
    Markdown,
    /// A line for each update, the params of `session/update`.
    Ndjson,
}

pub(super) const USAGE: &str = "acp sessions list|load|delete|export [OPTIONS] -- AGENT [ARGS…]";

pub(super) const ABOUT: &str = "Lists, shows, deletes and exports the sessions of an agent";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    command
        .override_usage(USAGE)
        .subcommand_required(true)
        .after_help(
            "Each of them needs the capability of the agent for it: see `acp info`.\n\nExample:\n  \
             acp sessions list -- my-agent --acp",
        )
        .subcommands([list(), load(), delete(), export()])
}

/// Returns the definition of an action, without its own arguments.
fn action(name: &'static str, about: &'static str, words: &'static str, example: &str) -> Command {
    let usage = ["-- AGENT [ARGS…]", "--agent ID|FILE", "--url URL"]
        .map(|agent| format!("acp sessions {name}{words} [OPTIONS] {agent}"))
        .join("\n       ");
    let after = format!("Example:\n  acp sessions {name} {example} -- my-agent --acp\n\n{EXIT_STATUS}");
    Command::new(name).about(about).override_usage(usage).after_help(after)
}

fn list() -> Command {
    let command = action("list", "Lists the sessions of an agent", "", "--limit 20")
        .arg(
            option("limit", "COUNT", value_parser!(usize))
                .help("end after this many sessions; without it all pages are asked for"),
        )
        .arg(switch("json").help("write a line of JSON for each session"));
    connection::define(command, "list the sessions of this directory only")
}

fn load() -> Command {
    let command = action("load", "Shows the conversation of a session", " ID", "s-123")
        .arg(id())
        .arg(switch("json").help("write the updates, as `acp sessions export --format ndjson` does"));
    connection::define(command, CWD)
}

fn delete() -> Command {
    let command = action("delete", "Deletes sessions", " ID…", "s-123 s-124").arg(
        Arg::new("id")
            .value_name("ID")
            .required(true)
            .action(ArgAction::Append)
            .num_args(1..)
            .help("the session, or several. The first one that cannot be deleted ends the command"),
    );
    connection::define(command, "the directory that the agent works in; it does not matter to most agents")
}

fn export() -> Command {
    let command = action("export", "Writes the conversation of a session", " ID", "s-123 --output s-123.md")
        .arg(id())
        .arg(
            option("format", "FORMAT", ["markdown", "ndjson"])
                .help("markdown, or ndjson: the params of each `session/update` [default: markdown]"),
        )
        .arg(option("output", "FILE", value_parser!(PathBuf)).help("the file to write [default: stdout]"));
    connection::define(command, CWD)
}

const CWD: &str = "the session's directory [default: here]";

fn id() -> Arg {
    Arg::new("id").value_name("ID").required(true).help("the session, as `acp sessions list` shows it")
}

pub(super) fn read(matches: &ArgMatches) -> Result<SessionsArgs, String> {
    let (name, matches) = matches.subcommand().ok_or_else(|| format!("what to do? {USAGE}"))?;
    let id = || matches.get_one::<String>("id").cloned().unwrap_or_default();
    let action = match name {
        "list" => Action::List { limit: matches.get_one("limit").copied(), json: matches.get_flag("json") },
        "load" => Action::Load { id: id(), json: matches.get_flag("json") },
        "delete" => {
            let ids = matches.get_many::<String>("id").into_iter().flatten().cloned().collect();
            Action::Delete { ids }
        }
        _ => {
            let is_ndjson = matches.get_one::<String>("format").is_some_and(|form| form == "ndjson");
            let form = if is_ndjson { ExportForm::Ndjson } else { ExportForm::Markdown };
            Action::Export { id: id(), form, output: matches.get_one("output").cloned() }
        }
    };
    Ok(SessionsArgs { action, connection: connection::read(matches)? })
}
