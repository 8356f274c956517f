//! The arguments of `acp tap`.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::args::agent;
use crate::args::prompt::{option, switch};
use crate::named::Named;

/// The work to do.
#[derive(Debug)]
pub(crate) enum TapArgs {
    /// Stands between an editor and an agent.
    Pass(Box<TapSettings>),
    /// Converts a file.
    Convert { from: PathBuf, form: Form, to: Option<PathBuf> },
}

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A recording.
    Recording,
    /// A trace of the official SDK's conductor.
    Trace,
}

/// The settings that are given. The others come from the environment and the file of settings.
#[derive(Debug, Default)]
pub(crate) struct TapSettings {
    pub(crate) agent: Option<Named>,
    pub(crate) to: Option<PathBuf>,
    /// Names of members, and JSON pointers.
    pub(crate) redact: Vec<String>,
    pub(crate) unredacted: bool,
    pub(crate) rotate: Option<u64>,
    pub(crate) keep: Option<usize>,
}

const NOTES: &str = "\
An editor starts it as it would start the agent. Bytes pass unchanged in both directions, and so do stderr, signals
and the exit status. The recording never holds them up: if the file cannot be written, that is told once, and the
recording says how many lines are missing. Keys, tokens and the like are hidden: see docs/RECORDINGS.md.

Without an agent it takes the one of ACP_TAP_AGENT, which is a value of --agent or an address, or of the settings in
$ACP_TAP_CONFIG [default: acp/tap.toml in the user's folder of settings].

Example:
  acp tap --to turn.ndjson -- my-agent --acp
  acp tap --convert turn.ndjson --format trace > turn.jsons

exit status:
  that of the agent, or 128 and the number of the signal that has ended it
  of --url: 0 either side has ended   1 the connection was lost   3 the server refused the credentials
  2 usage";

pub(super) const ABOUT: &str = "Records what passes between an editor and an agent";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    let command = command
        .override_usage(
            "acp tap [OPTIONS] -- AGENT [ARGS…]\n       acp tap [OPTIONS] --agent ID|FILE\n       \
             acp tap [OPTIONS] --url URL\n       acp tap --convert FILE [--format recording|trace] [--to FILE]",
        )
        .after_help(NOTES)
        .arg(option("to", "FILE", value_parser!(PathBuf)).help(
            "the file of the recording; {time} and {pid} stand for the start and the process \
             [default: acp/tap/{time}-{pid}.ndjson in the user's folder of state]",
        ))
        .arg(option("redact", "NAME|/POINTER", value_parser!(String)).action(ArgAction::Append).help(
            "also hide members with this name, or the value at this JSON pointer, in which * stands for every \
             item; may be given more than once",
        ))
        .arg(switch("unredacted").conflicts_with("redact").help("hide nothing, keys and tokens included"))
        .arg(option("rotate", "SIZE", size).help("begin a new file before this one is larger, such as 10M"))
        .arg(option("keep", "N", value_parser!(usize)).help("the number of older files to keep [default: 5]"))
        .arg(
            option("convert", "FILE", value_parser!(PathBuf))
                .conflicts_with_all(["agent", "command", "url", "redact", "unredacted", "rotate", "keep"])
                .help("convert a recording, or a trace of the official SDK, instead of recording"),
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORM")
                .value_parser(["recording", "trace"])
                .requires("convert")
                .help("the form to convert to [default: the other one]"),
        );
    agent::define(command)
}

pub(super) fn read(matches: &ArgMatches) -> Result<TapArgs, String> {
    let to = matches.get_one::<PathBuf>("to").cloned();
    if let Some(from) = matches.get_one::<PathBuf>("convert").cloned() {
        let form = match matches.get_one::<String>("format").map(String::as_str) {
            Some("recording") => Form::Recording,
            Some(_) => Form::Trace,
            None if is_trace(&from) => Form::Recording,
            None => Form::Trace,
        };
        return Ok(TapArgs::Convert { from, form, to });
    }
    let agent = if agent::is_given(matches) { Some(agent::read(matches)?) } else { None };
    Ok(TapArgs::Pass(Box::new(TapSettings {
        agent,
        to,
        redact: matches.get_many::<String>("redact").into_iter().flatten().cloned().collect(),
        unredacted: matches.get_flag("unredacted"),
        rotate: matches.get_one::<u64>("rotate").copied(),
        keep: matches.get_one::<usize>("keep").copied(),
    })))
}

/// Returns true for the name of a trace's file, as its writer makes it.
fn is_trace(file: &std::path::Path) -> bool {
    file.extension().is_some_and(|extension| extension == "jsons")
}

/// Reads a number of bytes, with K, M or G for a thousand, a million and so on.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let upper = text.to_ascii_uppercase();
    let upper = upper.strip_suffix('B').unwrap_or(&upper);
    let (digits, factor) = match upper.strip_suffix(['K', 'M', 'G']) {
        Some(digits) if upper.ends_with('K') => (digits, 1_000),
        Some(digits) if upper.ends_with('M') => (digits, 1_000_000),
        Some(digits) => (digits, 1_000_000_000),
        None => (upper, 1),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    bytes
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| "it must be a number of bytes, such as 500K or 10M".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_a_unit_or_none() {
        for (text, bytes) in
            [("1", 1), ("500k", 500_000), ("10M", 10_000_000), ("2GB", 2_000_000_000), ("7B", 7)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "0", "M", "-1", "1.5M", "1T", "99999999999G"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
