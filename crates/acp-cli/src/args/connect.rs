//! The arguments of `acp connect`.

use std::time::Duration;

use clap::{Arg, ArgMatches, Command};

use crate::args::agent;
use crate::args::prompt::limit;
use crate::named::address::Address;

/// The time for requests and turns after the end of stdin.
pub(crate) const DRAIN: Duration = Duration::from_secs(30);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConnectArgs {
    pub(crate) address: Address,
    pub(crate) drain: Duration,
}

const NOTES: &str = "\
An editor starts it as it would start the agent. Messages pass as they are. It ends when the agent has ended, and
when its stdin was closed: then requests have `--drain` to be answered, and turns to end. Ctrl-C ends it at once.

Example:
  acp connect wss://agents.example/acp --token-file token

exit status:
  0 either side has ended   1 the connection was lost or could not be made, or `--drain` was over   2 usage
  3 the server refused the credentials   130 stopped by a signal";

pub(super) const ABOUT: &str = "Is an agent on stdin and stdout, made of an agent of another machine";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    command
        .override_usage("acp connect URL [OPTIONS]")
        .after_help(NOTES)
        .arg(Arg::new("url").value_name("URL").required(true).help(
            "the address: ws:// and wss:// are a WebSocket, http:// and https:// are HTTP with streams of events",
        ))
        .args(agent::address_options())
        .arg(limit("drain", "how long requests and turns may take after the end of stdin [default: 30]"))
}

pub(super) fn read(matches: &ArgMatches) -> ConnectArgs {
    let url = matches.get_one::<String>("url").cloned().unwrap_or_default();
    let drain = matches.get_one::<Duration>("drain").copied();
    ConnectArgs { address: agent::read_address(url, matches), drain: drain.unwrap_or(DRAIN) }
}
