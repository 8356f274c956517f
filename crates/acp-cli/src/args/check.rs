//! The arguments of `acp check`.

use std::time::Duration;

use acp_testkit::check::{Never, Version};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::args::agent;
use crate::args::check_client::{self, ClientArgs};
use crate::args::check_common::{self, CommonArgs};
use crate::args::prompt::{option, switch};
use crate::named::Named;

/// The command to run.
#[derive(Debug)]
pub(crate) enum CheckArgs {
    /// Shows the rules of a version that are judged, and those that are not.
    List(Version),
    Agent(Box<AgentArgs>),
    /// Shows the rules of a version for clients that are judged, and those that are not.
    ListOfClients(Version),
    Client(Box<ClientArgs>),
}

#[derive(Debug)]
pub(crate) struct AgentArgs {
    pub(crate) version: Version,
    pub(crate) agent: Named,
    pub(crate) common: CommonArgs,
    pub(crate) model_stub: bool,
    pub(crate) profile: Option<String>,
    pub(crate) login: Option<String>,
    pub(crate) endless_prompt: Option<String>,
    pub(crate) permission_prompt: Option<String>,
    pub(crate) more_prompts: Vec<String>,
    pub(crate) turn_timeout: Option<Duration>,
}

/// The end of an MCP server, which an agent under check starts.
#[derive(Debug)]
pub(crate) struct McpSideArgs {
    pub(crate) address: String,
    pub(crate) token: String,
    pub(crate) name: String,
}

pub(super) const USAGE: &str = "acp check agent|client [OPTIONS] -- COMMAND [ARGS…]";

const EXIT_STATUS: &str = "\
Examples:
  acp check agent -- my-agent --acp
  acp check client -- my-client {prompt} --agent {agent}
  acp check client -- my-client --agent='{agent}' {prompt}

Placeholders in the words of CLIENT:
  {agent}   the command of the agent. As a word of its own it becomes several words of the client's command.
            Inside of another word, such as the text of `sh -c`, it stays one word, quoted as for a shell
  {prompt}  the text of the prompt, which stays one word

exit status:
  0 no rule is broken   1 a rule is broken, an expected failure has passed, or `initialize` is never
  answered by the agent or never sent by the client
  2 usage   3 no rule is broken, but some could not be judged   130 stopped by a signal";

pub(super) const ABOUT: &str = "Runs the rules of the protocol against an agent or a client";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    let command = command
        .override_usage(
            "acp check agent [OPTIONS] -- AGENT [ARGS…]\n       acp check agent [OPTIONS] --agent ID|FILE\n       acp check agent [OPTIONS] --url URL\n       \
             acp check agent --list [--protocol 1|2]\n       acp check client [OPTIONS] -- CLIENT [ARGS… with \
             {agent} and {prompt}]\n       acp check client --list [--protocol 1|2]",
        )
        .after_help(EXIT_STATUS)
        .arg(
            Arg::new("side")
                .value_name("SIDE")
                .required(true)
                .value_parser(["agent", "client"])
                .hide_possible_values(true)
                .help("agent or client"),
        )
        .arg(switch("list").help("show how many rules of each area are judged, and those that are not"))
        .arg(
            option("protocol", "VERSION", value_parser!(u16).range(1..=2))
                .help("the version of the protocol, 1 or 2, a draft [default: 1]"),
        )
        .args(check_common::options())
        .args(model_options())
        .args(scenario_options())
        .args(check_client::options());
    agent::define(command)
}

fn model_options() -> [Arg; 2] {
    [
        switch("model-stub").help(
            "start a stand-in for the agent's model on this machine, and lead the agent to it; the check then \
             has prompts for it",
        ),
        option("profile", "NAME|FILE", value_parser!(String)).help(
            "the way to lead the agent there, and the names of its tools: a known agent's, or a file \
             [default: by the agent's command]",
        ),
    ]
}

fn scenario_options() -> [Arg; 5] {
    let text = |name, help| option(name, "TEXT", value_parser!(String)).help(help);
    [
        option("login", "ID", value_parser!(String))
            .help("log in by this method, and out again if the agent offers it"),
        text("endless", "a prompt whose turn lasts until it is cancelled"),
        text("permission", "a prompt for which the agent asks for permission"),
        text("show", "one more prompt, which makes the agent show what it can; can be given several times")
            .action(ArgAction::Append),
        check_common::limit("turn-timeout", "how long a turn may take [default: 120]"),
    ]
}

/// The hidden command of an MCP server.
pub(super) fn mcp_side() -> Command {
    let word = |name| Arg::new(name).required(true);
    Command::new("check-mcp-side").hide(true).args([word("address"), word("token"), word("name")])
}

pub(super) fn read_mcp_side(matches: &ArgMatches) -> McpSideArgs {
    let text = |name| matches.get_one::<String>(name).cloned().unwrap_or_default();
    McpSideArgs { address: text("address"), token: text("token"), name: text("name") }
}

pub(super) fn read(matches: &ArgMatches) -> Result<CheckArgs, String> {
    let of_client = matches.get_one::<String>("side").is_some_and(|side| side == "client");
    let protocol = matches.get_one::<u16>("protocol").copied();
    let version = if protocol == Some(2) { Version::V2 } else { Version::V1 };
    if matches.get_flag("list") {
        return Ok(if of_client { CheckArgs::ListOfClients(version) } else { CheckArgs::List(version) });
    }
    if of_client {
        return Ok(CheckArgs::Client(Box::new(check_client::read(matches, version)?)));
    }
    if matches.contains_id("stdin") || matches.get_flag("interrupt") {
        return Err("`--stdin` and `--interrupt` are for `acp check client`".to_owned());
    }
    let common = check_common::read(matches);
    if common.never.contains(&Never::Cancel) {
        return Err("`--never cancel` is for `acp check client`".to_owned());
    }
    let prompts = [("permission", Never::Permission), ("endless", Never::Endless)];
    let both = |(name, never): &(&str, Never)| matches.contains_id(name) && common.never.contains(never);
    if let Some((name, _)) = prompts.into_iter().find(both) {
        return Err(format!("`--{name}` and `--never {name}` contradict each other"));
    }
    let text = |name| matches.get_one::<String>(name).cloned();
    let texts = |name| matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
    Ok(CheckArgs::Agent(Box::new(AgentArgs {
        version,
        agent: agent::read(matches)?,
        common,
        model_stub: matches.get_flag("model-stub"),
        profile: text("profile"),
        login: text("login"),
        endless_prompt: text("endless"),
        permission_prompt: text("permission"),
        more_prompts: texts("show"),
        turn_timeout: matches.get_one::<Duration>("turn-timeout").copied(),
    })))
}
