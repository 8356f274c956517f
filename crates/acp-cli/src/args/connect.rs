//! The arguments of `acp connect`.

use clap::{Arg, ArgMatches, Command};

use crate::args::agent;
use crate::named::address::Address;

const NOTES: &str = "\
An editor starts it as it would start the agent. Messages pass as they are. It ends when the editor closes its
stdin, and when the agent has ended.

Example:
  acp connect wss://agents.example/acp --token-file token

exit status:
  0 either side has ended   1 the connection was lost, or could not be made   2 usage
  3 the server refused the credentials   130 stopped by a signal";

pub(super) fn definition() -> Command {
    Command::new("connect")
        .about("Is an agent on stdin and stdout, made of an agent of another machine")
        .override_usage("acp connect URL [OPTIONS]")
        .after_help(NOTES)
        .arg(Arg::new("url").value_name("URL").required(true).help(
            "the address: ws:// and wss:// are a WebSocket, http:// and https:// are HTTP with streams of events",
        ))
        .args(agent::address_options())
}

pub(super) fn read(matches: &ArgMatches) -> Address {
    let url = matches.get_one::<String>("url").cloned().unwrap_or_default();
    agent::read_address(url, matches)
}
