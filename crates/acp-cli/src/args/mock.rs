//! The arguments of `acp mock`.

use std::path::PathBuf;

use acp_testkit::mock::Side;
use clap::{Arg, ArgMatches, Command, value_parser};

use crate::args::agent;
use crate::args::prompt::option;
use crate::named::Named;

/// The command to run.
#[derive(Debug)]
pub(crate) enum MockArgs {
    /// Plays a script.
    Play { side: Side, script: PathBuf, peer: Option<Named> },
    /// Writes a script that plays a side of a recording.
    From { side: Side, recording: PathBuf },
}

pub(super) const USAGE: &str = "acp mock agent|client --script FILE";

const EXIT_STATUS: &str = "\
A script is TOML, or NDJSON if its name ends with .ndjson or .jsonl. docs/check/MOCK.md describes its steps.

Examples:
  acp mock agent --script agent.toml
  acp mock agent --from turn.ndjson > agent.toml

exit status:
  0 the script was fulfilled   1 it was not: stderr has the difference   2 usage, or a mistake in the script
  130 stopped by a signal";

pub(super) const ABOUT: &str = "Plays an agent or a client by a script, on stdin and stdout";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    let command = command
        .override_usage(
            "acp mock agent|client --script FILE\n       acp mock client --script FILE -- AGENT [ARGS…]\n       acp mock client --script FILE --agent ID|FILE\n       acp mock client --script FILE --url URL\n       \
             acp mock [agent|client] --from RECORDING",
        )
        .after_help(EXIT_STATUS)
        .arg(
            Arg::new("side")
                .value_name("ROLE")
                .value_parser(["agent", "client"])
                .hide_possible_values(true)
                .help("the side to play: agent or client"),
        )
        .arg(
            option("script", "FILE", value_parser!(PathBuf))
                .conflicts_with("from")
                .help("the steps of the side"),
        )
        .arg(
            option("from", "RECORDING", value_parser!(PathBuf))
                .conflicts_with_all(["agent", "command", "url"])
                .help("write the script of a side to stdout, by a file of `acp prompt --record` [default: agent]"),
        );
    agent::define(command)
}

pub(super) fn read(matches: &ArgMatches) -> Result<MockArgs, String> {
    let side = matches.get_one::<String>("side").map(|side| match side.as_str() {
        "client" => Side::Client,
        _ => Side::Agent,
    });
    if let Some(recording) = matches.get_one::<PathBuf>("from").cloned() {
        return Ok(MockArgs::From { side: side.unwrap_or(Side::Agent), recording });
    }
    let side = side.ok_or_else(|| format!("a script is of an agent or a client: {USAGE}"))?;
    let script = matches.get_one::<PathBuf>("script").cloned();
    let script = script.ok_or_else(|| format!("the script is missing: {USAGE}"))?;
    let peer = if agent::is_given(matches) { Some(agent::read(matches)?) } else { None };
    if side == Side::Agent && peer.is_some() {
        return Err("a scripted agent starts no command: the client starts it".to_owned());
    }
    Ok(MockArgs::Play { side, script, peer })
}
