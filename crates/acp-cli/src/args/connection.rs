//! The arguments of commands that start an agent for a few requests.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::args::agent;
use crate::args::prompt::{limit, option};
use crate::args::value::{self, Protocol};
use crate::named::Named;

#[derive(Debug)]
pub(crate) struct ConnectionArgs {
    pub(crate) agent: Named,
    pub(crate) protocol: Protocol,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) init_timeout: Option<Duration>,
}

pub(super) const EXIT_STATUS: &str = "\
exit status:
  0    done
  1    error: the agent failed, ended, could not be started or does not have what was asked for
  2    usage
  124  the time was up
  130  cancelled
  141  nobody reads the output";

/// Adds the arguments to a command. `cwd` describes its folder.
pub(super) fn define(command: Command, cwd: &'static str) -> Command {
    let options: [Arg; 4] = [
        option("protocol", "VERSION", value::protocol).help(
            "the version of the protocol: 1, 2 (a draft), or auto, which is 2 if the agent speaks it [default: 1]",
        ),
        option("cwd", "DIR", value_parser!(PathBuf)).help(cwd),
        limit("timeout", "end the run after this time"),
        limit(
            "init-timeout",
            "how long the agent may take to start and to answer `initialize` [default: 60]",
        ),
    ];
    agent::define(command.args(options))
}

pub(super) fn read(matches: &ArgMatches) -> Result<ConnectionArgs, String> {
    Ok(ConnectionArgs {
        agent: agent::read(matches)?,
        protocol: matches.get_one("protocol").copied().unwrap_or_default(),
        cwd: matches.get_one("cwd").cloned(),
        timeout: matches.get_one("timeout").copied(),
        init_timeout: matches.get_one("init-timeout").copied(),
    })
}
