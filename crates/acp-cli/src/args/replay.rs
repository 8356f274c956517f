//! The arguments of `acp replay`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::args::agent;
use crate::args::diff::{self, DiffOptions};
use crate::args::prompt::option;
use crate::args::value;
use crate::named::Named;

#[derive(Debug)]
pub(crate) struct ReplayArgs {
    pub(crate) recording: PathBuf,
    /// The agent to drive. Without it the recording is played as an agent.
    pub(crate) agent: Option<Named>,
    /// Waits as it was recorded.
    pub(crate) paced: bool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) record: Option<PathBuf>,
    pub(crate) options: DiffOptions,
}

const NOTES: &str = "\
Without an agent it is the recorded agent, on stdin and stdout. A request of the client gets the recorded answer, and
what came before it, if its method was recorded, preferably with equal params. With an agent it is the recorded
client, and compares what the agent sends with the recording, as `acp diff` does.

The recording is held in memory.

Example:
  acp prompt \"hello\" -- acp replay turn.ndjson
  acp replay turn.ndjson -- my-agent --acp

exit status:
  0 all went as it was recorded   1 it did not   2 usage   130 stopped by a signal";

pub(super) const ABOUT: &str = "Plays the agent of a recording, or its client against another agent";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    let command = command
        .override_usage(
            "acp replay FILE [OPTIONS]\n       acp replay FILE [OPTIONS] -- AGENT [ARGS…]\n       \
             acp replay FILE [OPTIONS] --agent ID|FILE\n       acp replay FILE [OPTIONS] --url URL",
        )
        .after_help(NOTES)
        .arg(Arg::new("file").value_name("FILE").required(true).value_parser(value_parser!(PathBuf)).help("the recording"))
        .arg(
            Arg::new("speed")
                .long("speed")
                .value_name("SPEED")
                .value_parser(["fast", "recorded"])
                .default_value("fast")
                .help("send each line as soon as it may be sent, or wait as long as it took"),
        )
        .arg(option("timeout", "SECONDS", value::seconds).help(
            "the longest time for the whole replay with an agent [default: 60, and the time of the recording]",
        ))
        .arg(
            option("record", "FILE", value_parser!(PathBuf))
                .help("keep the recording of the agent that is driven"),
        );
    agent::define(diff::options(command))
}

pub(super) fn read(matches: &ArgMatches) -> Result<ReplayArgs, String> {
    let agent = if agent::is_given(matches) { Some(agent::read(matches)?) } else { None };
    let path = |name| matches.get_one::<PathBuf>(name).cloned();
    for name in ["timeout", "record"] {
        if agent.is_none() && matches.contains_id(name) {
            return Err(format!("`--{name}` is for a replay with an agent: end with `-- AGENT [ARGS…]`"));
        }
    }
    Ok(ReplayArgs {
        recording: path("file").unwrap_or_default(),
        agent,
        paced: matches.get_one::<String>("speed").is_some_and(|speed| speed == "recorded"),
        timeout: matches.get_one::<Duration>("timeout").copied(),
        record: path("record"),
        options: diff::read_options(matches),
    })
}
