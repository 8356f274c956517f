//! The arguments of `acp check`.

use std::path::PathBuf;
use std::time::Duration;

use acp_testkit::check::Version;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::args::check_client::{self, ClientArgs};
use crate::args::prompt::{option, switch};
use crate::args::{agent, value};
use crate::named::Named;

/// The command to run.
#[derive(Debug)]
pub(crate) enum CheckArgs {
    /// Shows the rules of a version that are judged, and those that are not.
    List(Version),
    Agent(Box<AgentArgs>),
    /// Shows the rules for clients that are judged, and those that are not.
    ListOfClients,
    Client(Box<ClientArgs>),
}

#[derive(Debug)]
pub(crate) struct AgentArgs {
    pub(crate) version: Version,
    pub(crate) agent: Named,
    pub(crate) rules: Vec<String>,
    pub(crate) strict: bool,
    pub(crate) json: Option<PathBuf>,
    pub(crate) junit: Option<PathBuf>,
    pub(crate) markdown: Option<PathBuf>,
    pub(crate) baseline: Option<PathBuf>,
    pub(crate) model_stub: bool,
    pub(crate) profile: Option<String>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) login: Option<String>,
    pub(crate) prompt: Option<String>,
    pub(crate) endless_prompt: Option<String>,
    pub(crate) permission_prompt: Option<String>,
    pub(crate) more_prompts: Vec<String>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) turn_timeout: Option<Duration>,
}

pub(super) const USAGE: &str = "acp check agent|client [OPTIONS] -- COMMAND [ARGS…]";

const EXIT_STATUS: &str = "\
exit status:
  0 no rule is broken   1 a rule is broken, or an expected failure has passed
  2 usage   3 no rule is broken, but some could not be judged   130 stopped by a signal";

pub(super) fn definition() -> Command {
    let command = Command::new("check")
        .about("Runs the rules of the protocol against an agent or a client")
        .override_usage(
            "acp check agent [OPTIONS] -- AGENT [ARGS…]\n       acp check agent [OPTIONS] --agent ID|FILE\n       \
             acp check agent --list [--protocol 1|2]\n       acp check client [OPTIONS] -- CLIENT [ARGS… with \
             {agent} and {prompt}]\n       acp check client --list",
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
        .arg(
            option("rule", "ID", value_parser!(String))
                .action(ArgAction::Append)
                .help("judge this rule only; can be given several times"),
        )
        .arg(switch("strict").help("count SHOULD rules, too"))
        .args(report_options())
        .arg(option("baseline", "FILE", value_parser!(PathBuf)).help(
            "expect the failures of this file, a rule's id a line; one of them that passes is an error",
        ))
        .args(model_options())
        .args(scenario_options())
        .args(check_client::options());
    agent::define(command)
}

fn report_options() -> [Arg; 3] {
    [("json", "JSON"), ("junit", "JUnit XML"), ("markdown", "Markdown")].map(|(name, form)| {
        option(name, "FILE", value_parser!(PathBuf)).help(format!("write the report to this file as {form}"))
    })
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

fn scenario_options() -> [Arg; 8] {
    let limit = |name, help| option(name, "SECS", value::seconds).allow_negative_numbers(true).help(help);
    let text = |name, help| option(name, "TEXT", value_parser!(String)).help(help);
    [
        option("cwd", "DIR", value_parser!(PathBuf))
            .help("the directory of the sessions [default: a new one, removed afterwards]"),
        option("login", "ID", value_parser!(String))
            .help("log in by this method, and out again if the agent offers it"),
        text("prompt", "a prompt that is answered with a few words"),
        text("endless", "a prompt whose turn lasts until it is cancelled"),
        text("permission", "a prompt for which the agent asks for permission"),
        text("show", "one more prompt, which makes the agent show what it can; can be given several times")
            .action(ArgAction::Append),
        limit("timeout", "how long an answer may take [default: 20]"),
        limit("turn-timeout", "how long a turn may take [default: 120]"),
    ]
}

pub(super) fn read(matches: &ArgMatches) -> Result<CheckArgs, String> {
    let of_client = matches.get_one::<String>("side").is_some_and(|side| side == "client");
    let protocol = matches.get_one::<u16>("protocol").copied();
    if of_client && protocol == Some(2) {
        return Err("`acp check client` has the rules of version 1 only: leave `--protocol` out".to_owned());
    }
    let version = if protocol == Some(2) { Version::V2 } else { Version::V1 };
    if matches.get_flag("list") {
        return Ok(if of_client { CheckArgs::ListOfClients } else { CheckArgs::List(version) });
    }
    if of_client {
        return Ok(CheckArgs::Client(Box::new(check_client::read(matches)?)));
    }
    if matches.contains_id("stdin") || matches.get_flag("interrupt") {
        return Err("`--stdin` and `--interrupt` are for `acp check client`".to_owned());
    }
    let text = |name| matches.get_one::<String>(name).cloned();
    let texts = |name| matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
    let path = |name| matches.get_one::<PathBuf>(name).cloned();
    let limit = |name| matches.get_one::<Duration>(name).copied();
    Ok(CheckArgs::Agent(Box::new(AgentArgs {
        version,
        agent: agent::read(matches)?,
        rules: texts("rule"),
        strict: matches.get_flag("strict"),
        json: path("json"),
        junit: path("junit"),
        markdown: path("markdown"),
        baseline: path("baseline"),
        model_stub: matches.get_flag("model-stub"),
        profile: text("profile"),
        cwd: path("cwd"),
        login: text("login"),
        prompt: text("prompt"),
        endless_prompt: text("endless"),
        permission_prompt: text("permission"),
        more_prompts: texts("show"),
        timeout: limit("timeout"),
        turn_timeout: limit("turn-timeout"),
    })))
}
