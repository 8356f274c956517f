//! The arguments of `acp info`.

use std::time::Duration;

use clap::{ArgMatches, Command};

use crate::args::agent;
use crate::args::prompt::{limit, option, switch};
use crate::args::value::{self, Protocol};
use crate::named::Named;

#[derive(Debug)]
pub(crate) struct InfoArgs {
    pub(crate) agent: Named,
    pub(crate) protocol: Protocol,
    pub(crate) json: bool,
    pub(crate) init_timeout: Option<Duration>,
}

pub(super) const ABOUT: &str = "Shows what an agent offers: its version, capabilities and ways to log in";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    let command = command
        .override_usage("acp info [OPTIONS] -- AGENT [ARGS…]\n       acp info [OPTIONS] --agent ID|FILE\n       acp info [OPTIONS] --url URL")
        .after_help(
            "The agent is started, asked by `initialize`, and ended. No session is made.\n\nExample:\n  \
             acp info --json -- my-agent\n\nexit status:\n  0 done   1 error   2 usage   124 the time was \
             up   130 cancelled   141 nobody reads the output",
        )
        .arg(option("protocol", "VERSION", value::protocol).help(
            "the version to ask for: 1, 2 (a draft), or auto, which is 2 if the agent speaks it [default: 1]",
        ))
        .arg(switch("json").help("write the agent's answer as JSON, with the members of protocol version 1"))
        .arg(limit(
            "init-timeout",
            "how long the agent may take to start and to answer `initialize` [default: 60]",
        ));
    agent::define(command)
}

pub(super) fn read(matches: &ArgMatches) -> Result<InfoArgs, String> {
    Ok(InfoArgs {
        agent: agent::read(matches)?,
        protocol: matches.get_one("protocol").copied().unwrap_or_default(),
        json: matches.get_flag("json"),
        init_timeout: matches.get_one("init-timeout").copied(),
    })
}
