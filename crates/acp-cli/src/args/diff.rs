//! The arguments of `acp diff`, and those that other comparisons share.

use std::path::PathBuf;

use acp_testkit::recordings::Normal;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::args::prompt::{option, switch};

#[derive(Debug)]
pub(crate) struct DiffArgs {
    pub(crate) first: PathBuf,
    pub(crate) second: PathBuf,
    pub(crate) options: DiffOptions,
}

/// The way to compare, and to show it.
#[derive(Debug)]
pub(crate) struct DiffOptions {
    pub(crate) normal: Normal,
    pub(crate) json: bool,
}

const NOTES: &str = "\
Ids of requests, sessions, tool calls, messages and so on do not count, and neither do times. The messages of one
session from one side are compared in their order: the order between sessions and between the sides depends on the
run. Both recordings are held in memory.

Example:
  acp diff before.ndjson after.ndjson --ignore _meta --join-chunks

exit status:
  0 they are equal   1 they differ   2 usage, or a recording that cannot be read";

pub(super) const ABOUT: &str = "Compares two recordings, without what differs from run to run";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    let file = |name: &'static str, value: &'static str| {
        Arg::new(name).value_name(value).required(true).value_parser(value_parser!(PathBuf))
    };
    let command = command
        .override_usage("acp diff FIRST SECOND [OPTIONS]")
        .after_help(NOTES)
        .arg(file("first", "FIRST").help("a recording"))
        .arg(file("second", "SECOND").help("the recording to compare it with"));
    options(command)
}

/// Adds the options of a comparison.
pub(super) fn options(command: Command) -> Command {
    command
        .arg(option("ignore", "NAME|/POINTER", value_parser!(String)).action(ArgAction::Append).help(
            "leave out members with this name, or the value at this JSON pointer of a message, such as \
             /params/_meta; may be given more than once",
        ))
        .arg(switch("join-chunks").help("compare texts as a whole, however they were cut into pieces"))
        .arg(switch("json").help("write the comparison to stdout as JSON"))
}

pub(super) fn read(matches: &ArgMatches) -> DiffArgs {
    let path = |name| matches.get_one::<PathBuf>(name).cloned().unwrap_or_default();
    DiffArgs { first: path("first"), second: path("second"), options: read_options(matches) }
}

pub(super) fn read_options(matches: &ArgMatches) -> DiffOptions {
    let ignored = matches.get_many::<String>("ignore").into_iter().flatten();
    let normal = ignored.fold(Normal::default(), |normal, it| normal.ignore(it));
    let normal = if matches.get_flag("join-chunks") { normal.join_chunks() } else { normal };
    DiffOptions { normal, json: matches.get_flag("json") }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use crate::args::{Command, parse};

    #[test]
    fn the_commands_of_recordings_say_what_is_wrong() {
        for (line, wants) in [
            ("tap --rotate none -- x", "`--rotate none`: it must be a number of bytes"),
            ("tap --unredacted --redact x -- y", "`--redact` and `--unredacted`: one of them is enough"),
            ("tap --convert x -- y", "`--convert` and `-- AGENT`: one of them is enough"),
            ("replay", "`<FILE>` is missing: see `acp replay --help`"),
            ("replay x --timeout 1", "`--timeout` is for a replay with an agent"),
            ("replay x --speed slow", "`--speed slow`: it must be fast or recorded"),
            ("diff x", "`<SECOND>` is missing: see `acp diff --help`"),
            ("diff x y -- z", "`acp diff` takes no agent"),
        ] {
            let error = parse(line.split(' ').map(OsString::from)).unwrap_err();
            assert!(error.contains(wants), "`{line}` gave {error}");
        }
    }

    #[test]
    fn the_commands_of_recordings_have_help() {
        for (line, wants) in [
            ("tap --help", "ACP_TAP_AGENT"),
            ("replay --help", "acp replay turn.ndjson -- my-agent"),
            ("diff --help", "1 they differ"),
        ] {
            let Ok(Command::Tell(text)) = parse(line.split(' ').map(OsString::from)) else {
                panic!("{line}")
            };
            assert!(text.contains(wants), "{text}");
        }
    }
}
